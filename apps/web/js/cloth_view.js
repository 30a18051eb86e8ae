// A piece of cloth on the stage: its smooth surface, its materials, and the triangle under a ray.
import { BufferAttribute, BufferGeometry, Color, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, Mesh,
         MeshPhysicalMaterial, MeshStandardMaterial, Sphere, Vector3 } from "three";
import { WovenMaterial } from "selvage/three";
import { SmoothSurface } from "./smooth.js";
import { mean_colour } from "./colour.js";

/** Stretch at the ends of the strain map's colours. */
export const STRAIN_RANGE = 0.05;

/** Blue through white to red, as the desktop viewer's (shaders/heat.glsl). */
function heat(x, out, at) {
  const low = [0.05, 0.16, 0.55], middle = [0.72, 0.72, 0.7], high = [0.58, 0.03, 0.02];
  const [from, to, t] = x < 0.5 ? [low, middle, 2 * x] : [middle, high, 2 * x - 1];
  for (let k = 0; k < 3; ++k) out[at + k] = from[k] + t * (to[k] - from[k]);
}

const OFFSET = { polygonOffset: true, polygonOffsetFactor: 1, polygonOffsetUnits: 1 }; // room for the lines above

function plain_material({ look }) {
  const sheen = new Color(...look.sheen_colour);
  return new MeshPhysicalMaterial({ color: new Color(...mean_colour(look)), roughness: Math.max(...look.roughness) ** 0.5,
                                    sheen: 1, sheenColor: sheen, sheenRoughness: look.sheen_roughness, side: DoubleSide, ...OFFSET });
}

export class ClothView {
  constructor(shape) {
    this.shape = shape;
    this.positions = shape.positions;
    this.surface = new SmoothSurface(shape);
    const { surface } = this, geometry = new BufferGeometry();
    const dynamic = (array, size) => new BufferAttribute(array, size).setUsage(DynamicDrawUsage);
    geometry.setAttribute("position", dynamic(surface.positions, 3));
    geometry.setAttribute("normal", dynamic(surface.normals, 3));
    geometry.setAttribute("uv", new BufferAttribute(surface.uv, 2));
    if (surface.tangents) geometry.setAttribute("tangent", dynamic(surface.tangents, 4));
    geometry.setIndex(new BufferAttribute(surface.index, 1));
    geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
    this.geometry = geometry;

    this.plain = plain_material(shape.look);
    this.woven = surface.tangents ? new WovenMaterial(shape.look) : this.plain;
    this.woven.side = DoubleSide;
    Object.assign(this.woven, OFFSET);
    this.heat = null;
    this.mesh = new Mesh(geometry, this.woven);
    this.mesh.castShadow = this.mesh.receiveShadow = true;
    this.mesh.frustumCulled = false;
    this.lines = null;
    this.object = new Group();
    this.object.add(this.mesh);
    this.update({ positions: shape.positions, strain: null });
  }

  /** `shows`: woven, strain, wireframe. */
  show(shows) {
    if (shows.strain && !this.heat) {
      this.geometry.setAttribute("color", new BufferAttribute(new Float32Array(3 * this.surface.count), 3).setUsage(DynamicDrawUsage));
      this.heat = new MeshStandardMaterial({ vertexColors: true, roughness: 0.8, side: DoubleSide, ...OFFSET });
    }
    this.mesh.material = shows.strain ? this.heat : shows.woven ? this.woven : this.plain;
    if (shows.wireframe && !this.lines) this.#make_lines();
    if (this.lines) this.lines.visible = shows.wireframe;
  }

  update({ positions, strain }) {
    this.positions = positions;
    this.surface.update(positions, strain);
    const { attributes } = this.geometry;
    for (const name of ["position", "normal", "tangent"]) if (attributes[name]) attributes[name].needsUpdate = true;
    if (strain && this.heat) this.#colour(attributes.color);
  }

  /** The first triangle along a ray: { triangle, weights, distance }, or null. */
  pick(origin, direction) {
    const x = this.positions, { triangles } = this.shape;
    const [ox, oy, oz] = origin, [dx, dy, dz] = direction;
    let best = null;
    for (let t = 0; t < triangles.length; t += 3) {
      const a = 3 * triangles[t], b = 3 * triangles[t + 1], c = 3 * triangles[t + 2];
      const ux = x[b] - x[a], uy = x[b + 1] - x[a + 1], uz = x[b + 2] - x[a + 2];
      const vx = x[c] - x[a], vy = x[c + 1] - x[a + 1], vz = x[c + 2] - x[a + 2];
      const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
      const area = ux * px + uy * py + uz * pz;
      if (Math.abs(area) < 1e-14) continue;
      const sx = ox - x[a], sy = oy - x[a + 1], sz = oz - x[a + 2];
      const second = (sx * px + sy * py + sz * pz) / area;
      if (second < 0 || second > 1) continue;
      const qx = sy * uz - sz * uy, qy = sz * ux - sx * uz, qz = sx * uy - sy * ux;
      const third = (dx * qx + dy * qy + dz * qz) / area;
      if (third < 0 || second + third > 1) continue;
      const distance = (vx * qx + vy * qy + vz * qz) / area;
      if (distance > 0 && (!best || distance < best.distance))
        best = { triangle: t / 3, weights: [1 - second - third, second, third], distance };
    }
    return best;
  }

  /** The corner nearest to a point, as a triangle with weights: { triangle, weights, distance }. */
  nearest(point) {
    const x = this.positions, { triangles } = this.shape;
    let best = { triangle: -1, weights: [1, 0, 0], distance: Infinity };
    for (let c = 0; c < triangles.length; ++c) {
      const v = 3 * triangles[c], distance = Math.hypot(x[v] - point[0], x[v + 1] - point[1], x[v + 2] - point[2]);
      if (distance < best.distance) best = { triangle: Math.floor(c / 3), weights: [0, 1, 2].map((k) => (k === c % 3 ? 1 : 0)), distance };
    }
    return best;
  }

  dispose() {
    this.geometry.dispose();
    for (const material of [this.plain, this.woven, this.heat, this.lines?.material]) material?.dispose();
    this.lines?.geometry.dispose();
  }

  #make_lines() {
    const geometry = new BufferGeometry();
    geometry.setAttribute("position", this.geometry.attributes.position);
    geometry.setIndex(new BufferAttribute(this.surface.edges, 1));
    geometry.boundingSphere = this.geometry.boundingSphere;
    this.lines = new LineSegments(geometry, new LineBasicMaterial({ color: 0x101014, transparent: true, opacity: 0.55 }));
    this.lines.frustumCulled = false;
    this.object.add(this.lines);
  }

  #colour(attribute) {
    const { measure } = this.surface;
    for (let i = 0; i < measure.length; ++i)
      heat(Math.min(1, Math.max(0, 0.5 + (0.5 * measure[i]) / STRAIN_RANGE)), attribute.array, 3 * i);
    attribute.needsUpdate = true;
  }
}
