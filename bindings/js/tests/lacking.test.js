// Where memory or instructions really lack: Node is started with less of them. Every program below prints what it found.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageFolder } from './package_path.js';

const address = pathToFileURL(join(packageFolder, 'index.js')).href;

/** What a program of the package prints, as JSON, in a Node with these flags. */
function run(flags, program) {
    const text = `const { load, features } = await import(${JSON.stringify(address)});\n${program}`;
    return JSON.parse(execFileSync(process.execPath, [...flags, '--input-type=module', '--eval', text], { timeout: 240000 }).toString());
}

// shaken-box wants more memory for its contacts after a few frames. With threads a worker may be the one that asks for it.
const USE_UP = `
const engine = await load(THREADS ? { threads: true, pool: 1 } : { threads: false });
const other = engine.loadScene('corner-hang');
let worlds = Array.from({ length: COUNT }, () => engine.loadScene('shaken-box'));
const found = { codes: [], texts: [], changed: 0 };
for (let frame = 0; frame < 200 && found.codes.length < 3; ++frame) {
    for (const world of worlds) {
        const { time } = world;
        try {
            world.step();
        } catch (error) {
            found.codes.push(error.code);
            found.texts.push(error.message);
            if (world.time !== time || !(world.statistics.maxStretch < 0.5)) ++found.changed; // some of its substeps may be done
            break;
        }
    }
}
const before = other.hash;
other.step(10);
for (const world of worlds.slice(1)) world.destroy();
worlds = worlds.slice(0, 1);
worlds[0].destroy();
const next = engine.loadScene('corner-hang');
next.step(10);
console.log(JSON.stringify({ ...found, goesOn: other.hash !== before, same: next.hash === other.hash, first: other.time }));
`;

for (const { threads, pages, count } of [{ threads: false, pages: 560, count: 1 }, { threads: true, pages: 1120, count: 5 }]) {
    test(`memory that runs out in the middle of a frame is an error and no end, ${threads ? 'with' : 'without'} threads`, () => {
        const program = USE_UP.replaceAll('THREADS', String(threads)).replaceAll('COUNT', String(count));
        const found = run([`--wasm-max-mem-pages=${pages}`], program);
        assert.deepEqual(found.codes, ['memory', 'memory', 'memory']);
        assert.match(found.texts[0], /out of memory/);
        assert.equal(found.changed, 0, 'time went on, or the cloth is torn');
        assert.ok(found.goesOn, 'the other world stands still');
        assert.ok(found.same, 'a world made afterwards is another');
    });
}

for (const threads of [false, true]) {
    test(`too little memory to start with is an error, ${threads ? 'with' : 'without'} threads`, () => {
        const found = run(['--wasm-max-mem-pages=300'], `let code = '', said = '';
            try { await load({ threads: ${threads} }); } catch (error) { ({ code, message: said } = error); }
            console.log(JSON.stringify({ code, said }));
            process.exit();`);
        assert.equal(found.code, 'memory');
        assert.match(found.said, /^the engine could not start: /);
    });
}

test('a Node whose WebAssembly has no SIMD is told so', { skip: process.arch === 'x64' ? false : 'V8 has SIMD on all of these' }, () => {
    const program = `let said = '';
        try { await load(); } catch (error) { said = error.message; }
        console.log(JSON.stringify({ said, simd: features().simd }));`;
    const found = run(['--no-enable-sse4-1'], program); // V8's SIMD128 needs SSE 4.1
    assert.equal(found.simd, false);
    assert.match(found.said, /^Selvage cannot run: WebAssembly has no SIMD here; Chrome 91/);
});
