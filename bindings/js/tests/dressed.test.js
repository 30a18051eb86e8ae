// The example of a dressed character without a screen: three.js moves the body, the engine the dress.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageFolder, root, selvage } from './package_path.js';

const examples = join(root, 'bindings/js/examples'), installed = join(root, 'bindings/js/node_modules/three');
const skip = existsSync(installed) ? false : 'npm install in bindings/js brings three';
const folder = mkdtempSync(join(tmpdir(), 'selvage-dressed-'));
after(() => rmSync(folder, { recursive: true, force: true }));

/** How far points are from the nearest vertex of a body at most [m]. */
function farthestFrom(points, body) {
    let most = 0;
    for (let i = 0; i < points.length; i += 3) {
        let nearest = Infinity;
        for (let k = 0; k < body.length; k += 3) {
            const d = (points[i] - body[k]) ** 2 + (points[i + 1] - body[k + 1]) ** 2 + (points[i + 2] - body[k + 2]) ** 2;
            if (d < nearest) nearest = d;
        }
        most = Math.max(most, nearest);
    }
    return Math.sqrt(most);
}

test('a dress follows a character that three.js moves', { skip }, async () => {
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(installed, join(folder, 'node_modules/three'));
    cpSync(packageFolder, join(folder, 'node_modules/selvage'), { recursive: true });
    cpSync(join(examples, 'dressed_character.js'), join(folder, 'dressed_character.mjs'));
    const { dressCharacter } = await import(pathToFileURL(join(folder, 'dressed_character.mjs')).href);
    const { GLTFLoader } = await import(pathToFileURL(join(installed, 'examples/jsm/loaders/GLTFLoader.js')).href);
    const bytes = readFileSync(join(examples, 'dressed/body.glb'));
    const gltf = await new GLTFLoader().parseAsync(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length), '');
    const engine = await selvage.load({ threads: false });
    const dressed = dressCharacter(engine, gltf, new Uint8Array(readFileSync(join(examples, 'dressed/dress.glb'))));
    const { world, cloth } = dressed, [, body] = world.colliders;
    dressed.step();
    const begin = body.surface().positions.slice();
    assert.match(cloth.warnings, /rests as its uv/); // which is all that is said of it
    let stretch = 0, travelled = 0;
    for (let frame = 0; frame < 120; ++frame) {
        dressed.step();
        stretch = Math.max(stretch, world.statistics.maxStretch);
        const now = body.surface().positions;
        assert.equal(now.length, begin.length); // as many as before, however it bends: meshes are updated in place
        for (let k = 2; k < now.length; k += 30) travelled = Math.max(travelled, Math.abs(now[k] - begin[k]));
    }
    console.log(`# largest stretch ${(100 * stretch).toFixed(1)} %, a foot swings ${travelled.toFixed(2)} m`);
    assert.ok(travelled > 0.2, `the body moves by ${travelled} m only`); // feet of a walk swing by half a step, 0.3 m
    assert.ok(stretch < 0.25, `stretched by ${stretch}`);
    // It hangs from the shoulders still: its highest point is within 5 cm of where it was, and no point is a metre away.
    const x = cloth.positions;
    let top = -Infinity;
    for (let k = 1; k < x.length; k += 3) top = Math.max(top, x[k]);
    assert.ok(top > 1.25 && top < 1.5, `its top is at ${top} m`);
    assert.ok(farthestFrom(x, body.surface().positions) < 0.4);
    world.destroy();
});
