// Worlds of cloths and colliders.

import { Cloth } from './cloth.js';
import { Collider } from './collider.js';
import { argumentError, shown } from './errors.js';
import { MATERIAL_KEYS } from './looks.js';
import { checkKeys, integer, scalar, tuple } from './memory.js';

const QUALITIES = ['low', 'standard', 'high'];
const PHASES = ['begin', 'stay', 'end'];
const STATISTICS = ['frames', 'time', 'cloths', 'awakeCloths', 'islands', 'awakeIslands', 'vertices', 'triangles',
    'contacts', 'limited', 'frameMs', 'solverMs', 'contactMs', 'maxStretch', 'budgetLevel', 'lowestBudgetLevel',
    'droppedSeconds'];
const LINES = ['edges', 'pins', 'contacts', 'bounds', 'colliders', 'velocities'];
const CLOTH_KEYS = ['name', 'fabric', 'material', 'pins', 'selfCollision', 'contactDistance', 'velocity',
    'velocityDamping', 'position', 'rotation'];
const COLLIDER_KEYS = ['position', 'rotation', 'friction', 'thickness'];
const AIR_KEYS = ['density', 'drag', 'lift', 'wind', 'gust', 'gustLength', 'seed'];
const GRID = 1, DISC = 2, TUBE = 3;
const SPHERE = 0, BOX = 1, CAPSULE = 2, CYLINDER = 3, PLANE = 4, HEIGHT = 5, MESH = 6;
const UPRIGHT = [0, 0, 0, 1];

// A world that nobody holds any more is destroyed.
const forgotten = new FinalizationRegistry(({ module, handle }) => module._web_world_destroy(handle));

export class World {
    #heap;
    #module;

    constructor(engine, handle) {
        this.engine = engine;
        this.#heap = engine.heap;
        this.#module = engine.module;
        this.handle = handle;
        forgotten.register(this, { module: engine.module, handle }, this);
    }

    destroy() {
        this.#heap.check(this.#module._web_world_destroy(this.handle));
        forgotten.unregister(this);
    }

    // ------------------------------------------------------------------------------------------------------------ time

    step(frames = 1) {
        if (integer(frames, 'frames') < 0) throw argumentError(`frames: found ${frames}; expected 0 or more`);
        for (let k = 0; k < frames; ++k) this.#heap.check(this.#module._selvage_world_step(this.handle));
    }
    advance(seconds, maxSteps = 4) {
        this.#heap.check(this.#module._web_world_advance(this.handle, scalar(seconds, 'seconds'), integer(maxSteps, 'maxSteps'),
            this.#heap.numbersAt));
        const [steps, alpha, dropped] = this.#heap.numbers(0, 3);
        return { steps, alpha, dropped };
    }
    get time() {
        this.#heap.check(this.#module._selvage_world_time(this.handle, this.#heap.numbersAt));
        return this.#heap.number();
    }

    // ---------------------------------------------------------------------------------------------------- surroundings

