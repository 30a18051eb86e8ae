// The stage: renderer, light, floor, and what stands on it. Drawn only when something has changed.
import { AgXToneMapping, Box3, BufferAttribute, BufferGeometry, Color, DirectionalLight, DoubleSide, Group, HemisphereLight,
         Mesh, MeshStandardMaterial, PCFShadowMap, PlaneGeometry, Points, PointsMaterial, Quaternion, Raycaster,
         Scene, ShadowMaterial, Vector2, Vector3, WebGLRenderer } from "three";
import { CameraRig } from "./camera.js";
import { ClothView } from "./cloth_view.js";

const LEAST_RATIO = 0.5;
const SLOW_MS = 45, FAST_MS = 20, HOPELESS_MS = 350; // between two pictures

/** Throws with a clear text where the browser has no WebGL 2. */
function make_renderer(canvas) {
  const options = { alpha: true, antialias: true, powerPreference: "high-performance" };
  const context = canvas.getContext("webgl2", { ...options, stencil: false, xrCompatible: false });
  if (!context)
    throw new Error("This page draws with WebGL 2, and this browser has none, or has it switched off. Try another browser, " +
                    "or switch hardware acceleration on.");
  return new WebGLRenderer({ canvas, context, ...options });
}

/** A level plane is the floor; no other collider is. */
const is_floor = ({ kind, pose }) =>
  kind === "plane" && new Vector3(0, 1, 0).applyQuaternion(new Quaternion().fromArray(pose.rotation)).y > 0.999;

/** Kinds of colliders without edges. */
const ROUND = new Set(["sphere", "capsule"]);

/** The same material, drawn 4 mm below the surface: between its points cloth on a ball comes nearer than it is thick. */
function sunk(material) {
  const lower = material.clone();
  lower.onBeforeCompile = (shader) => {
    shader.vertexShader = shader.vertexShader.replace("#include <begin_vertex>", "vec3 transformed = position - 0.004 * normalize(normal);");
  };
  return lower;
}

export class Stage {
  constructor(canvas) {
    this.canvas = canvas;
    this.renderer = make_renderer(canvas);
    const { renderer } = this;
    renderer.toneMapping = AgXToneMapping;
    renderer.toneMappingExposure = 1.25;
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = PCFShadowMap;
    this.rig = new CameraRig();
    this.scene = new Scene();
    this.room = new Group(); // what a headset's wearer walks around in; scaled and lifted in VR
    this.scene.add(this.room);
    this.cloths = [];
    this.colliders = [];
    this.#light();
    this.#make_floor();
    this.contacts = new Points(new BufferGeometry(), new PointsMaterial({ color: 0x35d07f, size: 5, sizeAttenuation: false, toneMapped: false, depthTest: false, transparent: true, opacity: 0.85 }));
    this.contacts.frustumCulled = false;
    this.contacts.visible = false;
    this.room.add(this.contacts);
    this.ratio = Math.min(globalThis.devicePixelRatio || 1, 2);
    this.most_ratio = this.ratio;
    this.shows = { woven: true, strain: false, contacts: false, wireframe: false };
    this.dirty = true;
    this.lost = false;
    this.drawn = 0; // pictures so far
    canvas.addEventListener("webglcontextlost", (event) => {
      event.preventDefault();
      this.lost = true;
      this.on_lost?.();
    });
    canvas.addEventListener("webglcontextrestored", () => {
      this.lost = false;
      this.dirty = true;
      this.on_restored?.();
    });
    this.#recent = [];
  }

  #recent;
  #last = 0;

