// Colliders: what cloth cannot pass.

import { tuple } from './memory.js';

const KINDS = ['sphere', 'box', 'capsule', 'cylinder', 'plane', 'height', 'mesh'];
const UPRIGHT = [0, 0, 0, 1];

export class Collider {
    #heap;
    #module;

    constructor(world, handle) {
        this.world = world;
        this.id = handle;
        this.#heap = world.engine.heap;
        this.#module = world.engine.module;
    }

    #kind() {
        this.#heap.check(this.#module._web_collider_kind(this.id, this.#heap.numbersAt));
        return this.#heap.numbers(0, 2);
    }
    get kind() { return KINDS[this.#kind()[0]]; }
    get isDeforming() { return this.#kind()[1] !== 0; }
    get pose() {
        const heap = this.#heap;
        heap.check(this.#module._selvage_collider_pose(this.id, heap.numbersAt, heap.numbersAt + 24));
        return { position: heap.numbers(0, 3), rotation: heap.numbers(3, 4) };
    }
    surface() {
        const heap = this.#heap;
        heap.check(this.#module._web_collider_surface(this.id, heap.rangeAt(0), heap.rangeAt(1)));
        const copy = (Type, all, [address, count]) => new Type(all.slice(address >> 2, (address >> 2) + count));
        return { positions: copy(Float32Array, heap.f32(), heap.range(0)), triangles: copy(Int32Array, heap.i32(), heap.range(1)) };
    }

    move(position, rotation = UPRIGHT) { this.#place('_selvage_collider_move', position, rotation); }
    teleport(position, rotation = UPRIGHT) { this.#place('_selvage_collider_teleport', position, rotation); }
    #place(call, position, rotation) {
        const at = this.#heap.put([...tuple(position, 3, 'position'), ...tuple(rotation, 4, 'rotation')]);
        this.#heap.check(this.#module[call](this.id, at, at + 24));
    }
    setVertices(points) {
        const single = points instanceof Float32Array;
        this.#heap.with((arena) => {
            const at = single ? arena.floats(points, 3, 'points') : arena.numbers(points ?? [], 3, 'points');
            const call = single ? '_selvage_collider_set_vertices_f' : '_selvage_collider_set_vertices';
            this.#heap.check(this.#module[call](this.id, at, (points?.length ?? 0) / 3));
        });
    }
    remove() { this.#heap.check(this.#module._selvage_collider_destroy(this.id)); }
}