    get gravity() {
        this.#heap.check(this.#module._selvage_world_gravity(this.handle, this.#heap.numbersAt));
        return this.#heap.numbers(0, 3);
    }
    set gravity(gravity) {
        const at = this.#heap.put(tuple(gravity, 3, 'gravity'));
        this.#heap.check(this.#module._selvage_world_set_gravity(this.handle, at));
    }
    get air() {
        this.#heap.check(this.#module._web_world_air(this.handle, this.#heap.numbersAt));
        const [density, drag, lift, x, y, z, gust, gustLength, seed] = this.#heap.numbers(0, 9);
        return { density, drag, lift, wind: [x, y, z], gust, gustLength, seed };
    }
    set air(air) {
        checkKeys(air, AIR_KEYS, 'air');
        const all = { density: 1.2, drag: 1.2, lift: 0.6, wind: [0, 0, 0], gust: 0, gustLength: 1, seed: 1, ...air };
        const at = this.#heap.put([scalar(all.density, 'density'), scalar(all.drag, 'drag'), scalar(all.lift, 'lift'),
            ...tuple(all.wind, 3, 'wind'), scalar(all.gust, 'gust'), scalar(all.gustLength, 'gustLength'),
            integer(all.seed, 'seed')]);
        this.#heap.check(this.#module._web_world_set_air(this.handle, at));
    }
    setWind(velocity) {
        const wind = tuple(velocity, 3, 'velocity'), air = this.air;
        this.air = air.density > 0 ? { ...air, wind } : { wind };
    }
    setSolver(solver, options = {}) {
        checkKeys(options, ['settings', 'quality', 'substeps'], 'options');
        const quality = QUALITIES.indexOf(options.quality ?? 'low');
        if (quality < 0) throw argumentError(`quality: found ${shown(options.quality)}; expected one of: ${QUALITIES.join(', ')}`);
        const settings = options.settings === undefined ? undefined : JSON.stringify(options.settings);
        this.#heap.with((arena) => this.#heap.check(this.#module._selvage_world_set_solver(this.handle,
            arena.text(solver, 'solver'), arena.text(settings, 'settings'), quality,
            integer(options.substeps ?? 0, 'substeps'))));
    }
    setBudget(ms) {
        this.#heap.check(this.#module._selvage_world_set_budget(this.handle, scalar(ms, 'ms')));
    }

    // ------------------------------------------------------------------------------------------------------ what is in

    get cloths() {
        return this.#handles('_selvage_world_cloths').map((handle) => new Cloth(this, handle));
    }
    get colliders() {
        return this.#handles('_selvage_world_colliders').map((handle) => new Collider(this, handle));
    }
    #handles(call) {
        const heap = this.#heap;
        heap.check(this.#module[call](this.handle, 0, 0, heap.rangeAt()));
        const [count] = heap.range();
        return heap.with((arena) => {
            const at = arena.bytes(8 * count);
            heap.check(this.#module[call](this.handle, at, count, heap.rangeAt()));
            return Array.from(heap.u64().subarray(at >> 3, (at >> 3) + count));
        });
    }
    cloth(name) {
        return this.#heap.with((arena) => {
            this.#heap.check(this.#module._selvage_world_find_cloth(this.handle, arena.text(name, 'name'), this.#heap.handlesAt));
            return new Cloth(this, this.#heap.handle());
        });
    }

    addCloth(mesh, options) {
        checkKeys(mesh, ['positions', 'triangles', 'restPositions', 'uv'], 'mesh');
        for (const key of ['positions', 'triangles']) {
            if (mesh?.[key] === undefined) throw argumentError(`mesh.${key}: found undefined; expected an array of numbers`);
        }
        const count = mesh.positions.length / 3;
        for (const [key, width] of [['restPositions', 3], ['uv', 2]]) {
            if (mesh[key] && mesh[key].length !== width * count) {
                throw argumentError(`mesh.${key}: found ${mesh[key].length} numbers; expected ${width * count}, ` +
                    `${width} for each of ${count} positions`);
            }
        }
        return this.#addCloth({ mesh, count }, options);
    }
    addClothFile(file, options) {
        if (typeof file !== 'string' || file === '') throw argumentError(`file: found ${shown(file)}; expected the name of a file`);
        return this.#addCloth({ file }, options);
    }
    addGrid(size, vertices, options) {
        return this.#addCloth({ generator: GRID, size: [...tuple(size, 2, 'size'), 0], resolution: tuple(vertices, 2, 'vertices') },
            options);
    }
    addDisc(radius, rings, options) {
        return this.#addCloth({ generator: DISC, size: [scalar(radius, 'radius'), 0, 0], resolution: [rings, 1] }, options);
    }
    addTube(radius, topRadius, height, vertices, options) {
        return this.#addCloth({ generator: TUBE, size: tuple([radius, topRadius, height], 3, 'size'),
            resolution: tuple(vertices, 2, 'vertices') }, options);
    }
    addClothJson(cloth) {
        const text = typeof cloth === 'string' ? cloth : JSON.stringify(cloth);
        return this.#heap.with((arena) => {
            this.#heap.check(this.#module._selvage_cloth_create_from_json(this.handle, arena.text(text, 'cloth'),
                arena.text('/', 'directory'), this.#heap.handlesAt));
            return new Cloth(this, this.#heap.handle());
        });
    }
    #addCloth({ mesh = {}, count = 0, file, generator = 0, size = [0, 0, 0], resolution = [0, 0] }, options = {}) {
        checkKeys(options, CLOTH_KEYS, 'options');
        const material = this.#material(options);
        const named = typeof options.pins === 'string', heap = this.#heap;
        return heap.with((arena) => {
            const texts = arena.integers([arena.text(options.name, 'name'), arena.text(file, 'file'),
                arena.text(options.fabric, 'fabric'), named ? arena.text(options.pins, 'pins') : 0], 1, 'texts');
            const pins = named ? undefined : options.pins;
            const at = [arena.numbers(mesh.positions, 3, 'mesh.positions'), arena.integers(mesh.triangles, 3, 'mesh.triangles'),
                arena.numbers(mesh.restPositions, 3, 'mesh.restPositions'), arena.numbers(mesh.uv, 2, 'mesh.uv'),
                arena.integers(pins, 1, 'pins')];
            heap.put([generator, ...size, ...resolution.map((one) => integer(one, 'vertices')),
                ...tuple(options.position ?? [0, 0, 0], 3, 'position'), ...tuple(options.rotation ?? UPRIGHT, 4, 'rotation'),
                (options.selfCollision ?? true) ? 1 : 0, scalar(options.contactDistance ?? 0, 'contactDistance'),
                ...tuple(options.velocity ?? [0, 0, 0], 3, 'velocity'),
                scalar(options.velocityDamping ?? 0, 'velocityDamping'), material ? 1 : 0, ...(material ?? [])]);
            heap.check(this.#module._web_cloth_create(this.handle, heap.numbersAt, at[0], count, at[1],
                (mesh.triangles?.length ?? 0) / 3, at[2], at[3], at[4], pins?.length ?? 0, texts, heap.handlesAt));
            return new Cloth(this, heap.handle());
        });
    }
    #material({ material, fabric = 'cotton-poplin' }) {
        if (material === undefined) return null;
        checkKeys(material, MATERIAL_KEYS, 'material');
        const whole = MATERIAL_KEYS.every((key) => material[key] !== undefined);
        const all = whole ? material : { ...this.engine.fabric(fabric), ...material };
        return MATERIAL_KEYS.map((key) => scalar(all[key], `material.${key}`));
    }

    addSphere(radius, options) {
        return this.#addCollider(SPHERE, [scalar(radius, 'radius'), 0, 0], options);
    }
    addBox(size, options) {
        return this.#addCollider(BOX, tuple(size, 3, 'size'), options);
    }
    addCapsule(radius, topRadius, height, options) {
        return this.#addCollider(CAPSULE, tuple([radius, topRadius, height], 3, 'size'), options);
    }
    addCylinder(radius, height, options) {
        return this.#addCollider(CYLINDER, tuple([radius, height, 0], 3, 'size'), options);
    }
    addPlane(options) {
        return this.#addCollider(PLANE, [0, 0, 0], options);
    }
    addHeights(size, vertices, heights, options) {
        const [rows, columns] = tuple(vertices, 2, 'vertices');
        if (heights?.length !== rows * columns) {
            throw argumentError(`heights: found ${shown(heights)}; expected ${rows * columns}, one for each vertex`);
        }
        return this.#addCollider(HEIGHT, [...tuple(size, 2, 'size'), 0], options, { heights, resolution: [rows, columns] });
    }
    addMesh(mesh, options) {
        checkKeys(mesh, ['positions', 'triangles'], 'mesh');
        for (const key of ['positions', 'triangles']) {
            if (mesh?.[key] === undefined) throw argumentError(`mesh.${key}: found undefined; expected an array of numbers`);
        }
        return this.#addCollider(MESH, [0, 0, 0], options, { mesh });
    }
    addMeshFile(file, options) {
        if (typeof file !== 'string' || file === '') throw argumentError(`file: found ${shown(file)}; expected the name of a file`);
        return this.#addCollider(MESH, [0, 0, 0], options, { file });
    }
    #addCollider(shape, size, options = {}, { mesh = {}, heights, resolution = [0, 0], file } = {}) {
        checkKeys(options, COLLIDER_KEYS, 'options');
        const heap = this.#heap;
        return heap.with((arena) => {
            const at = [arena.numbers(mesh.positions, 3, 'mesh.positions'), arena.integers(mesh.triangles, 3, 'mesh.triangles'),
                arena.numbers(heights, 1, 'heights'), arena.text(file, 'file')];
            heap.put([shape, ...size, ...resolution.map((one) => integer(one, 'vertices')),
                ...tuple(options.position ?? [0, 0, 0], 3, 'position'), ...tuple(options.rotation ?? UPRIGHT, 4, 'rotation'),
                scalar(options.friction ?? 0.4, 'friction'), scalar(options.thickness ?? 0.002, 'thickness')]);
            heap.check(this.#module._web_collider_create(this.handle, heap.numbersAt, at[0], (mesh.positions?.length ?? 0) / 3,
                at[1], (mesh.triangles?.length ?? 0) / 3, at[2], at[3], heap.handlesAt));
            return new Collider(this, heap.handle());
        });
    }

    // --------------------------------------------------------------------------------------------------------- queries

    get statistics() {
        this.#heap.check(this.#module._web_world_statistics(this.handle, this.#heap.numbersAt));
        const numbers = this.#heap.numbers(0, STATISTICS.length);
        return Object.fromEntries(STATISTICS.map((key, k) => [key, numbers[k]]));
    }
    get hash() {
        this.#heap.check(this.#module._selvage_world_state_hash(this.handle, this.#heap.handlesAt));
        return this.#heap.handle().toString(16).padStart(16, '0');
    }
    raycast(origin, direction, options = {}) {
        checkKeys(options, ['maxDistance', 'cloths', 'colliders'], 'options');
        const heap = this.#heap;
        const flags = ((options.cloths ?? true) ? 1 : 0) | ((options.colliders ?? true) ? 2 : 0);
        const ray = heap.put([...tuple(origin, 3, 'origin'), ...tuple(direction, 3, 'direction'),
            scalar(options.maxDistance ?? 1e6, 'maxDistance')], 16);
        heap.check(this.#module._web_world_raycast(this.handle, ray, flags, heap.numbersAt, heap.handlesAt));
        const [found, triangle, ...rest] = heap.numbers(0, 9);
        if (!found) return null;
        const cloth = heap.handle(0), collider = heap.handle(1);
        return { cloth: cloth ? new Cloth(this, cloth) : null, collider: collider ? new Collider(this, collider) : null,
            triangle, weights: rest.slice(0, 3), point: rest.slice(3, 6), distance: rest[6] };
    }
    get contacts() {
        const heap = this.#heap;
        heap.check(this.#module._selvage_world_contact_events(this.handle, heap.rangeAt(), heap.rangeAt() + 4));
        const [, count] = heap.range();
        return Array.from({ length: count }, (_, k) => {
            heap.check(this.#module._web_world_contact(this.handle, k, heap.numbersAt, heap.handlesAt));
            const [phase, points, ...rest] = heap.numbers(0, 8);
            const [cloth, other, collider] = [0, 1, 2].map((index) => heap.handle(index));
            return { phase: PHASES[phase], cloth: new Cloth(this, cloth), other: other ? new Cloth(this, other) : null,
                collider: collider ? new Collider(this, collider) : null, points, point: rest.slice(0, 3),
                normal: rest.slice(3, 6) };
        });
    }
    debugLines(kinds) {
        checkKeys(kinds, LINES, 'kinds');
        const flags = LINES.reduce((sum, kind, k) => sum | (kinds?.[kind] ? 1 << k : 0), 0);
        this.#heap.check(this.#module._web_world_debug_lines(this.handle, flags, this.#heap.rangeAt()));
        const [address, count] = this.#heap.range();
        const floats = this.#heap.f32(), words = this.#heap.u32();
        const positions = new Float32Array(6 * count), colors = new Float32Array(6 * count);
        for (let k = 0, at = address >> 2; k < count; ++k, at += 7) {
            positions.set(floats.subarray(at, at + 6), 6 * k);
            for (let part = 0; part < 3; ++part) {
                const display = ((words[at + 6] >> (16 - 8 * part)) & 255) / 255;
                colors[6 * k + part] = colors[6 * k + 3 + part] = display ** 2.2; // to linear light, closely enough for lines
            }
        }
        return { count, positions, colors };
    }

    snapshot() {
        const heap = this.#heap;
        heap.check(this.#module._selvage_world_snapshot_size(this.handle, heap.rangeAt()));
        const [size] = heap.range();
        return heap.with((arena) => {
            const at = arena.bytes(size);
            heap.check(this.#module._selvage_world_snapshot(this.handle, at, size, heap.rangeAt()));
            return new Uint8Array(heap.u8().slice(at, at + size));
        });
    }
    restore(snapshot) {
        if (!(snapshot instanceof Uint8Array)) throw argumentError(`snapshot: found ${shown(snapshot)}; expected a Uint8Array`);
        this.#heap.with((arena) => this.#heap.check(
            this.#module._selvage_world_restore(this.handle, arena.raw(snapshot), snapshot.length)));
    }
}
