// Cloths, and what holds them.

import { argumentError } from './errors.js';
import { LOOK_NUMBERS, lookOf, materialOf } from './looks.js';
import { integer, tuple } from './memory.js';

const UPRIGHT = [0, 0, 0, 1];
const THIRDS = [1 / 3, 1 / 3, 1 / 3];

export class Cloth {
    #heap;
    #module;
    #views = {};

    constructor(world, handle) {
        this.world = world;
        this.id = handle;
        this.#heap = world.engine.heap;
        this.#module = world.engine.module;
    }

    // ---------------------------------------------------------------------------------------------------- what it is

    get name() {
        this.#heap.check(this.#module._selvage_cloth_name(this.id, this.#heap.rangeAt()));
        return this.#heap.text(this.#heap.range()[0]);
    }
    get warnings() {
        this.#heap.check(this.#module._selvage_cloth_warnings(this.id, this.#heap.rangeAt()));
        return this.#heap.text(this.#heap.range()[0]);
    }
    get fabric() { return this.#fabric().name; }
    get material() { return this.#fabric().material; }
    get look() { return this.#fabric().look; }
    #fabric() {
        const heap = this.#heap;
        heap.check(this.#module._web_cloth_fabric(this.id, heap.numbersAt, heap.rangeAt(), heap.rangeAt() + 4));
        const numbers = heap.numbers(0, 10 + LOOK_NUMBERS), [name, print] = heap.range();
        return { name: heap.text(name), material: materialOf(numbers), look: lookOf(numbers.slice(10), heap.text(print)) };
    }
    get bounds() {
        const heap = this.#heap;
        heap.check(this.#module._selvage_cloth_bounds(this.id, heap.numbersAt, heap.numbersAt + 24));
        return { low: heap.numbers(0, 3), high: heap.numbers(3, 3) };
    }
    get isAwake() {
        this.#heap.check(this.#module._selvage_cloth_is_awake(this.id, this.#heap.rangeAt()));
        return this.#heap.range()[0] !== 0;
    }

    // -------------------------------------------------------------------------------------------------------- arrays

    /** Of a call that gives an address and a count of `width` numbers each. */
    #given(kind, call, Type, width) {
        const heap = this.#heap;
        heap.check(this.#module[call](this.id, heap.rangeAt(), heap.rangeAt() + 4));
        const [address, count] = heap.range();
        return heap.view(this.#views, kind, Type, address, width * count);
    }
    /** Of a call that gives a range of numbers. */
    #made(kind, call, Type) {
        const heap = this.#heap;
        heap.check(this.#module[call](this.id, heap.rangeAt()));
        const [address, count] = heap.range();
        return heap.view(this.#views, kind, Type, address, count);
    }
    get positions() { return this.#given('positions', '_selvage_cloth_positions_f', Float32Array, 3); }
    get velocities() { return this.#given('velocities', '_selvage_cloth_velocities_f', Float32Array, 3); }
    get normals() { return this.#given('normals', '_selvage_cloth_normals_f', Float32Array, 3); }
    get exactPositions() { return this.#given('exactPositions', '_selvage_cloth_positions', Float64Array, 3); }
    get triangles() { return this.#given('triangles', '_selvage_cloth_triangles', Int32Array, 3); }
    get vertexCount() { return this.exactPositions.length / 3; }
    get tangents() { return this.#made('tangents', '_web_cloth_tangents', Float32Array); }
    get strain() { return this.#made('strain', '_web_cloth_strain', Float32Array); }
    get touching() { return this.#made('touching', '_web_cloth_touching', Uint8Array); }
    get held() { return this.#made('held', '_web_cloth_held', Int32Array); }
    get uv() {
        const uv = this.#made('uv', '_web_cloth_vertex_uv', Float32Array);
        return uv.length > 0 ? uv : null;
    }
    get pattern() {
        const heap = this.#heap;
        heap.check(this.#module._selvage_cloth_uv(this.id, heap.rangeAt(), heap.rangeAt() + 4, heap.rangeAt(1)));
        const [address, count] = heap.range(), [triangles] = heap.range(1);
        if (address === 0 || count === 0) return null;
        return { uv: heap.view(this.#views, 'pattern', Float64Array, address, 2 * count),
            triangles: heap.view(this.#views, 'corners', Int32Array, triangles, this.triangles.length) };
    }
    group(name) {
        const heap = this.#heap;
        return heap.with((arena) => {
            heap.check(this.#module._selvage_cloth_group(this.id, arena.text(name, 'name'), heap.rangeAt(), heap.rangeAt() + 4));
            const [address, count] = heap.range();
            return heap.view(this.#views, 'group', Int32Array, address, count);
        });
    }

    // ------------------------------------------------------------------------------------------------------- changes

    setState(positions, velocities) {
        if (velocities && velocities.length !== positions?.length) {
            throw argumentError(`velocities: found ${velocities.length} numbers; expected ${positions?.length}, as many as positions`);
        }
        this.#heap.with((arena) => this.#heap.check(this.#module._selvage_cloth_set_state(this.id,
            arena.numbers(positions ?? [], 3, 'positions'), arena.numbers(velocities, 3, 'velocities'),
            (positions?.length ?? 0) / 3)));
    }
    teleport(translation, rotation = UPRIGHT, stop = false) {
        const at = this.#heap.put([...tuple(rotation, 4, 'rotation'), ...tuple(translation, 3, 'translation')]);
        this.#heap.check(this.#module._selvage_cloth_teleport(this.id, at, at + 32, stop ? 1 : 0));
    }
    reset() { this.#heap.check(this.#module._selvage_cloth_reset(this.id)); }
    pin(vertices) {
        this.#heap.with((arena) => this.#heap.check(this.#module._selvage_cloth_pin(this.id,
            arena.integers(vertices ?? [], 1, 'vertices'), vertices?.length ?? 0)));
    }
    movePins(vertices, targets) {
        if (targets?.length !== 3 * vertices?.length) {
            throw argumentError(`targets: found ${targets?.length} numbers; expected 3 for each of ${vertices?.length} vertices`);
        }
        this.#heap.with((arena) => this.#heap.check(this.#module._selvage_cloth_move_pins(this.id,
            arena.integers(vertices, 1, 'vertices'), arena.numbers(targets, 3, 'targets'), vertices.length)));
    }
    unpin(vertices) {
        this.#heap.with((arena) => this.#heap.check(this.#module._selvage_cloth_unpin(this.id,
            arena.integers(vertices, 1, 'vertices'), vertices?.length ?? 0)));
    }
    attach(vertices, position, rotation = UPRIGHT) {
        const heap = this.#heap;
        return heap.with((arena) => {
            const list = arena.integers(vertices ?? [], 1, 'vertices');
            const at = heap.put([...tuple(position, 3, 'position'), ...tuple(rotation, 4, 'rotation')]);
            heap.check(this.#module._selvage_cloth_attach(this.id, list, vertices?.length ?? 0, at, at + 24, heap.handlesAt));
            return new Attachment(this, heap.handle());
        });
    }
    grab(triangle, weights = THIRDS) {
        const heap = this.#heap, at = heap.put(tuple(weights, 3, 'weights'));
        heap.check(this.#module._selvage_cloth_grab(this.id, integer(triangle, 'triangle'), at, heap.handlesAt));
        return new Grab(this, heap.handle());
    }
    wake() { this.#heap.check(this.#module._selvage_cloth_wake(this.id)); }
    sleep() { this.#heap.check(this.#module._selvage_cloth_sleep(this.id)); }
    remove() { this.#heap.check(this.#module._web_cloth_destroy(this.id)); }
}

export class Attachment {
    #heap;
    #module;
    constructor(cloth, handle) {
        this.cloth = cloth;
        this.id = handle;
        this.#heap = cloth.world.engine.heap;
        this.#module = cloth.world.engine.module;
    }
    move(position, rotation = UPRIGHT) {
        const at = this.#heap.put([...tuple(position, 3, 'position'), ...tuple(rotation, 4, 'rotation')]);
        this.#heap.check(this.#module._selvage_attachment_move(this.id, at, at + 24));
    }
    remove() { this.#heap.check(this.#module._selvage_attachment_destroy(this.id)); }
}

export class Grab {
    #heap;
    #module;
    constructor(cloth, handle) {
        this.cloth = cloth;
        this.id = handle;
        this.#heap = cloth.world.engine.heap;
        this.#module = cloth.world.engine.module;
    }
    get position() {
        this.#heap.check(this.#module._selvage_grab_position(this.id, this.#heap.numbersAt));
        return this.#heap.numbers(0, 3);
    }
    move(target) {
        this.#heap.check(this.#module._selvage_grab_move(this.id, this.#heap.put(tuple(target, 3, 'target'))));
    }
    release() { this.#heap.check(this.#module._selvage_grab_release(this.id)); }
}
