// The engine in a Worker, seen from outside. worker.js is the other side.

import { SelvageError } from './errors.js';
import { features, isNode } from './features.js';
import { checkKeys } from './memory.js';

const WORLD_METHODS = ['advance', 'setWind', 'setSolver', 'setBudget', 'raycast', 'snapshot', 'restore'];
const ADDING_METHODS = ['addCloth', 'addClothFile', 'addGrid', 'addDisc', 'addTube', 'addClothJson', 'addSphere', 'addBox',
    'addCapsule', 'addCylinder', 'addPlane', 'addHeights', 'addMesh', 'addMeshFile'];
const CLOTH_METHODS = ['group', 'setState', 'teleport', 'reset', 'pin', 'movePins', 'unpin', 'wake', 'sleep'];
const ENGINE_METHODS = ['sceneText', 'scene', 'fabric', 'prepareLook', 'writeFile', 'removeFile'];
const FRAME_ARRAYS = ['positions', 'normals', 'tangents', 'strain', 'touching', 'velocities'];

/** Questions and answers. */
class Line {
    constructor(worker) {
        this.worker = worker;
        this.calls = new Map();
        this.count = 0;
        this.worlds = new Map();
        this.ready = new Promise((resolve, reject) => { this.onready = resolve; this.onfailure = reject; });
        const failed = (event) => this.fail(new SelvageError('internal', `the worker failed: ${event?.message ?? event}`));
        if (isNode) {
            worker.on('message', (message) => this.receive(message));
            worker.on('error', failed);
        } else {
            worker.onmessage = (event) => this.receive(event.data);
            worker.onerror = failed;
        }
    }

    ask(message, transfer = []) {
        if (this.broken) return Promise.reject(this.broken);
        const call = ++this.count;
        const answer = new Promise((resolve, reject) => this.calls.set(call, { resolve, reject }));
        this.tell({ ...message, call }, transfer);
        return answer;
    }
    tell(message, transfer = []) {
        this.worker.postMessage(message, transfer);
    }
    receive(message) {
        if (message.is === 'ready') return this.onready();
        if (message.is === 'frame') return this.worlds.get(message.number)?.take(message, true);
        if (message.is === 'broken') return this.worlds.get(message.number)?.stop(errorOf(message.error));
        const call = this.calls.get(message.call);
        this.calls.delete(message.call);
        if (message.error) call.reject(errorOf(message.error));
        else call.resolve(message.value);
        return undefined;
    }
    fail(error) {
        this.broken = error;
        this.onfailure(error);
        for (const call of this.calls.values()) call.reject(error);
        this.calls.clear();
    }
}

function errorOf({ code, message }) {
    return new SelvageError(code, message);
}

async function startWorker() {
    const url = new URL('./worker.js', import.meta.url);
    if (!isNode) return new Worker(new URL('./worker.js', import.meta.url), { type: 'module', name: 'selvage' });
    const threads = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:' + 'worker_threads');
    return new threads.Worker(url);
}

export async function loadWorker(options = {}) {
    checkKeys(options, ['threads', 'pool', 'base'], 'options');
    const can = features();
    if (can.missing) throw new SelvageError('internal', `Selvage cannot run: ${can.missing}`);
    const line = new Line(await startWorker());
    await line.ready;
    const base = options.base && new URL(options.base, globalThis.location?.href ?? import.meta.url).href;
    try {
        return new RemoteEngine(line, await line.ask({ is: 'load', options: base ? { ...options, base } : options }));
    } catch (error) {
        line.worker.terminate();
        throw error;
    }
}

