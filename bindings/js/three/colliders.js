// Colliders from objects, and objects for colliders.

import { BufferAttribute, BufferGeometry, Matrix4, Mesh, MeshStandardMaterial, Object3D, Quaternion, Vector3 } from 'three';

const position = new Vector3(), rotation = new Quaternion(), scale = new Vector3(), matrix = new Matrix4();

/** From an object's frame to that of a shape whose axis is y or whose front is up. */
const PLANE_TURN = new Quaternion().setFromAxisAngle(new Vector3(1, 0, 0), Math.PI / 2);

function decompose(object) {
    object.updateWorldMatrix(true, false);
    object.matrixWorld.decompose(position, rotation, scale);
    const uniform = Math.abs(scale.x - scale.y) < 1e-6 * scale.x && Math.abs(scale.x - scale.z) < 1e-6 * scale.x;
    return { position: position.clone(), rotation: rotation.clone(), scale: scale.clone(), uniform };
}

/** A shape of the engine for a geometry that is one; null for others. */
function shapeOf(geometry, { scale: s, uniform }) {
    const p = geometry.parameters ?? {};
    const whole = (from, length, turn) => (p[from] ?? 0) === 0 && Math.abs((p[length] ?? turn) - turn) < 1e-9;
    switch (geometry.type) {
    case 'SphereGeometry':
        if (!uniform || !whole('phiStart', 'phiLength', 2 * Math.PI) || !whole('thetaStart', 'thetaLength', Math.PI)) return null;
        return { call: 'addSphere', args: [p.radius * s.x] };
    case 'BoxGeometry':
        return { call: 'addBox', args: [[p.width * s.x, p.height * s.y, p.depth * s.z]] };
    case 'CapsuleGeometry':
        if (!uniform) return null;
        return { call: 'addCapsule', args: [p.radius * s.x, p.radius * s.x, (p.height ?? p.length) * s.y] };
    case 'CylinderGeometry':
        if (!uniform || p.radiusTop !== p.radiusBottom || p.openEnded || !whole('thetaStart', 'thetaLength', 2 * Math.PI)) return null;
        return { call: 'addCylinder', args: [p.radiusTop * s.x, p.height * s.y] };
    case 'PlaneGeometry':
        return { call: 'addPlane', args: [], turn: PLANE_TURN };
    default:
        return null;
    }
}

/** Vertices of an object in world space; of a skinned one as it is posed now. */
function worldPoints(object, out) {
    const at = object.geometry.attributes.position, point = new Vector3();
    object.updateWorldMatrix(true, false);
    // A renderer does this when it draws; here the skin is wanted before.
    for (const bone of object.skeleton?.bones ?? []) bone.updateWorldMatrix(true, false);
    for (let v = 0; v < at.count; ++v) {
        if (object.getVertexPosition) object.getVertexPosition(v, point);
        else point.fromBufferAttribute(at, v);
        point.applyMatrix4(object.matrixWorld).toArray(out, 3 * v);
    }
    return out;
}

/** Triangles over vertices joined where they coincide: a mesh split along seams of its texture is still closed. */
function weldedTriangles(geometry) {
    const at = geometry.attributes.position, numbers = new Map(), first = new Int32Array(at.count);
    for (let v = 0; v < at.count; ++v) {
        const key = `${at.getX(v).toFixed(6)},${at.getY(v).toFixed(6)},${at.getZ(v).toFixed(6)}`;
        if (!numbers.has(key)) numbers.set(key, v);
        first[v] = numbers.get(key);
    }
    const used = [...new Set(first)], place = new Map(used.map((v, k) => [v, k]));
    const corners = geometry.index ? geometry.index.array : Int32Array.from({ length: at.count }, (_, k) => k);
    const triangles = [];
    for (let k = 0; k + 2 < corners.length; k += 3) {
        const t = [0, 1, 2].map((j) => place.get(first[corners[k + j]]));
        if (t[0] !== t[1] && t[1] !== t[2] && t[2] !== t[0]) triangles.push(...t);
    }
    return { used: Int32Array.from(used), triangles: Int32Array.from(triangles) };
}

