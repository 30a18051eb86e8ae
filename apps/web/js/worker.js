// The engine's thread: keeps time, takes orders, sends frames. The page draws whatever a frame costs here.
import { features, load } from "../selvage/index.js";
import { WorldHost } from "./world_host.js";

/** Frames on their way to the page at most; a page that draws slowly gets every second or third one. */
const MOST_UNDERWAY = 2;

/** What a broken engine throws; a class of its own where there is no WebAssembly at all. */
const Trap = globalThis.WebAssembly?.RuntimeError ?? class {};

let host = null;
let playing = false, speed = 1, last = 0, owed = 0, underway = 0, timer = 0, unsent = false;
const pace = { from: 0, frames: 0, factor: 0 };

function send_frame() {
  if (!host?.world) return;
  if (underway >= MOST_UNDERWAY) {
    unsent = true;
    return;
  }
  unsent = false;
  underway += 1;
  const [message, buffers] = host.frame();
  postMessage({ ...message, playing, factor: pace.factor }, buffers);
}

function measure_pace(now) {
  pace.frames += 1;
  const wall = (now - pace.from) / 1000;
  if (wall < 0.5) return;
  pace.factor = (pace.frames * host.dt) / wall;
  pace.from = now;
  pace.frames = 0;
}

function advance() {
  const trouble = host.step();
  if (trouble) postMessage({ type: "trouble", text: trouble });
}

function tick() {
  timer = 0;
  if (!playing || !host?.world) return;
  const now = performance.now();
  // A worker that was asleep, or steps that cost more than they last, make time slower; it never jumps.
  owed = Math.min(owed + ((now - last) / 1000) * speed, 2 * host.dt);
  last = now;
  try {
    if (owed >= host.dt) {
      owed -= host.dt;
      advance();
      measure_pace(now);
      send_frame();
    }
  } catch (error) {
    fail(error);
    return;
  }
  const wait = ((host.dt - owed) / speed) * 1000 - (performance.now() - now);
  timer = setTimeout(tick, Math.max(0, wait));
}

function set_playing(on) {
  playing = on;
  last = performance.now();
  owed = 0;
  Object.assign(pace, { from: last, frames: 0, factor: 0 });
  if (timer) clearTimeout(timer);
  timer = on ? setTimeout(tick, 0) : 0;
}

/** Errors the engine answers with leave everything as it was; any other has broken it. */
function fail(error) {
  const full = error?.code === "memory";
  const broken = !full && (error instanceof Trap || error instanceof RangeError ||
    /abort|out of memory|memory access|unreachable/i.test(error?.message ?? ""));
  if (full || broken) set_playing(false);
  postMessage({ type: full ? "full" : broken ? "broken" : "error", text: String(error?.message ?? error), code: error?.code ?? "" });
}

const orders = {
  async start({ threads, base }) {
    const can = features();
    if (can.missing) throw Object.assign(new Error(can.missing), { code: "unsupported" });
    const engine = await load({ threads: threads === false ? false : undefined, base });
    // All cores but one: that one draws.
    host = new WorldHost(engine, engine.threaded ? Math.max(1, Math.min(engine.maxThreads, can.cores - 1, 8)) : 1);
    return { version: engine.version, threaded: engine.threaded, no_threads: can.noThreads, scenes: engine.scenes,
             solvers: engine.solvers, fabrics: engine.fabrics.map((name) => engine.fabric(name)) };
  },
  open({ source, settings, positions }) {
    const opened = host.open(source, settings);
    if (positions) host.put_state(positions);
    return opened;
  },
  change: ({ settings }) => host.change(settings),
  solver: ({ settings }) => host.set_solver(settings),
  wind: ({ air }) => host.set_wind(air),
  play({ on, speed: wanted }) {
    speed = wanted ?? speed;
    if (on !== playing) set_playing(on);
  },
  step: () => advance(),
  reset: () => host.reset(),
  shows({ shows }) {
    host.shows = shows;
  },
  grab: ({ hand }) => host.grab(hand),
  move: ({ id, target }) => host.move(id, target),
  pin: ({ id, pinned }) => host.pin(id, pinned),
  release: ({ id }) => (id === undefined ? host.release_all() : host.release(id)),
  collider: ({ index, position }) => host.drag_collider(index, position),
  taken() {
    underway = Math.max(0, underway - 1);
    if (unsent) send_frame();
  },
};
/** Orders after which the picture is another although no time has passed. */
const SHOWN_AT_ONCE = new Set(["open", "change", "step", "reset", "shows", "grab", "release", "pin", "play"]);

postMessage({ type: "alive" });
onmessage = async ({ data }) => {
  const { type, ticket } = data;
  try {
    const result = await orders[type](data);
    if (ticket) postMessage({ type: "answer", ticket, result });
    if (SHOWN_AT_ONCE.has(type) && !playing) send_frame();
  } catch (error) {
    if (ticket) postMessage({ type: "answer", ticket, error: { text: String(error?.message ?? error), code: error?.code ?? "",
      broken: error instanceof Trap } });
    else fail(error);
  }
};
