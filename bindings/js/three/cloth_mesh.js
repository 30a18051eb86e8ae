// A cloth as a mesh of three.js.

import { BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Mesh, MeshStandardMaterial } from 'three';
import { WovenMaterial } from './woven_material.js';

const WIDTHS = { position: 3, normal: 3, tangent: 4 };

/** Drawn vertices: one for every pair of a vertex and a point of the pattern, so that seams have both their sides. */
function splitSeams(cloth) {
    const triangles = cloth.triangles, pattern = cloth.pattern;
    const corners = pattern?.triangles;
    if (!pattern || corners.every((corner, k) => corner === triangles[k])) {
        const uv = new Float32Array(2 * cloth.vertexCount);
        if (cloth.uv) uv.set(cloth.uv);
        return { source: null, count: cloth.vertexCount, index: Uint32Array.from(triangles), uv };
    }
    const numbers = new Map(), source = [], uv = [];
    const index = new Uint32Array(triangles.length);
    for (let k = 0; k < triangles.length; ++k) {
        const key = triangles[k] * pattern.uv.length + corners[k];
        if (!numbers.has(key)) {
            numbers.set(key, source.length);
            source.push(triangles[k]);
            uv.push(pattern.uv[2 * corners[k]], pattern.uv[2 * corners[k] + 1]);
        }
        index[k] = numbers.get(key);
    }
    return { source: Int32Array.from(source), count: source.length, index, uv: Float32Array.from(uv) };
}

export class ClothMesh extends Mesh {
    #source;
    #strainRange = null;
    #fabricMaterial;
    #strainMaterial = null;

    constructor(cloth, prepared = null, { material, tangents = true } = {}) {
        const { source, count, index, uv } = splitSeams(cloth);
        const geometry = new BufferGeometry();
        for (const [name, width] of Object.entries(WIDTHS)) {
            if (name === 'tangent' && !tangents) continue;
            geometry.setAttribute(name, new BufferAttribute(new Float32Array(width * count), width).setUsage(DynamicDrawUsage));
        }
        geometry.setAttribute('uv', new BufferAttribute(uv, 2));
        geometry.setIndex(new BufferAttribute(index, 1));
        const own = material ?? (prepared ? new WovenMaterial(prepared) : new MeshStandardMaterial({ side: DoubleSide }));
        super(geometry, own);
        this.cloth = cloth;
        this.#source = source;
        this.#fabricMaterial = own;
        this.castShadow = this.receiveShadow = true;
        this.frustumCulled = false; // its box changes all the time
        this.update();
    }

    update() {
        const { cloth, geometry } = this;
        this.#copy(geometry.attributes.position, cloth.positions, 3);
        this.#copy(geometry.attributes.normal, cloth.normals, 3);
        if (geometry.attributes.tangent) this.#copy(geometry.attributes.tangent, cloth.tangents, 4);
        if (this.#strainRange !== null) this.#colour(cloth.strain);
        geometry.boundingSphere = geometry.boundingBox = null;
    }

    #copy(attribute, from, width) {
        if (!from) return;
        const to = attribute.array, source = this.#source;
        if (!source) {
            to.set(from);
        } else {
            for (let v = 0; v < source.length; ++v) {
                for (let k = 0; k < width; ++k) to[width * v + k] = from[width * source[v] + k];
            }
        }
        attribute.needsUpdate = true;
    }

    showStrain(range) {
        this.#strainRange = range;
        if (range === null) {
            this.material = this.#fabricMaterial;
            return;
        }
        if (!this.geometry.attributes.color) {
            const count = this.geometry.attributes.position.count;
            this.geometry.setAttribute('color', new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage));
        }
        this.#strainMaterial ??= new MeshStandardMaterial({ vertexColors: true, side: DoubleSide, roughness: 0.9 });
        this.material = this.#strainMaterial;
        this.#colour(this.cloth.strain);
    }

    /** Blue where compressed, white where at rest, red where stretched. */
    #colour(strain) {
        if (!strain) return;
        const attribute = this.geometry.attributes.color, to = attribute.array, source = this.#source;
        for (let v = 0; v < attribute.count; ++v) {
            const s = Math.max(-1, Math.min(1, strain[source ? source[v] : v] / this.#strainRange));
            to[3 * v] = s < 0 ? 0.9 * (1 + s) : 0.9;
            to[3 * v + 1] = 0.9 * (1 - Math.abs(s));
            to[3 * v + 2] = s > 0 ? 0.9 * (1 - s) : 0.9;
        }
        attribute.needsUpdate = true;
    }

    dispose() {
        this.geometry.dispose();
        this.#fabricMaterial.dispose();
        this.#strainMaterial?.dispose();
    }
}
