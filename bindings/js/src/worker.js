// The engine in a Worker: what remote.js talks to. Every request is answered with its number; frames go out by
// themselves, and stop when the other side does not answer, so that nothing piles up.

import { load } from './engine.js';
import { SelvageError } from './errors.js';
import { isNode } from './features.js';

const port = isNode ? (await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:' + 'worker_threads')).parentPort : self;
const MOST_FRAMES = 2; // on their way
const TICK_MS = 2;

let engine = null;
const worlds = new Map(); // by number
const things = new Map(); // cloths, colliders, grabs and attachments, by handle
let worldCount = 0;

function post(message, transfer = []) {
    port.postMessage(message, transfer);
}

/** Arrays of the engine's memory do not travel; copies do. */
function copied(value) {
    return ArrayBuffer.isView(value) ? new value.constructor(value) : value;
}

function describeCloth(cloth) {
    things.set(cloth.id, cloth);
    return { is: 'cloth', id: cloth.id, name: cloth.name, warnings: cloth.warnings, vertexCount: cloth.vertexCount,
        fabric: cloth.fabric, material: cloth.material, look: cloth.look, triangles: copied(cloth.triangles),
        uv: copied(cloth.uv), pattern: cloth.pattern && { uv: copied(cloth.pattern.uv), triangles: copied(cloth.pattern.triangles) } };
}
function describeCollider(collider) {
    things.set(collider.id, collider);
    return { is: 'collider', id: collider.id, kind: collider.kind, isDeforming: collider.isDeforming, pose: collider.pose };
}

/** What a call returned, as it travels. */
function told(value) {
    const kind = value?.constructor?.name;
    if (kind === 'Cloth') return describeCloth(value);
    if (kind === 'Collider') return describeCollider(value);
    if (kind === 'Grab' || kind === 'Attachment') {
        things.set(value.id, value);
        return { is: kind.toLowerCase(), id: value.id };
    }
    if (value?.weights && value.point) { // a hit
        return { ...value, is: 'hit', cloth: value.cloth?.id ?? null, collider: value.collider?.id ?? null };
    }
    return copied(value);
}

/** A world on this side: what is watched, and whether it goes on by itself. */
class Player {
    constructor(world, number) {
        this.world = world;
        this.number = number;
        this.what = { normals: true };
        this.speed = 0;
        this.last = 0;
        this.onTheirWay = 0;
        this.spare = [];
        this.error = null;
    }

    describe() {
        const cloths = this.world.cloths.map(describeCloth), colliders = this.world.colliders.map(describeCollider);
        return { is: 'world', number: this.number, cloths, colliders, frame: this.frame().message };
    }

    /** A copy of a view, in memory that came back where there is some. */
    copy(view, transfer) {
        const k = this.spare.findIndex((buffer) => buffer.byteLength === view.byteLength);
        const buffer = k >= 0 ? this.spare.splice(k, 1)[0] : new ArrayBuffer(view.byteLength);
        const copy = new view.constructor(buffer);
        copy.set(view);
        transfer.push(buffer);
        return copy;
    }

    frame() {
        const { world, what } = this, transfer = [];
        const cloths = world.cloths.map((cloth) => {
            const arrays = { id: cloth.id, positions: this.copy(cloth.positions, transfer) };
            for (const kind of ['normals', 'tangents', 'strain', 'touching', 'velocities']) {
                if (what[kind]) arrays[kind] = this.copy(cloth[kind], transfer);
            }
            return arrays;
        });
        const colliders = world.colliders.map((one) => ({ id: one.id, pose: one.pose, isDeforming: one.isDeforming }));
        const contacts = what.contacts ? world.contacts.map((contact) => ({ ...contact, cloth: contact.cloth.id,
            other: contact.other?.id ?? null, collider: contact.collider?.id ?? null })) : [];
        const lines = what.lines ? world.debugLines(what.lines) : null;
        const message = { is: 'frame', number: this.number, time: world.time, statistics: world.statistics, cloths,
            colliders, contacts, lines, error: this.error };
        return { message, transfer };
    }

    send() {
        const { message, transfer } = this.frame();
        ++this.onTheirWay;
        post(message, transfer);
    }

    /** Runs what may find that a cloth diverged: that is told with the frame, and the others go on. */
    run(body) {
        this.error = null;
        try {
            return body();
        } catch (error) {
            if (error.code !== 'diverged') throw error;
            this.error = { code: error.code, message: error.message };
            return null;
        }
    }

    play(speed) {
        const wasPlaying = this.speed > 0;
        this.speed = speed;
        this.last = performance.now();
        if (!wasPlaying && speed > 0) this.tick();
    }

    tick() {
        if (this.speed <= 0) return;
        const now = performance.now();
        try {
            const before = this.world.time;
            // After a pause of the whole tab there is no catching up.
            this.run(() => this.world.advance(Math.min(now - this.last, 100) / 1000 * this.speed, 2));
            if ((this.world.time !== before || this.error) && this.onTheirWay < MOST_FRAMES) this.send();
        } catch (error) {
            this.speed = 0;
            post({ is: 'broken', number: this.number, error: { code: error.code ?? 'internal', message: error.message } });
        }
        this.last = now;
        setTimeout(() => this.tick(), TICK_MS);
    }

    step(frames) {
        for (let k = 0; k < frames; ++k) this.run(() => this.world.step());
        return this.frame();
    }
}

const requests = {
    async load({ options }) {
        engine = await load(options);
        const { version, threaded, maxThreads, scenes, fabrics, solvers } = engine;
        return { version, threaded, maxThreads, scenes, fabrics, solvers };
    },
    engine: ({ method, args }) => {
        const value = engine[method](...args);
        if (method !== 'createWorld' && method !== 'loadScene') return value;
        const player = new Player(value, ++worldCount);
        worlds.set(player.number, player);
        return player.describe();
    },
    world: ({ number, method, args }) => told(playerOf(number).world[method](...args)),
    get: ({ number, key }) => playerOf(number).world[key],
    set: ({ number, key, value }) => { playerOf(number).world[key] = value; },
    thing: ({ id, method, args }) => {
        const value = told(thingOf(id)[method](...args));
        if (method === 'remove' || method === 'release') things.delete(id);
        return value;
    },
    look: ({ id, key }) => copied(thingOf(id)[key]),
    step: ({ number, frames }) => playerOf(number).step(frames),
    destroy: ({ number }) => {
        const player = playerOf(number);
        player.speed = 0;
        for (const one of [...player.world.cloths, ...player.world.colliders]) things.delete(one.id);
        player.world.destroy();
        worlds.delete(number);
    },
};
const notices = {
    play: ({ number, speed }) => worlds.get(number)?.play(speed),
    watch: ({ number, what }) => { const player = worlds.get(number); if (player) player.what = what; },
    seen({ number, buffers }) {
        const player = worlds.get(number);
        if (!player) return;
        player.onTheirWay = Math.max(0, player.onTheirWay - 1);
        player.spare = [...buffers, ...player.spare].slice(0, 32);
    },
};

function playerOf(number) {
    const player = worlds.get(number);
    if (!player) throw new SelvageError('handle', 'the world is gone');
    return player;
}
function thingOf(id) {
    const thing = things.get(id);
    if (!thing) throw new SelvageError('handle', 'the handle names nothing, or something that is gone');
    return thing;
}

async function answer(message) {
    if (notices[message.is]) return notices[message.is](message);
    try {
        const value = await requests[message.is](message);
        if (message.is === 'step') post({ is: 'answer', call: message.call, value: value.message }, value.transfer);
        else post({ is: 'answer', call: message.call, value });
    } catch (error) {
        post({ is: 'answer', call: message.call, error: { code: error.code ?? 'internal', message: error.message } });
    }
    return undefined;
}

if (isNode) port.on('message', answer);
else port.onmessage = (event) => answer(event.data);
post({ is: 'ready' });
