// Loading the engine, and what it has built in.

import { argumentError, SelvageError, shown } from './errors.js';
import { coreCount, features, isNode } from './features.js';
import { LOOK_KEYS, LOOK_NUMBERS, lookOf } from './looks.js';
import { checkKeys, integer, Memory, scalar, tuple } from './memory.js';
import { World } from './world.js';

const FURNACE_STEPS = 16;
const QUALITIES = ['low', 'standard', 'high'];
const RUN_KEYS = ['threads', 'sleeping', 'sleepDistance', 'sleepTime', 'budgetMs'];
const WORLD_KEYS = [...RUN_KEYS, 'gravity', 'timeStep', 'solver', 'settings', 'quality', 'substeps', 'velocityDamping'];
const MOST_MEMORY = 32768; // pages of 64 KiB: 2 GiB, as the engine is linked
const FIRST_MEMORY = 1024; // likewise, of the build with threads

export async function load(options = {}) {
    checkKeys(options, ['threads', 'pool', 'base'], 'options');
    const can = features();
    if (can.missing) throw new SelvageError('internal', `Selvage cannot run: ${can.missing}`);
    if (options.threads && !can.threads) throw new SelvageError('argument', `threads: true was asked for, but ${can.noThreads}`);
    const threaded = options.threads ?? can.threads;
    const name = threaded ? 'selvage-threads' : 'selvage';
    // Written out, so that bundlers see both files.
    const file = options.base ? new URL(`${name}.wasm`, new URL(options.base, pageUrl()))
        : threaded ? new URL('../wasm/selvage-threads.wasm', import.meta.url)
            : new URL('../wasm/selvage.wasm', import.meta.url);
    const script = new URL(`${name}.mjs`, file);
    const [compiled, loader] = await Promise.all([compile(file),
        import(/* @vite-ignore */ /* webpackIgnore: true */ script.href)]);
    return new Engine(await start(compiled, loader.default, script, threaded, options));
}

function pageUrl() {
    return globalThis.location?.href ?? import.meta.url;
}

