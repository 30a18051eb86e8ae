// In a headset: the scene stands on a round table in front of the wearer, at a size that arms can reach. Two hands take
// hold of cloth: by the trigger or the grip of a controller, or by pinching where hands are tracked.
import { BufferGeometry, Color, CylinderGeometry, Float32BufferAttribute, Group, Line, LineBasicMaterial, Matrix4, Mesh,
         MeshStandardMaterial, Raycaster, RingGeometry, SphereGeometry, Vector3 } from "three";
import { new_hand } from "./hands.js";

const TABLE_HEIGHT = 0.78, TABLE_RADIUS = 0.62, AWAY = 0.85; // [m] before the wearer
const WIDEST = 1.1, HIGHEST = 0.95; // [m] that a scene may take on the table
const REACH = 0.07; // [m] within which a hand takes the cloth it touches
const TIP = new Vector3(0, 0, -0.03); // of a controller, from its grip

const by_id = (id) => document.getElementById(id);

export async function offer_vr(app) {
  const button = by_id("vr-button"), { xr } = navigator;
  if (!xr || !(await xr.isSessionSupported("immersive-vr").catch(() => false))) return;
  button.hidden = false;
  const room = new VrRoom(app);
  button.addEventListener("click", () => room.enter().catch((error) => app.note(`VR could not be started: ${error.message}`)));
}

class VrRoom {
  #app;
  #stage;
  #hands = [];
  #table = null;
  #floor = null;
  #ratio = 1;
  /** What the page did for each picture [ms], without what the graphics do after it: for the record. */
  costs = [];

  constructor(app) {
    this.#app = app;
    this.#stage = app.stage;
    app.vr = this;
  }

  async enter() {
    const { renderer } = this.#stage;
    const session = await navigator.xr.requestSession("immersive-vr", { optionalFeatures: ["local-floor", "hand-tracking"] });
    renderer.xr.enabled = true;
    renderer.xr.setReferenceSpaceType("local-floor");
    renderer.xr.setFoveation(1);
    await renderer.xr.setSession(session);
    this.session = session;
    this.#app.hands.release_all();
    this.#furnish();
    this.#hands = [0, 1].map((index) => this.#make_hand(index));
    this.costs = [];
    renderer.setAnimationLoop(() => {
      const began = performance.now();
      this.#frame();
      this.costs.push(performance.now() - began);
      if (this.costs.length > 2000) this.costs.shift();
    });
    session.addEventListener("end", () => this.#leave());
  }

  /** Where a hand is, and what it holds: for scripts and tests. In the scene's own space. */
  status() {
    return this.#hands.map((hand) => ({ side: hand.side, holds: hand.holds !== null, at: this.#to_scene(hand.tip()).toArray(), id: hand.holds }));
  }

  /** Tip of the left or right hand, in the headset's space. */
  tip_of(side) {
    const hand = this.#hands.find((one) => one.side === side);
    return hand ? this.#tip(hand).toArray() : null;
  }

  /** Puts the room onto the table. */
  #furnish() {
    const stage = this.#stage, { room, scene } = stage, box = stage.bounds();
    const size = box.getSize(new Vector3()), middle = box.getCenter(new Vector3());
    const bottom = stage.floor_is_own ? stage.floor_height : box.min.y;
    const scale = Math.min(1, WIDEST / Math.max(size.x, size.z), HIGHEST / Math.max(0.05, box.max.y - bottom));
    room.scale.setScalar(scale);
    room.position.set(-scale * middle.x, TABLE_HEIGHT + 0.006 - scale * bottom, -AWAY - scale * middle.z);
    room.updateMatrixWorld(true);
    this.#table = new Group();
    const wood = new MeshStandardMaterial({ color: 0x6a4c38, roughness: 0.7 }), iron = new MeshStandardMaterial({ color: 0x2b2c31, roughness: 0.6 });
    const top = new Mesh(new CylinderGeometry(TABLE_RADIUS, TABLE_RADIUS - 0.015, 0.035, 64), wood);
    const leg = new Mesh(new CylinderGeometry(0.045, 0.06, TABLE_HEIGHT - 0.035, 24), iron);
    const foot = new Mesh(new CylinderGeometry(0.27, 0.3, 0.03, 48), iron);
    top.position.set(0, TABLE_HEIGHT - 0.0175, -AWAY);
    leg.position.set(0, 0.5 * (TABLE_HEIGHT - 0.035), -AWAY);
    foot.position.set(0, 0.015, -AWAY);
    top.receiveShadow = true;
    const ground = new Mesh(new RingGeometry(0.001, 6, 64).rotateX(-Math.PI / 2), new MeshStandardMaterial({ color: stage.dark ? 0x2a2c33 : 0xb9b2a6, roughness: 1 }));
    this.#table.add(top, leg, foot, ground);
    scene.add(this.#table);
    scene.background = new Color(stage.dark ? 0x1d1f25 : 0xd8d2c8);
    // The floor's shadow is the table's now; one that the scene stands on stays a little above it.
    this.#floor = stage.has_floor;
    stage.has_floor = stage.floor_is_own;
    stage.floor.visible = stage.floor_is_own;
    this.#ratio = stage.ratio;
  }

  #make_hand(index) {
    const { renderer, scene } = this.#stage;
    const controller = renderer.xr.getController(index), grip = renderer.xr.getControllerGrip(index), joints = renderer.xr.getHand(index);
    const ball = new Mesh(new SphereGeometry(0.011, 20, 14), new MeshStandardMaterial({ color: 0xe2814f, roughness: 0.5 }));
    const ray = new Line(new BufferGeometry().setAttribute("position", new Float32BufferAttribute([0, 0, 0, 0, 0, -1], 3)),
                         new LineBasicMaterial({ color: 0xffffff, transparent: true, opacity: 0.35 }));
    ray.scale.z = 0.8;
    controller.add(ray);
    scene.add(controller, grip, joints, ball);
    const hand = { index, controller, grip, joints, ball, ray, holds: null, side: "", source: null, away: null };
    hand.tip = () => this.#tip(hand);
    hand.listeners = {
      connected: ({ data }) => {
        hand.source = data;
        hand.side = data.handedness;
      },
      disconnected: () => {
        this.#let_go(hand);
        hand.source = null;
      },
      selectstart: () => this.#take(hand),
      selectend: () => this.#let_go(hand),
      squeezestart: () => this.#take(hand),
      squeezeend: () => this.#let_go(hand),
    };
    for (const [name, act] of Object.entries(hand.listeners)) controller.addEventListener(name, act);
    return hand;
  }

