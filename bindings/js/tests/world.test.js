import assert from 'node:assert/strict';
import { test } from 'node:test';
import { selvage } from './package_path.js';

const engine = await selvage.load({ threads: false });
const FLAT = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];

test('the engine lists what is built in', () => {
    assert.match(engine.version, /^\d+\.\d+\.\d+$/);
    assert.ok(engine.scenes.some((scene) => scene.name === 'flag' && scene.description.length > 10));
    assert.ok(engine.fabrics.includes('silk-satin'));
    assert.deepEqual(engine.solvers.map((one) => one.name).slice(-3), ['xpbd', 'multilevel', 'explicit']);
    assert.equal(engine.fabric('denim').look.weave[1], 3);
    assert.equal(engine.scene('yard-hang').cloths.length, 1);
});

test('every built-in scene loads and takes a frame', () => {
    for (const { name } of engine.scenes) {
        const world = engine.loadScene(name);
        world.step();
        assert.ok(world.cloths.length > 0, name);
        for (const cloth of world.cloths) assert.ok(cloth.positions.every(Number.isFinite), name);
        world.destroy();
    }
});

test('a scene by name, by text and as an object is the same', () => {
    const hashes = ['flag', engine.sceneText('flag'), engine.scene('flag')].map((scene) => {
        const world = engine.loadScene(scene);
        world.step(5);
        return world.hash;
    });
    assert.equal(new Set(hashes).size, 1);
});

test('values of a scene can be changed by pointer, in names and in texts', () => {
    const set = { '/cloths/0/mesh/grid/vertices': [9, 9] };
    for (const scene of ['yard-hang', engine.sceneText('yard-hang')]) {
        assert.equal(engine.loadScene(scene, { set }).cloths[0].vertexCount, 81);
    }
    assert.throws(() => engine.loadScene('yard-hang', { set: { '/cloths/0/mesh/grid/vertices': [1, 1] } }), /vertices/);
});

test('free cloth falls as a body does', () => {
    const world = engine.createWorld();
    const cloth = world.addGrid([0.5, 0.5], [9, 9], { rotation: FLAT });
    world.step(30);
    const mean = cloth.exactPositions.filter((_, k) => k % 3 === 1).reduce((a, b) => a + b) / 81;
    assert.ok(Math.abs(mean + 0.5 * 9.81 * 0.25) < 0.05, `fell to ${mean}`); // g t^2 / 2, less half a step's drift
    assert.ok(Math.abs(world.time - 0.5) < 1e-12);
});

test('positions are views of the engine\'s memory, the same one after a step', () => {
    const world = engine.loadScene('flag');
    const cloth = world.cloths[0];
    const before = cloth.positions, copy = before.slice();
    assert.equal(before.buffer.byteLength, engine.memoryBytes);
    world.step(3);
    const after = cloth.positions;
    assert.equal(after.length, 3 * cloth.vertexCount);
    assert.notDeepEqual(after.slice(), copy);
    assert.equal(cloth.positions, after); // asked for again, nothing is made
});

test('arrays fit together', () => {
    const world = engine.loadScene('sphere-drape');
    world.step(60);
    const cloth = world.cloths[0], n = cloth.vertexCount;
    assert.ok(cloth.triangles.every((v) => v >= 0 && v < n));
    assert.equal(cloth.uv.length, 2 * n);
    assert.equal(cloth.strain.length, n);
    assert.equal(cloth.touching.length, n);
    assert.ok(cloth.touching.some((one) => one === 1), 'it lies on the sphere');
    const { normals, tangents } = cloth;
    for (let v = 0; v < n; ++v) {
        const dot = [0, 1, 2].reduce((sum, k) => sum + normals[3 * v + k] * tangents[4 * v + k], 0);
        const length = Math.hypot(tangents[4 * v], tangents[4 * v + 1], tangents[4 * v + 2]);
        assert.ok(Math.abs(dot) < 1e-5 && Math.abs(length - 1) < 1e-5);
        assert.equal(Math.abs(tangents[4 * v + 3]), 1);
    }
    assert.ok(Math.abs(Math.max(...cloth.strain) - world.statistics.maxStretch) < 1e-6);
    assert.ok(world.contacts.some((contact) => contact.collider && contact.points > 0));
});