async function compile(url) {
    if (isNode && url.protocol === 'file:') {
        const fs = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:' + 'fs/promises');
        return WebAssembly.compile(await fs.readFile(url));
    }
    const response = await fetch(url);
    if (!response.ok) throw new SelvageError('file', `${url}: found ${response.status} ${response.statusText}; expected the engine`);
    // Servers that do not know the type are no reason to fail.
    if (response.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(response);
    return WebAssembly.compile(await response.arrayBuffer());
}

/** A browser that has no room for the engine's first memory says so by a RangeError. */
function cannotStart(error) {
    return new SelvageError(error instanceof RangeError ? 'memory' : 'internal', `the engine could not start: ${error.message}`);
}

function makeMemory() {
    try {
        return new WebAssembly.Memory({ initial: FIRST_MEMORY, maximum: MOST_MEMORY, shared: true });
    } catch (error) {
        throw cannotStart(error);
    }
}

async function start(compiled, makeModule, script, threaded, options) {
    let memory = null, abort = '', fail = null;
    const failure = new Promise((_, reject) => { fail = reject; });
    const settings = {
        instantiateWasm(imports, receive) {
            WebAssembly.instantiate(compiled, imports).then((instance) => {
                memory ??= Object.values(instance.exports).find((one) => one instanceof WebAssembly.Memory);
                receive(instance, compiled);
            }).catch((error) => fail(cannotStart(error)));
            return {};
        },
        locateFile: (file) => isNode ? nodePath(new URL(file, script)) : new URL(file, script).href,
        printErr: (text) => console.error(text),
        onAbort: (what) => { abort = String(what); },
    };
    let threads = 1;
    if (threaded) {
        const most = options.pool === undefined ? Math.min(7, Math.max(1, await coreCount() - 1))
            : integer(options.pool, 'pool');
        if (most < 1 || most > 63) throw argumentError(`pool: found ${most}; expected 1 to 63`);
        memory = makeMemory();
        Object.assign(settings, { pool: most, wasmMemory: memory });
        threads = most + 1;
    }
    const module = await Promise.race([makeModule(settings), failure]);
    if (abort) throw new SelvageError('internal', `the engine did not start: ${abort}`);
    const heap = new Memory(module, memory);
    if (threaded) {
        heap.check(module._web_start_threads(threads));
        // They wait for work without an end; that is no reason for Node to stay.
        for (const worker of [...module.PThread.runningWorkers, ...module.PThread.unusedWorkers]) worker.unref?.();
    }
    return { heap, module, threaded, threads };
}

function nodePath(url) {
    return decodeURIComponent(url.pathname).replace(/^\/([A-Za-z]:)/, '$1');
}

function applyPointer(scene, pointer, value) {
    const keys = pointer.split('/').slice(1).map((key) => key.replace(/~1/g, '/').replace(/~0/g, '~'));
    if (!pointer.startsWith('/') || keys.length === 0) {
        throw argumentError(`set: found ${shown(pointer)}; expected a JSON pointer such as "/dt"`);
    }
    let place = scene;
    for (const key of keys.slice(0, -1)) {
        if (place[key] === undefined) place[key] = {};
        place = place[key];
        if (place === null || typeof place !== 'object') {
            throw argumentError(`set: found ${shown(pointer)}, which leads through a value that holds nothing`);
        }
    }
    place[keys.at(-1)] = value;
}

export class Engine {
    #heap;
    #module;

    constructor({ heap, module, threaded, threads }) {
        this.#heap = heap;
        this.#module = module;
        this.threaded = threaded;
        this.maxThreads = threads;
        this.version = heap.text(module._selvage_version());
        this.fabrics = Array.from({ length: module._selvage_fabric_count() },
            (_, k) => heap.text(module._selvage_fabric_name(k)));
        this.solvers = Array.from({ length: module._selvage_solver_count() }, (_, k) => ({
            name: heap.text(module._selvage_solver_name(k)), summary: heap.text(module._selvage_solver_summary(k)) }));
        this.scenes = Array.from({ length: module._web_scene_count() }, (_, k) => {
            const name = heap.text(module._web_scene_name(k));
            return { name, description: this.scene(name).description ?? '' };
        });
    }

    /** For the other files of this package. */
    get heap() { return this.#heap; }
    get module() { return this.#module; }
    get memoryBytes() { return this.#heap.bytes; }

    sceneText(name) {
        return this.#builtinText('_web_scene_text', name);
    }
    scene(name) {
        return JSON.parse(this.sceneText(name));
    }
    fabric(name) {
        return JSON.parse(this.#builtinText('_web_fabric_text', name));
    }
    #builtinText(call, name) {
        return this.#heap.with((arena) => {
            if (typeof name !== 'string') throw argumentError(`name: found ${shown(name)}; expected a text`);
            this.#heap.check(this.#module[call](arena.text(name, 'name'), this.#heap.rangeAt()));
            return this.#heap.rangeText();
        });
    }

    prepareLook(look) {
        if (typeof look === 'string') return this.#prepare(look);
        checkKeys(look, LOOK_KEYS, 'look');
        const path = '/selvage-look.json'; // read by the code that reads fabric files, with its complaints
        this.writeFile(path, JSON.stringify({ ...this.fabric('cotton-poplin'), look }));
        try {
            return this.#prepare(path);
        } finally {
            this.removeFile(path);
        }
    }
    #prepare(fabric) {
        const heap = this.#heap;
        return heap.with((arena) => {
            heap.check(this.#module._web_prepare_look(arena.text(fabric, 'look'), heap.numbersAt, heap.rangeAt()));
            const numbers = heap.numbers(0, LOOK_NUMBERS + 4 + 17 * FURNACE_STEPS + 19);
            const look = lookOf(numbers, heap.text(heap.range()[0]));
            let at = LOOK_NUMBERS;
            const take = (count) => new Float32Array(numbers.slice(at, at += count));
            return { look, slopeVariance: take(4), furnace: take(8 * FURNACE_STEPS), sheen: take(FURNACE_STEPS),
                missing: take(8 * FURNACE_STEPS), missingMean: take(6), bounces: take(6), bouncesThrough: take(3),
                passage: take(4) };
        });
    }

    createWorld(options = {}) {
        checkKeys(options, WORLD_KEYS, 'options');
        const quality = QUALITIES.indexOf(options.quality ?? 'low');
        if (quality < 0) throw argumentError(`quality: found ${shown(options.quality)}; expected one of: ${QUALITIES.join(', ')}`);
        const settings = options.settings === undefined ? undefined : JSON.stringify(options.settings);
        const heap = this.#heap;
        return heap.with((arena) => {
            heap.put([...this.#running(options, true), ...tuple(options.gravity ?? [0, -9.81, 0], 3, 'gravity'),
                scalar(options.timeStep ?? 1 / 60, 'timeStep'), quality, integer(options.substeps ?? 0, 'substeps'),
                scalar(options.velocityDamping ?? 0, 'velocityDamping')]);
            heap.check(this.#module._web_world_create(heap.numbersAt, arena.text(options.solver, 'solver'),
                arena.text(settings, 'settings'), heap.handlesAt));
            return new World(this, heap.handle());
        });
    }

    loadScene(scene, options = {}) {
        checkKeys(options, [...RUN_KEYS, 'set'], 'options');
        const set = options.set ?? {};
        if (scene === null || !['string', 'object'].includes(typeof scene)) {
            throw argumentError(`scene: found ${shown(scene)}; expected a name, a text or an object`);
        }
        let overrides = '', text = scene;
        if (typeof scene === 'object' || (/^\s*\{/.test(scene) && Object.keys(set).length > 0)) {
            let changed;
            try {
                changed = typeof scene === 'object' ? JSON.parse(JSON.stringify(scene)) : JSON.parse(scene);
            } catch (error) {
                throw new SelvageError('data', `the scene is no JSON: ${error.message}`);
            }
            for (const [pointer, value] of Object.entries(set)) applyPointer(changed, pointer, value);
            text = JSON.stringify(changed);
        } else {
            overrides = Object.entries(set).map(([pointer, value]) => `${pointer}=${JSON.stringify(value)}`).join('\n');
        }
        const heap = this.#heap;
        return heap.with((arena) => {
            heap.put(this.#running(options, false));
            heap.check(this.#module._web_world_load(arena.text(text.replace(/^\s+(?=\{)/, ''), 'scene'),
                arena.text(overrides, 'set'), heap.numbersAt, heap.handlesAt));
            return new World(this, heap.handle());
        });
    }

    #running(options, sleeping) {
        const threads = integer(options.threads ?? 0, 'threads');
        if (threads < 0) throw argumentError(`threads: found ${threads}; expected 0 (all there are) or more`);
        return [threads, (options.sleeping ?? sleeping) ? 1 : 0, scalar(options.sleepDistance ?? 0.001, 'sleepDistance'),
            scalar(options.sleepTime ?? 1, 'sleepTime'), scalar(options.budgetMs ?? 0, 'budgetMs')];
    }

    writeFile(path, contents) {
        const parts = this.#pathParts(path);
        if (typeof contents !== 'string' && !(contents instanceof Uint8Array)) {
            throw argumentError(`contents: found ${shown(contents)}; expected a text or a Uint8Array`);
        }
        const fs = this.#module.FS;
        let folder = '';
        try {
            for (const part of parts.slice(0, -1)) {
                folder += `/${part}`;
                if (!fs.analyzePath(folder).exists) fs.mkdir(folder);
            }
            fs.writeFile(`/${parts.join('/')}`, contents);
        } catch (error) {
            throw new SelvageError('file', `${path}: cannot be written (${error.message || error})`);
        }
    }
    removeFile(path) {
        try {
            this.#module.FS.unlink(`/${this.#pathParts(path).join('/')}`);
        } catch {
            throw new SelvageError('file', `${path}: cannot be removed; there is no such file`);
        }
    }
    #pathParts(path) {
        const parts = typeof path === 'string' ? path.split('/').filter((part) => part !== '' && part !== '.') : [];
        if (parts.length === 0 || parts.includes('..')) throw argumentError(`path: found ${shown(path)}; expected the name of a file`);
        return parts;
    }
}
