// Time from the start of a navigation to the first moved cloth, in a Chromium that has nothing cached: node
// bindings/js/bench/cold.mjs [RUNS]. Needs `npm install` in bindings/js and scripts/web build.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const runs = Number(process.argv[2] ?? 5), root = fileURLToPath(new URL('../../..', import.meta.url));
const port = 9000 + process.pid % 1000;
const server = spawn('python3', [join(root, 'bindings/js/tools/serve.py'), root, String(port), '--quiet'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((resolve) => server.stdout.once('data', resolve));
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
try {
    for (const build of ['', '?threads']) {
        const loaded = [], first = [];
        for (let k = 0; k < runs; ++k) {
            const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium', args: ['--no-sandbox'] });
            const page = await browser.newPage();
            await page.goto(`http://127.0.0.1:${port}/bindings/js/bench/cold.html${build}`);
            await page.waitForFunction('window.result', null, { timeout: 60000 });
            const result = await page.evaluate('window.result');
            if (!result.moved || result.threaded !== (build !== '')) throw new Error(`found ${JSON.stringify(result)}`);
            loaded.push(result.loaded);
            first.push(result.first);
            await browser.close();
        }
        console.log(`${build ? 'with threads' : 'without threads'}: engine after ${median(loaded).toFixed(0)} ms, first frame of the flag after ` +
            `${median(first).toFixed(0)} ms (${Math.min(...first).toFixed(0)} to ${Math.max(...first).toFixed(0)}, ${runs} runs)`);
    }
} finally {
    server.kill();
}