test('tangents run along the warp', () => {
    const world = engine.createWorld();
    const cloth = world.addGrid([1, 1], [5, 5]); // u along x
    assert.deepEqual(Array.from(cloth.tangents.slice(0, 4)), [1, 0, 0, 1]);
});

test('a ray finds cloth, a hand takes it where it goes and lets go', () => {
    const world = engine.createWorld({ gravity: [0, 0, 0] });
    const cloth = world.addGrid([1, 1], [17, 17], { rotation: FLAT });
    const hit = world.raycast([0.1, 1, 0.2], [0, -2, 0]);
    assert.equal(hit.cloth.id, cloth.id);
    assert.ok(Math.abs(hit.distance - 1) < 1e-9);
    const hand = hit.cloth.grab(hit.triangle, hit.weights);
    hand.move([0.1, 0.2, 0.2]);
    world.step(2);
    assert.ok(Math.abs(hand.position[1] - 0.2) < 1e-9);
    assert.equal(cloth.held.length, 3);
    hand.release();
    world.step();
    assert.equal(cloth.held.length, 0);
    assert.equal(world.raycast([5, 1, 0], [0, -1, 0]), null);
});

test('pins hold, move and let go', () => {
    const world = engine.createWorld();
    const cloth = world.addGrid([1, 1], [9, 9], { pins: 'top-left,top-right' });
    const corner = cloth.group('top-left')[0], at = Array.from(cloth.exactPositions.slice(3 * corner, 3 * corner + 3));
    world.step(20);
    assert.deepEqual(Array.from(cloth.exactPositions.slice(3 * corner, 3 * corner + 3)), at);
    cloth.movePins([corner], [at[0], at[1] + 0.05, at[2]]);
    world.step(2);
    assert.ok(Math.abs(cloth.exactPositions[3 * corner + 1] - at[1] - 0.05) < 1e-12);
    cloth.unpin();
    world.step(60); // first it goes on upwards
    assert.equal(cloth.held.length, 0);
    assert.ok(cloth.exactPositions[3 * corner + 1] < at[1]);
});

test('colliders of every kind hold cloth up', () => {
    const solids = {
        sphere: (world) => world.addSphere(0.4, { position: [0, -0.5, 0] }),
        box: (world) => world.addBox([1, 0.2, 1], { position: [0, -0.2, 0] }),
        capsule: (world) => world.addCapsule(0.3, 0.3, 0.4, { position: [0, -0.9, 0] }),
        cylinder: (world) => world.addCylinder(0.5, 0.4, { position: [0, -0.3, 0] }),
        plane: (world) => world.addPlane({ position: [0, -0.1, 0] }),
        height: (world) => world.addHeights([2, 2], [3, 3], new Float64Array(9).fill(-0.1)),
        mesh: (world) => world.addMesh({ positions: [-1, -0.1, -1, 1, -0.1, -1, 1, -0.1, 1, -1, -0.1, 1],
            triangles: [0, 2, 1, 0, 3, 2] }),
    };
    for (const [kind, add] of Object.entries(solids)) {
        const world = engine.createWorld();
        const cloth = world.addGrid([0.3, 0.3], [13, 13], { rotation: FLAT });
        const collider = add(world);
        assert.equal(collider.kind, kind);
        world.step(40);
        assert.ok(cloth.bounds.high[1] > -0.4, `${kind}: ${cloth.bounds.high[1]}`); // it would be at -2.2 by now
        const { positions, triangles } = collider.surface();
        assert.ok(positions.length > 0 && triangles.every((v) => v < positions.length / 3), kind);
    }
});

