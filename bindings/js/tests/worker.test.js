// The engine in a Worker gives what it gives here.
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { selvage } from './package_path.js';

const here = await selvage.load({ threads: false });
const remote = await selvage.loadWorker({ threads: false });
after(() => remote.terminate());

test('frames of a worker are those of the engine', async () => {
    const world = await remote.loadScene('flag'), twin = here.loadScene('flag');
    world.watch({ tangents: true, strain: true, touching: true, velocities: true, contacts: true, lines: { pins: true } });
    const frame = await world.step(10);
    twin.step(10);
    assert.equal(await world.getHash(), twin.hash);
    const [cloth] = world.cloths, [other] = twin.cloths;
    for (const kind of ['positions', 'normals', 'tangents', 'strain', 'touching', 'velocities']) {
        assert.deepEqual(cloth[kind], other[kind].slice(), kind);
    }
    assert.deepEqual(cloth.triangles, other.triangles.slice());
    assert.equal(frame.time, twin.time);
    assert.ok(frame.lines.count > 0);
    await world.destroy();
    await assert.rejects(world.step(), { code: 'handle' });
});

test('hands work across', async () => {
    const world = await remote.createWorld({ gravity: [0, 0, 0] });
    const cloth = await world.addGrid([1, 1], [9, 9], { rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] });
    const ball = await world.addSphere(0.1, { position: [0, 3, 0] });
    assert.equal(world.cloths.length, 1);
    const hit = await world.raycast([0.1, 1, 0.2], [0, -1, 0]);
    assert.equal(hit.cloth, cloth);
    const hand = await cloth.grab(hit.triangle, hit.weights);
    await hand.move([0.1, 0.1, 0.2]);
    await ball.move([0, 2, 0]);
    await world.step(2);
    assert.ok(Math.max(...cloth.positions.filter((_, k) => k % 3 === 1)) > 0.05);
    assert.deepEqual(ball.pose.position, [0, 2, 0]);
    await hand.release();
    await assert.rejects(hand.move([0, 0, 0]), { code: 'handle' });
    await assert.rejects(world.setSolver('magic'), { message: /unknown solver/ });
    await assert.rejects(world.addGrid([1, 1], [0, 0]), (error) => error instanceof selvage.SelvageError);
});

test('it plays by itself, and stops when told', async () => {
    const world = await remote.loadScene('corner-hang', { set: { '/cloths/0/mesh/grid/vertices': [9, 9] } });
    const frames = [];
    await new Promise((resolve, reject) => {
        const limit = setTimeout(() => reject(new Error('no frames came')), 20000);
        world.onframe = (frame) => {
            frames.push(frame.time);
            if (frames.length === 10) resolve(clearTimeout(limit));
        };
        world.play();
    });
    assert.ok(frames.every((time, k) => k === 0 || time > frames[k - 1]));
    world.pause();
    await world.step(0);
    const { time } = world;
    await world.step(0);
    assert.equal(world.time, time);
});
