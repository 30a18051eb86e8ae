// Time from the start of a navigation to the first moved cloth, in a Chromium that has nothing cached: of the engine alone,
// and of the page as visitors get it, where the cloth counts once it is drawn. node bindings/js/bench/cold.mjs [RUNS]
// Needs `npm install` in bindings/js and scripts/web build.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const runs = Number(process.argv[2] ?? 5), root = fileURLToPath(new URL('../../..', import.meta.url));
const port = 9000 + process.pid % 1000;
const server = spawn('python3', [join(root, 'bindings/js/tools/serve.py'), root, String(port), '--quiet'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((resolve) => server.stdout.once('data', resolve));
const SOFTWARE_GPU = ['--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--ignore-gpu-blocklist'];
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

/** In the page, from its start: when the engine answers, and when the first picture after the first frame has been drawn. */
function watchPage() {
    let loaded = 0, before = null;
    const look = () => {
        const page = globalThis.selvage, now = performance.now();
        if (page?.engine && !loaded) loaded = now;
        const { frames, drawn, threaded } = page?.stage ? page.status() : { frames: 0 };
        if (frames > 0 && before === null) before = drawn; // it may be of this frame already: then the next one counts
        else if (frames > 0 && drawn > before) globalThis.result = { loaded, first: now, moved: true, threaded };
        if (!globalThis.result) requestAnimationFrame(look);
    };
    requestAnimationFrame(look);
}

async function measure({ address, threaded, init }) {
    const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
        args: ['--no-sandbox', ...SOFTWARE_GPU] });
    try {
        const page = await browser.newPage();
        if (init) await page.addInitScript(init);
        await page.goto(`http://127.0.0.1:${port}/${address}`);
        await page.waitForFunction('window.result', null, { timeout: 60000 });
        const result = await page.evaluate('window.result');
        if (!result.moved || result.threaded !== threaded) throw new Error(`found ${JSON.stringify(result)}`);
        return result;
    } finally {
        await browser.close();
    }
}

const cases = { 'without threads': { address: 'bindings/js/bench/cold.html', threaded: false },
    'with threads': { address: 'bindings/js/bench/cold.html?threads', threaded: true },
    'the page': { address: 'build/web/site/#scene=flag', threaded: true, init: watchPage } };
try {
    for (const [name, one] of Object.entries(cases)) {
        const results = [];
        for (let k = 0; k < runs; ++k) results.push(await measure(one));
        const first = results.map((result) => result.first);
        console.log(`${name}: engine after ${median(results.map((result) => result.loaded)).toFixed(0)} ms, first frame of the flag after ` +
            `${median(first).toFixed(0)} ms (${Math.min(...first).toFixed(0)} to ${Math.max(...first).toFixed(0)}, ${runs} runs)`);
    }
} finally {
    server.kill();
}