class RemoteEngine {
    #line;
    constructor(line, what) {
        this.#line = line;
        Object.assign(this, what);
    }
    #ask(method, args) {
        return this.#line.ask({ is: 'engine', method, args });
    }
    static {
        for (const method of ENGINE_METHODS) {
            RemoteEngine.prototype[method] = function(...args) { return this.#ask(method, args); };
        }
    }
    async createWorld(options) {
        return new RemoteWorld(this, this.#line, await this.#ask('createWorld', [options]));
    }
    async loadScene(scene, options) {
        return new RemoteWorld(this, this.#line, await this.#ask('loadScene', [scene, options]));
    }
    terminate() {
        this.#line.fail(new SelvageError('handle', 'the worker was ended'));
        return this.#line.worker.terminate();
    }
}

/** A thing in a world. */
class RemoteThing {
    constructor(world, line, what) {
        this.world = world;
        this.line = line;
        const { is, ...rest } = what;
        Object.assign(this, rest);
        Object.defineProperty(this, 'line', { enumerable: false });
        Object.defineProperty(this, 'world', { enumerable: false });
    }
    ask(method, args) {
        return this.line.ask({ is: 'thing', id: this.id, method, args });
    }
}

function addMethods(Type, methods) {
    for (const method of methods) {
        Type.prototype[method] = function(...args) { return this.ask(method, args); };
    }
}

class RemoteGrab extends RemoteThing {}
addMethods(RemoteGrab, ['move', 'release']);
class RemoteAttachment extends RemoteThing {}
addMethods(RemoteAttachment, ['move', 'remove']);

class RemoteCloth extends RemoteThing {
    positions = null;
    normals = null;
    tangents = null;
    strain = null;
    touching = null;
    velocities = null;
    getHeld() {
        return this.line.ask({ is: 'look', id: this.id, key: 'held' });
    }
    async grab(...args) {
        return new RemoteGrab(this.world, this.line, await this.ask('grab', args));
    }
    async attach(...args) {
        return new RemoteAttachment(this.world, this.line, await this.ask('attach', args));
    }
    async remove() {
        await this.ask('remove', []);
        this.world.cloths = this.world.cloths.filter((one) => one !== this);
    }
}
addMethods(RemoteCloth, CLOTH_METHODS);

class RemoteCollider extends RemoteThing {
    async remove() {
        await this.ask('remove', []);
        this.world.colliders = this.world.colliders.filter((one) => one !== this);
    }
}
addMethods(RemoteCollider, ['surface', 'move', 'teleport', 'setVertices']);

class RemoteWorld {
    #line;
    #number;
    #lastBuffers = [];
    onframe = null;
    playing = false;

    constructor(engine, line, what) {
        this.engine = engine;
        this.#line = line;
        this.#number = what.number;
        this.cloths = what.cloths.map((one) => new RemoteCloth(this, line, one));
        this.colliders = what.colliders.map((one) => new RemoteCollider(this, line, one));
        line.worlds.set(this.#number, this);
        this.take(what.frame, false);
    }

    /** A frame has arrived; `counted` are those that the worker sends by itself. */
    take(message, counted) {
        const cloths = new Map(this.cloths.map((one) => [one.id, one]));
        const colliders = new Map(this.colliders.map((one) => [one.id, one]));
        const buffers = [];
        for (const { id, ...arrays } of message.cloths) {
            const cloth = cloths.get(id);
            for (const kind of FRAME_ARRAYS) {
                if (arrays[kind]) buffers.push(arrays[kind].buffer);
                if (cloth) cloth[kind] = arrays[kind] ?? null;
            }
        }
        for (const { id, pose, isDeforming } of message.colliders) {
            const collider = colliders.get(id);
            if (collider) Object.assign(collider, { pose, isDeforming });
        }
        const contacts = message.contacts.map((contact) => ({ ...contact, cloth: cloths.get(contact.cloth),
            other: cloths.get(contact.other) ?? null, collider: colliders.get(contact.collider) ?? null }));
        this.time = message.time;
        this.frame = { time: message.time, statistics: message.statistics, contacts, lines: message.lines,
            error: message.error && errorOf(message.error) };
        // What the frame before this one came in goes back.
        if (counted) this.#line.tell({ is: 'seen', number: this.#number, buffers: this.#lastBuffers }, this.#lastBuffers);
        this.#lastBuffers = buffers;
        this.onframe?.(this.frame);
        return this.frame;
    }
    stop(error) {
        this.playing = false;
        this.frame = { ...this.frame, error };
        this.onframe?.(this.frame);
    }

    ask(method, args) {
        return this.#line.ask({ is: 'world', number: this.#number, method, args });
    }
    async add(method, args) {
        const what = await this.ask(method, args);
        const is = what.is;
        const thing = is === 'cloth' ? new RemoteCloth(this, this.#line, what) : new RemoteCollider(this, this.#line, what);
        if (is === 'cloth') this.cloths = [...this.cloths, thing];
        else this.colliders = [...this.colliders, thing];
        await this.step(0); // its arrays
        return thing;
    }
    async raycast(...args) {
        const hit = await this.ask('raycast', args);
        if (!hit) return null;
        const { is, ...rest } = hit;
        return { ...rest, cloth: this.cloths.find((one) => one.id === hit.cloth) ?? null,
            collider: this.colliders.find((one) => one.id === hit.collider) ?? null };
    }
    async step(frames = 1) {
        const message = await this.#line.ask({ is: 'step', number: this.#number, frames });
        const frame = this.take(message, false);
        if (frame.error) throw frame.error;
        return frame;
    }
    play(speed = 1) {
        this.playing = speed > 0;
        this.#line.tell({ is: 'play', number: this.#number, speed });
    }
    pause() {
        this.play(0);
    }
    watch(what) {
        this.#line.tell({ is: 'watch', number: this.#number, what: { normals: true, ...what } });
    }
    #get(key) {
        return this.#line.ask({ is: 'get', number: this.#number, key });
    }
    #set(key, value) {
        return this.#line.ask({ is: 'set', number: this.#number, key, value });
    }
    getAir() { return this.#get('air'); }
    getGravity() { return this.#get('gravity'); }
    getHash() { return this.#get('hash'); }
    setGravity(gravity) { return this.#set('gravity', Array.from(gravity)); }
    async setAir(air) { return this.#set('air', { ...await this.getAir(), ...air }); }
    cloth(name) {
        const found = this.cloths.find((one) => one.name === name);
        if (!found) throw new SelvageError('argument', `no cloth is named "${name}"`);
        return found;
    }
    async destroy() {
        await this.#line.ask({ is: 'destroy', number: this.#number });
        this.#line.worlds.delete(this.#number);
        this.playing = false;
    }
}
addMethods(RemoteWorld, WORLD_METHODS.filter((method) => method !== 'raycast'));
for (const method of ADDING_METHODS) {
    RemoteWorld.prototype[method] = function(...args) { return this.add(method, args); };
}