  #light() {
    this.sky = new HemisphereLight(0xe9efff, 0x6b5a4c, 0.95);
    this.key = new DirectionalLight(0xfff3e4, 3.6);
    this.key.castShadow = true;
    this.key.shadow.mapSize.set(1024, 1024);
    this.key.shadow.radius = 5;
    this.key.shadow.bias = -0.0006;
    this.rim = new DirectionalLight(0xcfdcff, 1.3);
    this.room.add(this.sky, this.key, this.key.target, this.rim, this.rim.target);
  }

  #make_floor() {
    this.floor = new Mesh(new PlaneGeometry(1, 1).rotateX(-Math.PI / 2), new ShadowMaterial({ opacity: 0.4 }));
    this.floor.receiveShadow = true;
    this.room.add(this.floor);
  }

  set_theme(dark) {
    this.dark = dark;
    this.floor.material.opacity = dark ? 0.55 : 0.3;
    this.ceramic ??= new MeshStandardMaterial({ roughness: 0.62, side: DoubleSide });
    this.ceramic.color.set(dark ? 0x8d8780 : 0xc9c2b8);
    this.sunk ??= sunk(this.ceramic);
    this.sunk.color.copy(this.ceramic.color);
    this.dirty = true;
  }

  /** Puts a scene on the stage; `move_camera` looks at it as its file says. */
  open(description, move_camera) {
    for (const view of this.cloths) {
      this.room.remove(view.object);
      view.dispose();
    }
    for (const { mesh } of this.colliders) {
      this.room.remove(mesh);
      mesh.geometry.dispose();
    }
    this.cloths = description.cloths.map((shape) => new ClothView(shape));
    for (const view of this.cloths) {
      this.room.add(view.object);
      view.show(this.shows);
    }
    this.colliders = description.colliders.map((collider) => this.#collider(collider));
    this.box = this.bounds();
    this.has_floor = description.ground !== "none";
    const own = description.colliders.find(is_floor);
    this.floor_is_own = Boolean(own);
    this.floor_height = own ? own.pose.position[1] : this.#floor_below();
    this.floor.position.set(0, this.floor_height, 0);
    if (move_camera) this.look(description.camera);
    this.own_camera = description.camera;
    this.#aim();
    this.contacts.visible = false;
    this.dirty = true;
  }

  bounds() {
    const box = new Box3(), point = new Vector3();
    for (const { positions } of this.cloths)
      for (let i = 0; i < positions.length; i += 3) box.expandByPoint(point.fromArray(positions, i));
    for (const { mesh, kind } of this.colliders)
      if (kind !== "plane" && kind !== "height") box.expandByObject(mesh);
    return box.isEmpty() ? new Box3(new Vector3(-0.5, 0, -0.5), new Vector3(0.5, 1, 0.5)) : box;
  }

  look(camera = this.own_camera) {
    this.rig.show(camera, this.bounds());
    this.dirty = true;
  }

  update(frame) {
    frame.cloths.forEach((cloth, i) => this.cloths[i]?.update(cloth));
    let lowest = Infinity;
    if (!this.floor_is_own)
      for (const { positions } of this.cloths) for (let i = 1; i < positions.length; i += 3) lowest = Math.min(lowest, positions[i]);
    // A floor that the scene does not have must not cut through what falls past it.
    this.floor.visible = this.has_floor && (this.floor_is_own || lowest > this.floor_height - 0.01);
    frame.poses.forEach((pose, i) => this.#place(this.colliders[i], pose));
    this.#show_contacts(frame.cloths);
    this.dirty = true;
  }

  show(shows) {
    this.shows = shows;
    for (const view of this.cloths) view.show(shows);
    if (!shows.contacts) this.contacts.visible = false;
    this.dirty = true;
  }

  resize(width, height, clear) {
    this.size = { width, height };
    if (this.renderer.xr.isPresenting) return; // the headset has its own size
    this.renderer.setPixelRatio(this.ratio);
    this.renderer.setSize(width, height, false);
    this.rig.resize(width, height, clear);
    this.dirty = true;
  }

  /** Ray of a point of the page, in the room's own space. */
  ray(x, y) {
    const box = this.canvas.getBoundingClientRect();
    const caster = new Raycaster();
    caster.setFromCamera(new Vector2((2 * (x - box.left)) / box.width - 1, 1 - (2 * (y - box.top)) / box.height), this.rig.camera);
    return caster;
  }

  /** What lies under a point of the page: { cloth, triangle, weights, point } or { collider, point }, or null. */
  pick(x, y) {
    return this.pick_ray(this.ray(x, y));
  }
  pick_ray(caster) {
    const { origin, direction } = caster.ray;
    let best = null;
    this.cloths.forEach((view, cloth) => {
      const hit = view.pick(origin.toArray(), direction.toArray());
      if (hit && (!best || hit.distance < best.distance)) best = { cloth, ...hit };
    });
    if (!this.renderer.xr.isPresenting) this.colliders.forEach(({ mesh, kind }, collider) => {
      if (!mesh.visible || kind === "plane" || kind === "height") return;
      const hit = caster.intersectObject(mesh, false)[0];
      if (hit && (!best || hit.distance < best.distance)) best = { collider, distance: hit.distance };
    });
    if (best) best.point = origin.clone().addScaledVector(direction, best.distance);
    return best;
  }

  /** Where a point of the room is on the page [px]. */
  project(point) {
    const at = new Vector3().fromArray(point).project(this.rig.camera), box = this.canvas.getBoundingClientRect();
    return { x: box.left + (0.5 + 0.5 * at.x) * box.width, y: box.top + (0.5 - 0.5 * at.y) * box.height, behind: at.z > 1 };
  }

  /** Draws when something changed. Says whether it did. */
  draw(now) {
    if (this.lost || !this.dirty) {
      this.#last = 0;
      return false;
    }
    this.dirty = false;
    this.renderer.render(this.scene, this.rig.camera);
    this.drawn += 1;
    this.#adapt(now);
    return true;
  }

  /** Fewer pixels where pictures take long, and the plain look where even that is not enough. */
  #adapt(now) {
    const recent = this.#recent;
    if (this.#last) recent.push(now - this.#last);
    this.#last = now;
    // Very slow ones are dealt with at once; the first pictures also wait for shaders.
    const spent = recent.reduce((sum, ms) => sum + ms, 0);
    if (recent.length < 20 && !(recent.length >= 4 && spent > 1600)) return;
    const median = recent.sort((a, b) => a - b)[recent.length >> 1];
    this.#recent = [];
    let ratio = this.ratio;
    if (median > SLOW_MS) ratio = Math.max(LEAST_RATIO, ratio * Math.min(0.85, Math.max(0.5, Math.sqrt(SLOW_MS / median))));
    else if (median < FAST_MS) ratio = Math.min(this.most_ratio, ratio * 1.15);
    if (median > HOPELESS_MS || (median > SLOW_MS && this.ratio <= LEAST_RATIO)) this.on_slow?.();
    if (ratio === this.ratio) return;
    this.ratio = ratio;
    this.renderer.setPixelRatio(ratio);
    this.dirty = true;
  }

  #collider({ kind, surface, pose, deforming }) {
    const geometry = new BufferGeometry();
    // Corners of their own, so that edges of boxes stay sharp and balls get their smoothness from creases that are shallow.
    geometry.setAttribute("position", new BufferAttribute(surface.positions, 3));
    geometry.setIndex(new BufferAttribute(Uint32Array.from(surface.triangles), 1));
    let shown = geometry;
    if (kind === "box") shown = geometry.toNonIndexed();
    else if (kind === "cylinder") shown = creased(geometry, 0.8);
    shown.computeVertexNormals();
    const mesh = new Mesh(shown, deforming || ROUND.has(kind) ? this.sunk : this.ceramic);
    mesh.castShadow = kind !== "plane" && kind !== "height";
    mesh.receiveShadow = true;
    const view = { mesh, kind, deforming };
    this.#place(view, pose);
    mesh.visible = !is_floor({ kind, pose });
    this.room.add(mesh);
    return view;
  }

  #place(view, pose) {
    if (!view) return;
    if (pose.positions) {
      view.mesh.geometry.setAttribute("position", new BufferAttribute(pose.positions, 3));
      view.mesh.geometry.computeVertexNormals();
      view.mesh.position.set(0, 0, 0);
      view.mesh.quaternion.identity();
    } else {
      view.mesh.position.fromArray(pose.position);
      view.mesh.quaternion.fromArray(pose.rotation);
    }
    view.mesh.updateMatrixWorld();
  }

  #floor_below() {
    const { min, max } = this.box;
    return min.y - 0.06 * max.distanceTo(min);
  }

  /** The key light's map covers the scene and some way around it. */
  #aim() {
    const size = this.box.getSize(new Vector3()), middle = this.box.getCenter(new Vector3());
    const radius = Math.max(0.6, 0.85 * size.length());
    this.key.position.copy(middle).add(new Vector3(0.85, 1.15, 0.6).normalize().multiplyScalar(3 * radius));
    this.key.target.position.copy(middle);
    this.rim.position.copy(middle).add(new Vector3(-1.1, 0.7, -0.9).normalize().multiplyScalar(3 * radius));
    this.rim.target.position.copy(middle);
    const camera = this.key.shadow.camera;
    Object.assign(camera, { left: -radius, right: radius, top: radius, bottom: -radius, near: 0.5 * radius, far: 6 * radius });
    camera.updateProjectionMatrix();
    this.key.shadow.normalBias = 0.004 * radius;
    this.floor.scale.setScalar(12 * radius);
    this.floor.position.x = middle.x;
    this.floor.position.z = middle.z;
    for (const light of [this.key, this.rim]) light.target.updateMatrixWorld();
  }

  /** Points where cloth touches something. */
  #show_contacts(cloths) {
    const places = [];
    if (this.shows.contacts)
      for (const { positions, touching } of cloths)
        for (let v = 0; v < (touching?.length ?? 0); ++v)
          if (touching[v]) places.push(positions[3 * v], positions[3 * v + 1], positions[3 * v + 2]);
    this.contacts.visible = places.length > 0;
    if (!this.contacts.visible) return;
    const geometry = this.contacts.geometry;
    geometry.dispose(); // arrays of another length need buffers of their own
    geometry.setAttribute("position", new BufferAttribute(Float32Array.from(places), 3));
  }
}

/** Splits corners whose triangles face apart, so that a cylinder keeps its rims. */
function creased(geometry, cosine) {
  const flat = geometry.toNonIndexed();
  flat.computeVertexNormals();
  const { position, normal } = flat.attributes, keys = new Map(), a = new Vector3(), b = new Vector3();
  const place = [], index = [];
  for (let i = 0; i < position.count; ++i) {
    const key = [0, 1, 2].map((k) => position.array[3 * i + k].toFixed(6)).join(" ");
    const near = keys.get(key) ?? [];
    keys.set(key, near);
    a.fromBufferAttribute(normal, i);
    let at = near.find((n) => b.fromArray(n.normal).dot(a) > cosine);
    if (!at) {
      at = { normal: a.toArray(), vertex: place.length / 3 };
      near.push(at);
      for (let k = 0; k < 3; ++k) place.push(position.array[3 * i + k]);
    }
    index.push(at.vertex);
  }
  const out = new BufferGeometry();
  out.setAttribute("position", new BufferAttribute(Float32Array.from(place), 3));
  out.setIndex(index);
  return out;
}
