// The simulation as the page sees it, inside the worker: one world, its hands, and what is sent after every frame.
import { edited_scene, has_made_mesh, mesh_scene, scene_solver } from "./scene_edit.js";
import { excess_stretch, hand_step, leaving_edges } from "./hand_force.js";

/** More than this is not for a page: a frame would take seconds. */
const MOST_VERTICES = 150000;
const COLLIDER_SPEED = 6; // [m/s]

const seconds_of = (dt) => {
  if (typeof dt === "number") return dt;
  const [top, bottom] = String(dt ?? "1/60").split("/").map(Number);
  return bottom ? top / bottom : top;
};

function refuse_large(vertices) {
  if (vertices > MOST_VERTICES)
    throw new Error(`found ${vertices} vertices; this page takes up to ${MOST_VERTICES}. Reduce the mesh, or use the desktop program.`);
}

/** A text as JSON, or null: what is wrong with it the engine says better. */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** Whether the settings leave a scene as it is in its file. */
const is_plain = ({ fabric, mesh, solver, quality }) => !fabric && mesh === 1 && !solver && quality === null;

/** Length at rest of edge k of triangle t, from the pattern where there is one. */
function rest_lengths(cloth) {
  const pattern = cloth.pattern;
  if (pattern) {
    const { uv, triangles } = pattern;
    return (t, k) => {
      const a = triangles[3 * t + k], b = triangles[3 * t + ((k + 1) % 3)];
      return Math.hypot(uv[2 * a] - uv[2 * b], uv[2 * a + 1] - uv[2 * b + 1]);
    };
  }
  const start = cloth.positions.slice(), triangles = cloth.triangles;
  return (t, k) => {
    const a = 3 * triangles[3 * t + k], b = 3 * triangles[3 * t + ((k + 1) % 3)];
    return Math.hypot(start[a] - start[b], start[a + 1] - start[b + 1], start[a + 2] - start[b + 2]);
  };
}

export class WorldHost {
  #engine;
  #threads;
  #world = null;
  #scene = null; // as in its file
  #settings = null;
  #rest = []; // of every cloth: lengths at rest
  #hands = new Map();
  #drags = new Map();
  #first_stretch = 0;
  #start = null; // snapshot
  #build = 0;
  dt = 1 / 60;
  diverged = false;
  shows = { strain: false, contacts: false };

  constructor(engine, threads) {
    this.#engine = engine;
    this.#threads = threads;
  }

  get world() {
    return this.#world;
  }

  /** Opens a scene by name, as text, or around a mesh file. Nothing changes where that fails. */
  open({ name, text, mesh, files }, settings) {
    for (const file of files ?? []) this.#engine.writeFile(file.name, new Uint8Array(file.bytes));
    if (text && is_plain(settings)) {
      // The text as it is: then messages name lines of the user's own file.
      const world = this.#load(text, parsed(text));
      this.#adopt(JSON.parse(text), settings, world);
    } else {
      const scene = mesh ? this.#scene_around(mesh) : text ? JSON.parse(text) : this.#engine.scene(name);
      this.#adopt(scene, settings, this.#load(edited_scene(scene, settings)));
    }
    return this.describe();
  }

  /** Another fabric, mesh or solver. The state stays where the mesh does. */
  change(settings) {
    const world = this.#load(edited_scene(this.#scene, settings));
    const kept = settings.mesh === this.#settings.mesh;
    if (kept) this.#keep_state(world);
    const hands = kept ? [...this.#hands.values()] : [];
    this.#adopt(this.#scene, settings, world);
    for (const hand of hands) this.grab(hand);
    return { ...this.describe(), kept };
  }

  /** Another solver or quality between two frames. */
  set_solver(settings) {
    const { solver } = edited_scene(this.#scene, settings);
    const { type, quality, ...rest } = solver;
    this.#world.setSolver(type, { quality: quality === "default" ? "standard" : quality ?? "standard",
                                  settings: Object.keys(rest).length ? rest : undefined });
    this.#settings = settings;
    this.#wake();
  }

  set_wind({ wind, gust }) {
    const air = this.#world.air;
    this.#world.air = { ...air, density: air.density > 0 || !wind.some((x) => x !== 0) ? air.density : 1.2, wind, gust };
  }

