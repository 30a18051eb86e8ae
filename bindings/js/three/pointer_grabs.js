// Hands for pointers.

import { Plane, Raycaster, Vector2, Vector3 } from 'three';

export class PointerGrabs {
    #world;
    #camera;
    #element;
    #options;
    #held = new Map(); // by pointer
    #raycaster = new Raycaster();
    #listeners;
    enabled = true;

    constructor(world, camera, element, options = {}) {
        this.#world = world;
        this.#camera = camera;
        this.#element = element;
        this.#options = options;
        this.#listeners = { pointerdown: (event) => this.#take(event), pointermove: (event) => this.#move(event),
            pointerup: (event) => this.#letGo(event), pointercancel: (event) => this.#letGo(event) };
        // Before camera controls, which listen on the same element.
        for (const [name, listener] of Object.entries(this.#listeners)) element.addEventListener(name, listener, { capture: true });
        element.style.touchAction = 'none';
    }

    get count() { return this.#held.size; }

    #aim(event) {
        const box = this.#element.getBoundingClientRect();
        this.#camera.updateMatrixWorld();
        this.#raycaster.setFromCamera(new Vector2(2 * (event.clientX - box.left) / box.width - 1,
            1 - 2 * (event.clientY - box.top) / box.height), this.#camera);
        return this.#raycaster.ray;
    }

    #take(event) {
        if (!this.enabled || event.button !== 0 || this.#held.has(event.pointerId)) return;
        const ray = this.#aim(event);
        const [object] = this.#raycaster.intersectObjects(this.#options.draggable ?? [], true);
        const hit = this.#world.raycast(ray.origin.toArray(), ray.direction.toArray(), { colliders: false });
        if (typeof hit?.then === 'function') { // a world in a worker: whose the event is, is known too late to say
            this.#held.set(event.pointerId, { pending: true });
            hit.then((found) => this.#begin(event, found, object, ray.direction)).catch(() => this.#held.delete(event.pointerId));
        } else if (hit || object) {
            this.#begin(event, hit, object, ray.direction);
        }
        if (this.#held.has(event.pointerId)) event.stopImmediatePropagation();
    }

    async #begin(event, hit, object, direction) {
        const allowed = !hit || !this.#options.cloths || this.#options.cloths.some((one) => one.id === hit.cloth.id);
        const takesCloth = hit && allowed && (!object || hit.distance <= object.distance);
        if (!takesCloth && !object) {
            this.#held.delete(event.pointerId);
            return;
        }
        const point = new Vector3(...(takesCloth ? hit.point : object.point.toArray()));
        const facing = new Vector3();
        this.#camera.getWorldDirection(facing);
        const hold = { plane: new Plane().setFromNormalAndCoplanarPoint(facing, point) };
        const before = this.#held.get(event.pointerId);
        this.#held.set(event.pointerId, hold);
        if (takesCloth) {
            const grab = hit.cloth.grab(hit.triangle, hit.weights);
            hold.grab = typeof grab.then === 'function' ? await grab : grab;
        } else {
            hold.object = this.#dragged(object.object);
            hold.offset = hold.object.getWorldPosition(new Vector3()).sub(point);
        }
        if (before?.released) {
            this.#drop(hold);
            this.#held.delete(event.pointerId);
            return;
        }
        this.#element.setPointerCapture?.(event.pointerId);
        this.#options.onstart?.(event);
    }

    #dragged(object) {
        const all = this.#options.draggable;
        let one = object;
        while (!all.includes(one)) one = one.parent;
        return one;
    }

    #move(event) {
        const hold = this.#held.get(event.pointerId);
        if (!hold) return;
        event.stopImmediatePropagation();
        if (hold.pending) return;
        const target = this.#aim(event).intersectPlane(hold.plane, new Vector3());
        if (!target) return;
        if (hold.grab) {
            hold.grab.move(target.toArray());
        } else if (hold.object) {
            target.add(hold.offset);
            hold.object.parent?.worldToLocal(target);
            hold.object.position.copy(target);
        }
    }

    #letGo(event) {
        const hold = this.#held.get(event.pointerId);
        if (!hold) return;
        event.stopImmediatePropagation();
        if (hold.pending) {
            hold.released = true;
            return;
        }
        this.#held.delete(event.pointerId);
        this.#drop(hold);
        this.#options.onend?.(event);
    }
    #drop(hold) {
        hold.grab?.release();
    }

    dispose() {
        for (const hold of this.#held.values()) this.#drop(hold);
        this.#held.clear();
        for (const [name, listener] of Object.entries(this.#listeners)) {
            this.#element.removeEventListener(name, listener, { capture: true });
        }
    }
}