test('a mesh whose vertices move carries cloth along', () => {
    const world = engine.createWorld();
    const corners = [-0.5, 0, -0.5, 0.5, 0, -0.5, 0.5, 0, 0.5, -0.5, 0, 0.5];
    const plate = world.addMesh({ positions: corners, triangles: [0, 2, 1, 0, 3, 2] });
    const cloth = world.addGrid([0.3, 0.3], [9, 9], { rotation: FLAT, position: [0, 0.01, 0] });
    for (let frame = 1; frame <= 30; ++frame) {
        plate.setVertices(Float32Array.from(corners, (x, k) => k % 3 === 1 ? 0.01 * frame : x));
        world.step();
    }
    assert.ok(plate.isDeforming);
    assert.ok(cloth.bounds.low[1] > 0.28, `${cloth.bounds.low[1]}`); // the plate is at 0.3
});

test('a snapshot goes back, bit for bit', () => {
    const world = engine.loadScene('game');
    world.step(10);
    const snapshot = world.snapshot();
    world.step(10);
    const hash = world.hash;
    world.restore(snapshot);
    assert.ok(Math.abs(world.time - 10 / 60) < 1e-9 || world.time > 0);
    world.step(10);
    assert.equal(world.hash, hash);
});

test('solver, gravity, air and budget change between frames', () => {
    const world = engine.loadScene('flag');
    world.step(2);
    for (const solver of ['xpbd', 'implicit-cg', 'multilevel']) {
        world.setSolver(solver, { quality: 'standard' });
        world.step();
    }
    world.gravity = [0, 1, 0];
    assert.deepEqual(world.gravity, [0, 1, 0]);
    world.setWind([3, 0, 0]);
    assert.deepEqual(world.air.wind, [3, 0, 0]);
    world.setBudget(5);
    world.step();
    assert.ok(world.statistics.frameMs > 0);
});

test('a mesh file in the engine\'s memory becomes cloth', () => {
    engine.writeFile('meshes/square.obj', 'v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n');
    const world = engine.createWorld();
    assert.equal(world.addClothFile('meshes/square.obj').vertexCount, 4);
    const scene = { cloths: [{ name: 'own', mesh: { file: 'meshes/square.obj' } }] };
    assert.equal(engine.loadScene(scene).cloth('own').vertexCount, 4);
    engine.removeFile('meshes/square.obj');
    assert.throws(() => world.addClothFile('meshes/square.obj'), { code: /file|data/ });
});

test('a look is prepared for the shader', () => {
    const satin = engine.prepareLook('silk-satin'), own = engine.prepareLook({ ...satin.look, groove: 0.9 });
    assert.equal(satin.furnace.length, 128);
    assert.ok(satin.furnace.every((x) => x >= 0 && x < 4));
    assert.equal(satin.missing.length, 128);
    assert.ok(satin.missingMean.every((x) => x > 0 && x < 0.5)); // satin loses a sixth of the light at first
    assert.ok(satin.passage[3] > 0 && satin.passage[3] < 0.1); // the last number is read where it was written
    assert.equal(own.look.groove, 0.9);
    assert.deepEqual(own.look.weave, satin.look.weave);
    const cloth = engine.createWorld().addGrid([1, 1], [3, 3], { fabric: 'silk-satin' });
    assert.deepEqual(cloth.look, satin.look);
    assert.equal(cloth.fabric, 'silk-satin');
});

test('threads change no bit', async () => {
    const threaded = await selvage.load({ threads: true, pool: 2 });
    assert.equal(threaded.maxThreads, 3);
    const hashes = [1, 2, 0].map((threads) => {
        const world = threaded.loadScene('yard-drape', { threads, set: { '/cloths/0/mesh/grid/vertices': [32, 32] } });
        world.step(20);
        return world.hash;
    });
    const alone = engine.loadScene('yard-drape', { set: { '/cloths/0/mesh/grid/vertices': [32, 32] } });
    alone.step(20);
    assert.deepEqual(hashes, Array(3).fill(alone.hash));
});