class ObjectCollider {
    #follow;
    constructor(collider, object, follow) {
        this.collider = collider;
        this.object = object;
        this.#follow = follow;
    }
    update() { this.#follow(this.collider); }
    remove() { return this.collider.remove(); }
}

function poseOf(object, shape) {
    const place = decompose(object);
    if (shape?.turn) place.rotation.multiply(shape.turn);
    return { position: place.position.toArray(), rotation: place.rotation.toArray() };
}

/** What to call for an object, and how its collider follows it. */
function plan(object, options) {
    const skinned = object.isSkinnedMesh, shape = skinned ? null : shapeOf(object.geometry, decompose(object));
    if (shape) {
        const place = poseOf(object, shape);
        return { call: shape.call, args: [...shape.args, { ...options, ...place }], follow: (collider) => {
            const { position: at, rotation: turn } = poseOf(object, shape);
            return collider.move(at, turn);
        } };
    }
    const { used, triangles } = weldedTriangles(object.geometry);
    const all = new Float64Array(3 * object.geometry.attributes.position.count);
    const chosen = () => {
        worldPoints(object, all);
        const points = new Float32Array(3 * used.length);
        used.forEach((v, k) => points.set(all.subarray(3 * v, 3 * v + 3), 3 * k));
        return points;
    };
    const mesh = { positions: chosen(), triangles };
    if (skinned) return { call: 'addMesh', args: [mesh, options], follow: (collider) => collider.setVertices(chosen()) };
    // Rigid: the vertices stay as they are here, and the pose takes them along.
    const start = object.matrixWorld.clone().invert();
    return { call: 'addMesh', args: [mesh, options], follow: (collider) => {
        object.updateWorldMatrix(true, false);
        matrix.multiplyMatrices(object.matrixWorld, start).decompose(position, rotation, scale);
        return collider.move(position.toArray(), rotation.toArray());
    } };
}

export function addCollider(world, object, options = {}) {
    if (!object?.isMesh) throw new TypeError('addCollider: found no Mesh; expected one to take the shape of');
    const { call, args, follow } = plan(object, options);
    const made = world[call](...args);
    if (typeof made.then === 'function') return made.then((collider) => new ObjectCollider(collider, object, follow));
    return new ObjectCollider(made, object, follow);
}

/** Shaded smoothly where neighbours share vertices. */
function surfaceMesh({ positions, triangles }, material) {
    const geometry = new BufferGeometry();
    geometry.setAttribute('position', new BufferAttribute(positions, 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
    geometry.computeVertexNormals();
    const mesh = new Mesh(geometry, material);
    mesh.castShadow = mesh.receiveShadow = true;
    return mesh;
}

export class ColliderMeshes extends Object3D {
    #meshes = new Map();
    constructor(world, material = new MeshStandardMaterial({ color: 0xc8ccd2, roughness: 0.7 })) {
        super();
        this.world = world;
        this.material = material;
        this.ready = this.#make();
    }
    async #make() {
        for (const collider of this.world.colliders) {
            const mesh = surfaceMesh(await collider.surface(), this.material);
            mesh.userData.kind = collider.kind;
            if (collider.kind === 'plane') mesh.castShadow = false;
            this.#meshes.set(collider.id, mesh);
            this.add(mesh);
        }
        this.update();
    }
    update() {
        for (const collider of this.world.colliders) {
            const mesh = this.#meshes.get(collider.id);
            if (!mesh) continue;
            if (collider.isDeforming) {
                Promise.resolve(collider.surface()).then(({ positions, triangles }) => {
                    mesh.position.set(0, 0, 0);
                    mesh.quaternion.identity();
                    if (positions.length !== mesh.geometry.attributes.position.array.length) { // it was rigid until now
                        mesh.geometry.setAttribute('position', new BufferAttribute(positions.slice(), 3));
                        mesh.geometry.setIndex(new BufferAttribute(Uint32Array.from(triangles), 1));
                        mesh.geometry.deleteAttribute('normal');
                    }
                    mesh.geometry.attributes.position.array.set(positions);
                    mesh.geometry.attributes.position.needsUpdate = true;
                    mesh.geometry.computeVertexNormals();
                });
            } else {
                mesh.position.fromArray(collider.pose.position);
                mesh.quaternion.fromArray(collider.pose.rotation);
            }
        }
    }
    dispose() {
        for (const mesh of this.#meshes.values()) mesh.geometry.dispose();
        this.material.dispose();
    }
}