  reset() {
    this.release_all();
    this.#drags.clear();
    this.diverged = false;
    if (this.#start) this.#world.restore(this.#start);
  }

  /** Replaces where the cloth is, when the engine had to be started again. */
  put_state(positions) {
    this.#world.cloths.forEach((cloth, i) => {
      if (positions[i]?.length === 3 * cloth.vertexCount) cloth.setState(positions[i]);
    });
  }

  describe() {
    const world = this.#world;
    const { solver, quality } = scene_solver(edited_scene(this.#scene, this.#settings));
    return {
      build: this.#build,
      name: this.#scene.name ?? "scene",
      description: this.#scene.description ?? "",
      camera: this.#scene.camera ?? null,
      ground: this.#scene.render?.ground ?? "auto",
      solver: solver.type,
      quality,
      mesh_can_change: has_made_mesh(this.#scene),
      air: world.air,
      own_fabric: (this.#scene.cloths ?? []).map((c) => (typeof c.fabric === "string" ? c.fabric : c.fabric?.base ?? null)),
      warnings: world.cloths.map((cloth) => cloth.warnings).filter(Boolean),
      cloths: world.cloths.map((cloth) => this.#cloth_shape(cloth)),
      colliders: world.colliders.map((collider) => ({ kind: collider.kind, surface: collider.surface(),
                                                      deforming: collider.isDeforming, pose: collider.pose })),
    };
  }

  // Hands. `cloth` is a number in the world's order.
  grab({ id, cloth, triangle, weights, pinned = false, target = null }) {
    const held = this.#world.cloths[cloth];
    if (!held || this.#hands.has(id)) return;
    if (this.#hands.size === 0) this.#first_stretch = Math.max(0, this.#world.statistics.maxStretch);
    const grab = held.grab(triangle, weights), at = [...grab.position];
    this.#hands.set(id, { id, cloth, triangle, weights, grab, pinned, at, target: target ?? at,
                          edges: leaving_edges(held.triangles, triangle, this.#rest[cloth]) });
  }
  move(id, target) {
    const hand = this.#hands.get(id);
    if (hand && target.every(Number.isFinite)) hand.target = target;
  }
  pin(id, pinned) {
    const hand = this.#hands.get(id);
    if (!hand) return;
    hand.pinned = pinned;
    if (pinned) hand.target = hand.at;
  }
  release(id) {
    this.#hands.get(id)?.grab.release();
    this.#hands.delete(id);
  }
  release_all() {
    for (const id of [...this.#hands.keys()]) this.release(id);
  }

  drag_collider(index, position) {
    const pose = this.#world.colliders[index]?.pose;
    if (pose && position.every(Number.isFinite)) this.#drags.set(index, { at: pose.position, rotation: pose.rotation, target: position });
  }

  /** One frame. Says what went wrong, or null. */
  step() {
    this.#move_hands();
    this.#move_colliders();
    try {
      this.#world.step();
    } catch (error) {
      if (error.code !== "diverged") throw error;
      if (this.diverged) return null;
      this.diverged = true;
      return error.message;
    }
    return null;
  }

  /** All that is drawn, and the buffers to hand over. */
  frame() {
    const world = this.#world, buffers = [];
    const give = (array) => {
      const copy = array.slice();
      buffers.push(copy.buffer);
      return copy;
    };
    const cloths = world.cloths.map((cloth) => ({
      positions: give(cloth.positions),
      strain: this.shows.strain ? give(cloth.strain) : null,
      touching: this.shows.contacts ? give(cloth.touching) : null,
    }));
    const poses = world.colliders.map((collider) => {
      if (!collider.isDeforming) return collider.pose;
      const { positions } = collider.surface();
      buffers.push(positions.buffer);
      return { positions };
    });
    const statistics = world.statistics;
    const hands = [...this.#hands.values()].map(({ id, grab, pinned }) => ({ id, pinned, point: [...grab.position] }));
    return [{ type: "frame", build: this.#build, time: world.time, cloths, poses, statistics, hands,
              diverged: this.diverged }, buffers];
  }

  #scene_around(mesh) {
    const name = mesh.replace(/^.*\//, "").replace(/\.[^.]*$/, "");
    const probe = this.#engine.loadScene(mesh_scene(name, mesh), { threads: 1 });
    try {
      return mesh_scene(name, mesh, probe.cloths[0].bounds);
    } finally {
      probe.destroy();
    }
  }

  #load(scene, read = scene) {
    // Before memory is taken for it, where the scene itself says how large it is.
    const made = read?.cloths?.reduce?.((sum, { mesh }) => sum + (mesh?.grid?.vertices ?? [0, 0]).reduce((a, b) => a * b), 0) ?? 0;
    refuse_large(made);
    const world = this.#engine.loadScene(scene, { threads: this.#threads, sleeping: true });
    const { vertices } = world.statistics;
    try {
      refuse_large(vertices);
    } catch (error) {
      world.destroy();
      throw error;
    }
    return world;
  }

  #adopt(scene, settings, world) {
    this.#world?.destroy();
    this.#world = world;
    this.#scene = scene;
    this.#settings = settings;
    this.#hands.clear();
    this.#drags.clear();
    this.#rest = world.cloths.map(rest_lengths);
    this.#start = world.snapshot();
    this.#build += 1;
    this.dt = seconds_of(scene.dt);
    this.diverged = false;
  }

  /** A snapshot also holds time, so that moving pins and colliders go on from where they are. */
  #keep_state(world) {
    const old = this.#world;
    this.release_all();
    try {
      world.restore(old.snapshot());
    } catch {
      world.cloths.forEach((cloth, i) => {
        const from = old.cloths[i];
        if (from?.vertexCount === cloth.vertexCount) cloth.setState(from.exactPositions.slice(), from.velocities.slice());
      });
    }
  }

  #wake() {
    for (const cloth of this.#world.cloths) cloth.wake();
  }

  #cloth_shape(cloth) {
    const pattern = cloth.pattern;
    return {
      name: cloth.name,
      fabric: cloth.fabric,
      vertices: cloth.vertexCount,
      triangles: cloth.triangles.slice(),
      uv: pattern ? Float32Array.from(pattern.uv) : null,
      uv_triangles: pattern ? pattern.triangles.slice() : null,
      look: this.#engine.prepareLook(cloth.look),
      positions: cloth.positions.slice(),
    };
  }

  #move_hands() {
    if (this.#hands.size === 0) return;
    const excess = excess_stretch(this.#world.statistics.maxStretch, this.#first_stretch);
    const cloths = this.#world.cloths;
    for (const hand of this.#hands.values()) {
      hand.at = hand_step({ ...hand, reached: hand.grab.position, positions: cloths[hand.cloth].positions, excess,
                            seconds: this.dt });
      hand.grab.move(hand.at);
    }
  }

  #move_colliders() {
    for (const [index, drag] of this.#drags) {
      const way = drag.target.map((x, k) => x - drag.at[k]), far = Math.hypot(...way);
      const part = Math.min(1, (COLLIDER_SPEED * this.dt) / Math.max(far, 1e-9));
      drag.at = drag.at.map((x, k) => x + part * way[k]);
      this.#world.colliders[index].move(drag.at, drag.rotation);
      if (part === 1) this.#drags.delete(index);
    }
  }
}
