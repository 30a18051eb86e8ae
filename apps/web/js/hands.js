// Pointers as hands: every mouse, pen or finger takes what lies under it, or turns the camera. A keyboard has a hand too.
import { Plane, Raycaster, Vector2, Vector3 } from "three";

const NEAR_MOUSE = 14, NEAR_TOUCH = 26; // [px] within which a pin is met
const CLICK = 4; // [px]; less is no drag
const KEY_STEP = 0.03; // [m]
const TURN = 0.006; // [rad/px]

let next_hand = 1;

export class Hands {
  #stage;
  #link;
  #pointers = new Map(); // pointer id -> what it does
  #pins = new Map(); // hand id -> point
  #key_hand = null;
  #markers;
  tool = "grab";
  /** Called when what is held changes: with the number of hands and pins. */
  on_change = () => {};
  on_say = () => {};

  constructor(stage, link, markers) {
    this.#stage = stage;
    this.#link = link;
    this.#markers = markers;
    const canvas = stage.canvas;
    canvas.addEventListener("pointerdown", (event) => this.#down(event));
    canvas.addEventListener("pointermove", (event) => this.#move(event));
    for (const name of ["pointerup", "pointercancel", "lostpointercapture"])
      canvas.addEventListener(name, (event) => this.#up(event, name));
    canvas.addEventListener("wheel", (event) => this.#wheel(event), { passive: false });
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("keydown", (event) => this.#key(event));
    canvas.addEventListener("blur", () => this.#drop_key_hand());
  }

  get held() {
    return [...this.#pointers.values()].filter((pointer) => pointer.kind === "hand").length + (this.#key_hand ? 1 : 0);
  }

  /** New markers where the cloth is held, from a frame. */
  show(hands) {
    const marks = this.#markers, known = new Set(hands.map(({ id }) => String(id)));
    for (const mark of [...marks.children]) if (!known.has(mark.dataset.id)) mark.remove();
    this.#pins = new Map(hands.filter(({ pinned }) => pinned).map(({ id, point }) => [id, point]));
    for (const { id, pinned, point } of hands) {
      let mark = [...marks.children].find((one) => one.dataset.id === String(id));
      if (!mark) {
        mark = document.createElement("i");
        mark.dataset.id = id;
        marks.append(mark);
      }
      mark.className = pinned ? "pinned" : "";
      const { x, y, behind } = this.#stage.project(point), box = this.#stage.canvas.getBoundingClientRect();
      mark.hidden = behind;
      mark.style.transform = `translate(${x - box.left}px, ${y - box.top}px)`;
    }
    this.on_change(hands.length);
  }

  /** Another scene: nothing is held. */
  forget() {
    for (const pointer of this.#pointers.values()) if (pointer.kind !== "camera") pointer.kind = "none";
    this.#key_hand = null;
    this.show([]);
  }

  release_all() {
    this.forget();
    this.#link.send("release");
  }

  /** Pins what the pointers hold now; they may take something else next. */
  pin_held() {
    for (const pointer of this.#pointers.values())
      if (pointer.kind === "hand") {
        this.#link.send("pin", { id: pointer.hand, pinned: true });
        pointer.kind = "none";
      }
    if (this.#key_hand) {
      this.#link.send("pin", { id: this.#key_hand.hand, pinned: true });
      this.#key_hand = null;
    }
  }

  #pin_under(event) {
    const reach = event.pointerType === "touch" ? NEAR_TOUCH : NEAR_MOUSE;
    let best = null;
    for (const [id, point] of this.#pins) {
      const at = this.#stage.project(point), distance = Math.hypot(at.x - event.clientX, at.y - event.clientY);
      if (distance < reach && (!best || distance < best.distance)) best = { id, point, distance };
    }
    return best;
  }

  #down(event) {
    const canvas = this.#stage.canvas;
    canvas.focus({ preventScroll: true });
    try {
      canvas.setPointerCapture(event.pointerId);
    } catch { /* made by a script, or gone already */ }
    const pointer = { kind: "camera", x: event.clientX, y: event.clientY, from: [event.clientX, event.clientY], moved: false,
                      pan: event.button === 2 || event.button === 1 || event.shiftKey };
    this.#pointers.set(event.pointerId, pointer);
    const pin = this.tool === "look" ? null : this.#pin_under(event);
    if (pin && event.button === 2) {
      this.#link.send("release", { id: pin.id });
      pointer.kind = "none";
    } else if (pin) this.#take_pin(pointer, pin);
    else if (event.button === 0 && !event.shiftKey && this.tool !== "look") this.#take(pointer, this.#stage.pick(event.clientX, event.clientY));
    canvas.dataset.doing = pointer.kind;
  }

  #take_pin(pointer, { id, point }) {
    Object.assign(pointer, { kind: "hand", hand: id, was_pin: true, plane: this.#plane(new Vector3(...point)) });
    this.#link.send("pin", { id, pinned: false });
  }

  #take(pointer, hit) {
    if (!hit) return;
    if (hit.cloth !== undefined) {
      Object.assign(pointer, { kind: "hand", hand: next_hand++, plane: this.#plane(hit.point) });
      this.#link.send("grab", { hand: { id: pointer.hand, cloth: hit.cloth, triangle: hit.triangle, weights: hit.weights } });
    } else {
      const { mesh, deforming } = this.#stage.colliders[hit.collider];
      if (deforming) return;
      Object.assign(pointer, { kind: "collider", collider: hit.collider, plane: this.#plane(hit.point), offset: mesh.position.clone().sub(hit.point) });
    }
  }

  /** Through a point, facing the camera: a hand stays as far away as it was. */
  #plane(point) {
    const normal = new Vector3().setFromMatrixColumn(this.#stage.rig.camera.matrixWorld, 2);
    return new Plane().setFromNormalAndCoplanarPoint(normal, point);
  }

  #move(event) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) {
      this.#hover(event);
      return;
    }
    const dx = event.clientX - pointer.x, dy = event.clientY - pointer.y;
    pointer.x = event.clientX;
    pointer.y = event.clientY;
    pointer.moved ||= Math.hypot(pointer.x - pointer.from[0], pointer.y - pointer.from[1]) > CLICK;
    if (pointer.kind === "camera") this.#turn(pointer, dx, dy);
    else if (pointer.kind !== "none") this.#send_target(pointer);
  }

  #send_target(pointer) {
    const target = this.#stage.ray(pointer.x, pointer.y).ray.intersectPlane(pointer.plane, new Vector3());
    if (!target) return;
    if (pointer.kind === "hand") this.#link.send("move", { id: pointer.hand, target: target.toArray() });
    else this.#link.send("collider", { index: pointer.collider, position: target.add(pointer.offset).toArray() });
  }

  #hover(event) {
    if (event.pointerType !== "mouse") return;
    const can = this.tool !== "look" && (this.#pin_under(event) || this.#stage.pick(event.clientX, event.clientY));
    this.#stage.canvas.dataset.over = can ? "cloth" : "";
  }

  #turn(pointer, dx, dy) {
    const { rig, size } = this.#stage;
    const others = [...this.#pointers.values()].filter((one) => one.kind === "camera" && one !== pointer);
    if (others.length > 0) {
      const [other] = others; // two fingers: what lies between them stays between them
      const was = Math.hypot(pointer.x - dx - other.x, pointer.y - dy - other.y);
      const is = Math.hypot(pointer.x - other.x, pointer.y - other.y);
      if (was > 10 && is > 10) rig.zoom(was / is);
      rig.pan(dx / 2, dy / 2, size.height);
    } else if (pointer.pan) rig.pan(dx, dy, size.height);
    else rig.turn(dx * TURN, dy * TURN);
    this.#stage.dirty = true;
    this.on_camera?.();
  }

  #up(event, name) {
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) return;
    this.#pointers.delete(event.pointerId);
    if (this.#pointers.size === 0) this.#stage.canvas.dataset.doing = "";
    if (pointer.kind !== "hand") return;
    const stays = pointer.was_pin ? pointer.moved : this.tool === "pin" && name === "pointerup";
    if (stays) this.#link.send("pin", { id: pointer.hand, pinned: true });
    else this.#link.send("release", { id: pointer.hand });
  }

  #wheel(event) {
    event.preventDefault();
    const steps = event.deltaMode === 1 ? event.deltaY / 3 : event.deltaY / 100;
    const holding = [...this.#pointers.values()].filter((pointer) => pointer.kind === "hand" || pointer.kind === "collider");
    if (holding.length === 0) this.#stage.rig.zoom(Math.pow(1.12, Math.max(-4, Math.min(4, steps))));
    for (const pointer of holding) {
      pointer.plane.constant += 0.02 * Math.max(-4, Math.min(4, steps)); // nearer or farther
      this.#send_target(pointer);
    }
    this.#stage.dirty = true;
    if (holding.length === 0) this.on_camera?.();
  }

  // The keyboard's hand: G takes what is in the middle of the picture, arrows move it in the picture's plane.
  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const ways = { ArrowLeft: [-1, 0, 0], ArrowRight: [1, 0, 0], ArrowUp: [0, 1, 0], ArrowDown: [0, -1, 0], PageUp: [0, 0, -1], PageDown: [0, 0, 1] };
    const way = ways[event.key], { rig } = this.#stage;
    if (event.key === "g" || event.key === "G") this.#key_hand ? this.#drop_key_hand() : this.#take_by_key();
    else if (event.key === "Escape" && this.#key_hand) this.#drop_key_hand();
    else if (way && this.#key_hand) this.#move_key_hand(way);
    else if (way && way[2] === 0) rig.turn(-0.08 * way[0], 0.08 * way[1]);
    else if (event.key === "+" || event.key === "=") rig.zoom(1 / 1.12);
    else if (event.key === "-") rig.zoom(1.12);
    else return;
    event.preventDefault();
    this.#stage.dirty = true;
  }

  #take_by_key() {
    const caster = new Raycaster(), { rig } = this.#stage;
    let hit = null;
    // Outwards from the middle, so that a hanging corner or a fold is met too.
    for (let ring = 0; ring < 12 && !hit; ++ring)
      for (let k = 0; k < (ring === 0 ? 1 : 12) && !hit; ++k) {
        const angle = (k * Math.PI) / 6, far = ring * 0.05;
        caster.setFromCamera(new Vector2(far * Math.cos(angle) - this.#offset().x, far * Math.sin(angle) - this.#offset().y), rig.camera);
        const met = this.#stage.pick_ray(caster);
        if (met?.cloth !== undefined) hit = met;
      }
    if (!hit) return this.on_say("There is no cloth near the middle of the picture.");
    this.#key_hand = { hand: next_hand++, at: hit.point };
    this.#link.send("grab", { hand: { id: this.#key_hand.hand, cloth: hit.cloth, triangle: hit.triangle, weights: hit.weights } });
    this.on_say("Holding the cloth. Arrow keys move it, P pins it, G lets go.");
  }

  /** The target is off the canvas's middle where panels cover it. */
  #offset() {
    const at = this.#stage.rig.target.clone().project(this.#stage.rig.camera);
    return { x: -at.x, y: -at.y };
  }

  #move_key_hand(way) {
    const { rig, } = this.#stage, matrix = rig.camera.matrixWorld;
    for (let k = 0; k < 3; ++k) this.#key_hand.at.addScaledVector(new Vector3().setFromMatrixColumn(matrix, k), KEY_STEP * way[k]);
    this.#link.send("move", { id: this.#key_hand.hand, target: this.#key_hand.at.toArray() });
  }

  #drop_key_hand() {
    if (!this.#key_hand) return;
    this.#link.send("release", { id: this.#key_hand.hand });
    this.#key_hand = null;
    this.on_say("Let go.");
  }
}

/** Numbers of hands are never used twice, by pointers or in VR. */
export function new_hand() {
  return next_hand++;
}
