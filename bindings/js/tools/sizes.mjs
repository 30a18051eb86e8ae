// What a page loads of the package, compressed: node bindings/js/tools/sizes.mjs PACKAGE. Fails where an engine is not below
// its budget.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brotliCompressSync, constants } from 'node:zlib';

/** Bytes of an engine by brotli, its loader included. */
export const ENGINE_BUDGET = 600000;

export const ENGINES = {
    'engine without threads': ['wasm/selvage.wasm', 'wasm/selvage.mjs'],
    'engine with threads': ['wasm/selvage-threads.wasm', 'wasm/selvage-threads.mjs', 'wasm/selvage-threads.worker.js'],
};

/** Bytes of a file, and by brotli at its highest level with the largest window that browsers take. */
export function sizesOf(file) {
    const bytes = readFileSync(file);
    const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
    const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
    return { plain: bytes.length, packed: brotliCompressSync(bytes, { params }).length };
}

export function sumOf(folder, files) {
    const sum = { plain: 0, packed: 0 };
    for (const file of files) {
        const { plain, packed } = sizesOf(join(folder, file));
        sum.plain += plain;
        sum.packed += packed;
    }
    return sum;
}

function main(folder) {
    const scripts = (part) => readdirSync(join(folder, part)).filter((file) => file.endsWith('.js')).map((file) => join(part, file));
    const groups = { ...ENGINES, 'the package\'s own JavaScript, without selvage/three': ['index.js', ...scripts('src')],
        'selvage/three': scripts('three') };
    const row = (plain, packed, name) => console.log(`${String(plain).padStart(9)} ${String(packed).padStart(9)} ${name}`);
    let above = 0;
    for (const [name, files] of Object.entries(groups)) {
        const { plain, packed } = sumOf(folder, files);
        row(plain, packed, name);
        if (!ENGINES[name]) continue;
        for (const file of files) row(...Object.values(sizesOf(join(folder, file))), `    ${file}`);
        if (packed < ENGINE_BUDGET) continue;
        console.error(`sizes: the ${name} has ${packed} bytes by brotli; expected less than ${ENGINE_BUDGET}`);
        above += 1;
    }
    return above > 0 ? 1 : 0;
}

if (process.argv[1] && import.meta.url === pathToFileURL(resolve(process.argv[1])).href) {
    const [, , folder = 'build/web/package'] = process.argv;
    if (!existsSync(join(folder, 'wasm/selvage.wasm'))) {
        console.error(`sizes: no package in ${folder}; scripts/web build makes it`);
        process.exit(2);
    }
    process.exit(main(folder));
}