  /** Between thumb and forefinger where fingers are tracked, else the tip of the controller. */
  #tip(hand) {
    const thumb = hand.joints.joints?.["thumb-tip"], finger = hand.joints.joints?.["index-finger-tip"];
    if (hand.source?.hand && thumb?.visible !== false && finger && thumb) {
      const middle = new Vector3().setFromMatrixPosition(thumb.matrixWorld).add(new Vector3().setFromMatrixPosition(finger.matrixWorld));
      return middle.multiplyScalar(0.5);
    }
    const from = hand.source?.gripSpace ? hand.grip : hand.controller;
    return TIP.clone().applyMatrix4(from.matrixWorld);
  }

  #to_scene(point) {
    return point.clone().applyMatrix4(new Matrix4().copy(this.#stage.room.matrixWorld).invert());
  }

  /** The cloth that the hand touches, or else what its ray meets. */
  #take(hand) {
    if (hand.holds !== null) return;
    const at = this.#to_scene(this.#tip(hand)), scale = this.#stage.room.scale.x;
    let best = null;
    this.#stage.cloths.forEach((view, cloth) => {
      const near = view.nearest(at.toArray());
      if (near.distance < REACH / scale && (!best || near.distance < best.distance)) best = { cloth, ...near };
    });
    hand.away = null;
    if (!best) {
      const caster = new Raycaster(), inverse = new Matrix4().copy(this.#stage.room.matrixWorld).invert();
      caster.ray.origin.setFromMatrixPosition(hand.controller.matrixWorld);
      caster.ray.direction.set(0, 0, -1).transformDirection(hand.controller.matrixWorld);
      caster.ray.applyMatrix4(inverse);
      const hit = this.#stage.pick_ray(caster);
      if (hit?.cloth === undefined) return;
      best = hit;
      hand.away = hit.distance * scale; // what a ray holds stays on the ray
    }
    hand.holds = new_hand();
    const start = this.#point_of(best);
    hand.offset = hand.away === null ? start.sub(at) : null; // no jump at the moment of touch
    this.#app.link.send("grab", { hand: { id: hand.holds, cloth: best.cloth, triangle: best.triangle, weights: best.weights } });
  }

  #point_of({ cloth, triangle, weights }) {
    const view = this.#stage.cloths[cloth], sum = new Vector3();
    weights.forEach((weight, k) => sum.addScaledVector(new Vector3().fromArray(view.positions, 3 * view.shape.triangles[3 * triangle + k]), weight));
    return sum;
  }

  #let_go(hand) {
    if (hand.holds !== null) this.#app.link.send("release", { id: hand.holds });
    hand.holds = null;
  }

  #move(hand) {
    let target;
    if (hand.away === null) {
      hand.offset.multiplyScalar(0.9); // the cloth slips into the hand within a few pictures
      target = this.#to_scene(this.#tip(hand)).add(hand.offset);
    } else target = this.#to_scene(new Vector3(0, 0, -hand.away).applyMatrix4(hand.controller.matrixWorld));
    this.#app.link.send("move", { id: hand.holds, target: target.toArray() });
  }

  #frame() {
    const { renderer, scene, rig } = this.#stage;
    this.#app.take_frame();
    for (const hand of this.#hands) {
      hand.ball.visible = Boolean(hand.source);
      hand.ball.position.copy(this.#tip(hand));
      hand.ball.material.color.set(hand.holds === null ? 0xb9b4ac : 0xe2814f);
      hand.ray.visible = Boolean(hand.source) && hand.holds === null;
      if (hand.holds !== null) this.#move(hand);
    }
    renderer.render(scene, rig.camera);
    this.#stage.drawn += 1;
  }

  #leave() {
    const stage = this.#stage, { renderer, room, scene } = stage;
    renderer.setAnimationLoop(null);
    renderer.xr.enabled = false;
    for (const hand of this.#hands) {
      this.#let_go(hand);
      for (const [name, act] of Object.entries(hand.listeners)) hand.controller.removeEventListener(name, act);
      hand.controller.remove(hand.ray);
      scene.remove(hand.controller, hand.grip, hand.joints, hand.ball);
    }
    this.#hands = [];
    scene.remove(this.#table);
    scene.background = null;
    room.scale.setScalar(1);
    room.position.set(0, 0, 0);
    room.updateMatrixWorld(true);
    stage.has_floor = this.#floor;
    stage.rig.camera.layers.set(0);
    stage.look();
    setTimeout(() => dispatchEvent(new Event("resize")), 0); // once the renderer has ended the session too
  }
}
