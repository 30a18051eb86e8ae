// Bad input: an Error with the engine's text, and nothing changes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selvage } from './package_path.js';

const engine = await selvage.load({ threads: false });
const SQUARE = { positions: [0, 0, 0, 1, 0, 0, 1, 1, 0, 0, 1, 0], triangles: [0, 1, 2, 0, 2, 3] };

function refuses(world, body, expected) {
    const before = [world.hash, world.cloths.length, world.colliders.length];
    assert.throws(body, (error) => {
        assert.ok(error instanceof selvage.SelvageError, `${error}`);
        for (const [key, value] of Object.entries(expected)) {
            if (value instanceof RegExp) assert.match(error[key], value);
            else assert.equal(error[key], value);
        }
        return true;
    });
    assert.deepEqual([world.hash, world.cloths.length, world.colliders.length], before);
}

test('wrong arrays are refused', () => {
    const world = engine.createWorld();
    world.addCloth(SQUARE);
    const tries = [
        [{ ...SQUARE, positions: SQUARE.positions.slice(1) }, /positions: found 11 numbers; expected 3/],
        [{ ...SQUARE, positions: 'abc' }, /positions: found "abc"/],
        [{ ...SQUARE, positions: [...SQUARE.positions.slice(0, 11), NaN] }, /finite/],
        [{ ...SQUARE, positions: [...SQUARE.positions.slice(0, 11), '1'] }, /positions\[11\]: found "1"; expected a number/],
        [{ ...SQUARE, triangles: [0, 1, 4] }, /triangle|vert/i],
        [{ ...SQUARE, triangles: [0, 1, 1.5] }, /triangles\[2\]: found 1.5; expected a whole number/],
        [{ ...SQUARE, triangles: [0, 1] }, /triangles: found 2 numbers/],
        [{ ...SQUARE, uv: [0, 0] }, /uv: found 2 numbers; expected 8/],
        [{ ...SQUARE, uvs: [] }, /found "uvs"; expected one of/],
        [{ triangles: [] }, /positions: found undefined/],
        [{ positions: [], triangles: [] }, /.+/],
    ];
    for (const [mesh, message] of tries) refuses(world, () => world.addCloth(mesh), { message });
});

test('wrong numbers and names are refused', () => {
    const world = engine.createWorld();
    const cloth = world.addGrid([1, 1], [5, 5]);
    refuses(world, () => world.addGrid([1, 1], [1e6, 1e6]), { code: /argument|data|memory/ });
    refuses(world, () => world.addGrid([1, NaN], [5, 5]), { code: /argument|data/ });
    refuses(world, () => world.addGrid([1, 1], [5, 5], { fabric: 'concrete' }), { message: /concrete/ });
    refuses(world, () => world.addGrid([1, 1], [5, 5], { fabrics: 'silk' }), { message: /found "fabrics"/ });
    refuses(world, () => world.addGrid([1, 1], [5, 5], { material: { density: -1 } }), { message: /density/ });
    refuses(world, () => world.addGrid([1, 1], [5, 5], { pins: 'middle' }), { message: /middle/ });
    refuses(world, () => world.addSphere(-1), { code: /argument|data/ });
    refuses(world, () => world.addSphere('1'), { message: /radius: found "1"; expected a number/ });
    refuses(world, () => world.setSolver('magic'), { message: /unknown solver "magic"/ });
    refuses(world, () => world.setSolver('xpbd', { quality: 'best' }), { message: /quality: found "best"/ });
    refuses(world, () => { world.gravity = [0, 1]; }, { message: /gravity: found 2 numbers; expected 3/ });
    refuses(world, () => { world.gravity = [0, Infinity, 0]; }, { message: /gravity/ });
    refuses(world, () => cloth.grab(1e5), { message: /triangle is 100000; expected 0 to 31/ });
    refuses(world, () => cloth.grab(0, [1, 1, 1]), { message: /weight/ });
    refuses(world, () => cloth.pin([99]), { message: /99/ });
    refuses(world, () => cloth.setState([0, 0, 0]), { code: 'argument' });
    refuses(world, () => world.raycast([0, 0, 0], [0, 0, 0]), { message: /direction has no length/ });
    refuses(world, () => world.step(-1), { message: /frames: found -1/ });
    refuses(world, () => world.step(0.5), { message: /frames/ });
    refuses(world, () => world.restore(new Uint8Array(7)), { code: 'data', message: /snapshot/ });
    refuses(world, () => world.restore('x'), { code: 'argument' });
    refuses(world, () => world.advance(NaN), { message: /seconds/ });
});

