// Opens the examples in Chromium and keeps a picture of each: node pictures.mjs FOLDER [EXAMPLE...]. Fails where one of
// them says something in the console, or does not move. Needs `npm install` in bindings/js and scripts/web build.
import { spawn } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [out, ...wanted] = process.argv.slice(2);
if (!out) {
    console.error('usage: node pictures.mjs FOLDER [EXAMPLE...]');
    process.exit(2);
}
mkdirSync(out, { recursive: true });
const root = fileURLToPath(new URL('../../..', import.meta.url));
const port = 8000 + process.pid % 1000;
const server = spawn('python3', [join(root, 'bindings/js/tools/serve.py'), root, String(port), '--quiet'],
    { stdio: ['ignore', 'pipe', 'inherit'] });
await new Promise((resolve, reject) => {
    server.stdout.once('data', resolve);
    server.once('exit', () => reject(new Error('the server did not start')));
});
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
    args: ['--no-sandbox', '--use-angle=swiftshader', '--enable-unsafe-swiftshader'] });
let failures = 0;
try {
    for (const name of wanted.length ? wanted : ['flag', 'drape', 'curtain', 'swatches', 'dressed']) {
        const page = await browser.newPage({ viewport: { width: 640, height: 400 } });
        const said = [];
        page.on('console', (message) => { if (['error', 'warning'].includes(message.type())) said.push(message.text()); });
        page.on('pageerror', (error) => said.push(String(error)));
        await page.goto(`http://127.0.0.1:${port}/bindings/js/examples/${name}.html`);
        await page.waitForFunction('window.frames_drawn > 3', null, { timeout: 120000 }).catch((error) => said.push(String(error)));
        const before = await page.screenshot({ timeout: 90000 });
        await page.waitForTimeout(Number(process.env.SECONDS_TO_WAIT ?? 15) * 1000);
        const after = await page.screenshot({ path: join(out, `${name}.png`), timeout: 90000 });
        const real = said.filter((text) => !/GPU stall|GL Driver Message/.test(text)); // reading pixels of a software GPU
        if (before.equals(after)) real.push('nothing moved');
        console.log(`${name}: ${real.length ? real.join('\n  ') : 'ok'} (${await page.evaluate('window.frames_drawn')} frames)`);
        failures += real.length;
        await page.close();
    }
} finally {
    await browser.close();
    server.kill();
}
process.exit(failures ? 1 : 0);