test('broken scenes are refused with the place', () => {
    const world = engine.createWorld();
    refuses(world, () => engine.loadScene('{ "cloths": [ '), { code: 'data' });
    refuses(world, () => engine.loadScene('{ "cloth": [] }'), { message: /cloth/ });
    refuses(world, () => engine.loadScene('{ "cloths": [', { set: { '/dt': 1 } }), { code: 'data', message: /JSON/ });
    refuses(world, () => engine.loadScene('no-such-scene'), { message: /no-such-scene/ });
    refuses(world, () => engine.loadScene(7), { message: /scene: found 7/ });
    refuses(world, () => engine.loadScene('flag', { set: { dt: 1 } }), { code: /argument|data/ });
    refuses(world, () => engine.loadScene('flag', { treads: 2 }), { message: /found "treads"/ });
    refuses(world, () => world.addClothJson('{'), { code: 'data' });
});

test('broken files are refused', () => {
    const world = engine.createWorld();
    engine.writeFile('broken.glb', new Uint8Array([1, 2, 3, 4]));
    engine.writeFile('broken.obj', 'f 1 2 3\n');
    for (const file of ['broken.glb', 'broken.obj', 'missing.ply']) {
        refuses(world, () => world.addClothFile(file), { message: new RegExp(file) });
        refuses(world, () => world.addMeshFile(file), { message: /.+/ });
    }
    refuses(world, () => engine.writeFile('../x', ''), { message: /path/ });
    refuses(world, () => engine.removeFile('nothing'), { code: 'file' });
});

test('objects that are gone answer so', () => {
    const world = engine.createWorld();
    const cloth = world.addGrid([1, 1], [5, 5]), ball = world.addSphere(0.1, { position: [0, -3, 0] });
    const hand = cloth.grab(0);
    hand.release();
    refuses(world, () => hand.move([0, 0, 0]), { code: 'handle' });
    cloth.remove();
    for (const use of [() => cloth.positions, () => cloth.strain, () => cloth.pin([0]), () => cloth.remove()]) {
        refuses(world, use, { code: 'handle' });
    }
    ball.remove();
    refuses(world, () => ball.pose, { code: 'handle' });
    world.destroy();
    assert.throws(() => world.step(), { code: 'handle' });
    assert.throws(() => world.destroy(), { code: 'handle' });
});

test('what does not fit into memory is refused, and the engine goes on', () => {
    const world = engine.loadScene('flag');
    world.step();
    const hash = world.hash;
    assert.throws(() => engine.loadScene('yard-hang', { set: { '/cloths/0/mesh/grid/vertices': [3900, 3900] } }), (error) => {
        assert.match(error.code, /memory|data|argument/);
        return true;
    });
    assert.equal(world.hash, hash);
    world.step();
    assert.notEqual(world.hash, hash);
});

test('options of load are checked', async () => {
    await assert.rejects(selvage.load({ thread: true }), /found "thread"/);
    await assert.rejects(selvage.load({ threads: true, pool: 0 }), /pool: found 0/);
    await assert.rejects(selvage.load({ base: 'file:///nowhere/' }), /nowhere/);
});

test('a browser without SIMD is told so', async () => {
    const { validate } = WebAssembly;
    WebAssembly.validate = () => false;
    try {
        assert.match(selvage.features().missing, /no SIMD/);
        await assert.rejects(selvage.load(), /Selvage cannot run: WebAssembly has no SIMD here; Chrome 91/);
        await assert.rejects(selvage.loadWorker(), /no SIMD/);
    } finally {
        WebAssembly.validate = validate;
    }
});

test('without shared memory the build without threads is taken, and asking for threads is an error', async () => {
    const { SharedArrayBuffer } = globalThis;
    globalThis.SharedArrayBuffer = undefined;
    try {
        assert.equal(selvage.features().threads, false);
        await assert.rejects(selvage.load({ threads: true }), /threads: true was asked for, but .*Cross-Origin-Opener-Policy/);
        const alone = await selvage.load();
        assert.equal(alone.threaded, false);
        alone.loadScene('flag').step();
    } finally {
        globalThis.SharedArrayBuffer = SharedArrayBuffer;
    }
});
