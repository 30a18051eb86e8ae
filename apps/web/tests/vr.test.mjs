// In an emulated headset: two hands take a cloth, hold it and pull.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { DEFAULTS, packed_scene, to_hash } from "../js/settings.js";
import { here, keep, quiet, start, status, until, visit } from "./harness.mjs";

const IWER = readFileSync(join(here, "../node_modules/iwer/build/iwer.min.js"), "utf8");
/** A cloth on a table, and nothing on it that would hold it down. */
const SCENE = {
  name: "cloth-on-table", dt: "1/60", substeps: { multilevel: 4, xpbd: 4, other: 20 }, solver: { type: "multilevel", quality: "low" }, air: { density: 1.2 },
  cloths: [{ mesh: { grid: { size: [0.9, 0.9], vertices: [46, 46] } }, place: { rotate_deg: [-90, 20, 0], translate: [0.06, 0.71, 0.04] }, fabric: "linen" }],
  colliders: [{ box: { size: [0.6, 0.03, 0.45] }, place: { translate: [0, 0.685, 0] }, friction: 0.5 },
              { box: { size: [0.06, 0.67, 0.06] }, place: { translate: [0, 0.335, 0] } }, { plane: {} }],
  camera: { eye: [0.9, 1.15, 1.15], target: [0, 0.55, 0] },
};

/** A headset shows 72 pictures a second; the engine's frame is a sixtieth. Each has a thread of its own. */
const PICTURE_MS = 1000 / 72, ENGINE_MS = 1000 / 60;
let all;
before(async () => (all = await start()));
afterEach(() => all.sweep());
after(() => all?.close());

/** A page with a headset on, in VR. */
async function in_vr(hash, hands) {
  const install = `${IWER}
    if (globalThis.IWER) {
      globalThis.headset = new IWER.XRDevice(IWER.metaQuest3);
      headset.installRuntime({ forceInstall: true });
      headset.primaryInputMode = "${hands ? "hand" : "controller"}";
      headset.position.set(0, 1.6, 0);
    }`;
  const visited = await visit(all, hash, { init: install, viewport: { width: 640, height: 360 } }), { page } = visited;
  await page.waitForSelector("#vr-button:visible");
  await page.click("#vr-button");
  await until(page, () => globalThis.selvage.vr?.session && globalThis.selvage.status().in_vr && globalThis.selvage.vr.status().length === 2 &&
    globalThis.selvage.vr.status().every(({ side }) => side), "both hands are there");
  return visited;
}

/** Brings a hand's tip to a point of the headset's space, whatever lies between its pose and its tip. */
const bring = async (page, side, point, tracked) => {
  const arguments_of = [side, point, tracked];
  const step = ([which, at, hand]) => {
    const { vr } = globalThis.selvage, device = hand ? headset.hands[which] : headset.controllers[which];
    const is = vr.tip_of(which), p = device.position, off = at.map((x, k) => x - is[k]);
    if (Math.hypot(...off) < 0.001) return true;
    const pictures = globalThis.selvage.stage.drawn;
    if (pictures < (globalThis.moved_at ?? 0) + 2) return false; // the move before this one is not seen yet
    globalThis.moved_at = pictures;
    p.set(p.x + off[0], p.y + off[1], p.z + off[2]);
    return false;
  };
  await page.evaluate(() => (globalThis.moved_at = -2));
  await until(page, step, `the ${side} hand is there`, { argument: arguments_of });
};

/** Processor time [ms], sorted: of the engine's thread for each frame, of the page's for each picture. What else runs on this
 *  machine lengthens the time on the wall, not this. What the graphics need after the page is done is in neither. */
function processor_times(events) {
  const threads = new Map(events.filter(({ ph, name }) => ph === "M" && name === "thread_name").map(({ pid, tid, args }) => [`${pid} ${tid}`, args.name]));
  const of = (thread, task) => events.filter(({ ph, name, pid, tid, tdur }) => ph === "X" && name === task && tdur !== undefined &&
    threads.get(`${pid} ${tid}`) === thread).map(({ tdur }) => tdur / 1000);
  const sorted = (times) => times.sort((a, b) => a - b);
  // Timers that find no frame due take some microseconds.
  return { engine: sorted(of("DedicatedWorker thread", "TimerFire").filter((ms) => ms > 0.3)), page: sorted(of("CrRendererMain", "FireAnimationFrame")) };
}

for (const [what, tracked] of [["controllers", false], ["tracked hands", true]])
  test(`two ${what} hold a cloth and pull it taut`, { timeout: 240000 }, async () => {
    const { page, said, close } = await in_vr(to_hash({ ...DEFAULTS, woven: false }, await packed_scene(JSON.stringify(SCENE))), tracked);
    await until(page, () => globalThis.selvage.status().time > 2, "the cloth lies on the table"); // corners that fall slip out of reach
    const grips = await page.evaluate(() => {
      // Two corners of the cloth, where they are in the headset's space.
      const { stage } = globalThis.selvage, view = stage.cloths[0], x = view.positions, low = { d: Infinity }, high = { d: -Infinity };
      stage.room.updateMatrixWorld(true);
      for (let i = 0; i < x.length; i += 3) {
        const d = x[i] + 0.2 * x[i + 1];
        if (d < low.d) Object.assign(low, { d, i });
        if (d > high.d) Object.assign(high, { d, i });
      }
      const place = ({ i }) => stage.cloths[0].mesh.localToWorld(stage.rig.target.clone().fromArray(x, i)).toArray();
      return { left: place(low), right: place(high) };
    });
    const press = (side, value) => page.evaluate(([which, x, hand]) => {
      if (hand) headset.hands[which].updatePinchValue(x);
      else headset.controllers[which].updateButtonValue("trigger", x);
    }, [side, value, tracked]);
    for (const side of ["left", "right"]) await bring(page, side, grips[side], tracked);
    for (const side of ["left", "right"]) await press(side, 1);
    await until(page, () => globalThis.selvage.vr.status().every(({ holds }) => holds), "both hands hold");
    await until(page, () => globalThis.selvage.status().hands.length === 2, "the engine has both");
    const apart = () => page.evaluate(() => {
      const [a, b] = globalThis.selvage.status().hands.map(({ point }) => point);
      return Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]);
    });
    const before_pull = await apart();
    await all.browser.startTracing(page, { categories: ["devtools.timeline", "__metadata"] });
    for (let k = 1; k <= 8; ++k) {
      for (const side of ["left", "right"]) {
        const [x, y, z] = grips[side];
        await bring(page, side, [x + (side === "left" ? -0.02 : 0.02) * k, y + 0.025 * k, z], tracked);
      }
      const { time } = await status(page);
      await until(page, (t) => globalThis.selvage.status().time > t + 0.1, "a tenth of a second has passed", { argument: time });
    }
    const { time } = await status(page);
    await until(page, (t) => globalThis.selvage.status().time > t + 0.5, "half a second has passed", { argument: time });
    const spent = processor_times(JSON.parse((await all.browser.stopTracing()).toString()).traceEvents);
    await keep(page, `vr-${tracked ? "hands" : "controllers"}`);
    const after_pull = await apart(), { statistics, diverged, hands } = await status(page), vr = await page.evaluate(() => globalThis.selvage.vr.status());
    assert.ok(!diverged);
    assert.ok(after_pull > before_pull + 0.01, `${before_pull} m apart before, ${after_pull} m after`);
    for (const { id, at } of vr) {
      const { point } = hands.find((hand) => hand.id === id), off = Math.hypot(...point.map((x, k) => x - at[k]));
      console.log(`# ${what}: held point ${(1000 * off).toFixed(0)} mm from the hand, stretch ${(100 * statistics.maxStretch).toFixed(1)} %`);
      assert.ok(off < 0.25, `${off} m`); // taut cloth holds the hands back
    }
    assert.ok(statistics.maxStretch < 0.6, `stretched by ${statistics.maxStretch}`);
    for (const [whose, times, budget, least] of [["the engine's frames", spent.engine, ENGINE_MS, 30],
                                                 ["the page's own work for a picture", spent.page, PICTURE_MS, 5]]) {
      const part = (share) => times[Math.floor(share * (times.length - 1))];
      console.log(`# ${whose} with both hands pulling, processor time: median ${part(0.5)?.toFixed(2)} ms, 95 % below ${part(0.95)?.toFixed(2)} ms, 99 % below ${part(0.99)?.toFixed(2)} ms, ` +
        `longest ${part(1)?.toFixed(2)} ms of ${times.length}; ${times.filter((ms) => ms > budget).length} above ${budget.toFixed(1)} ms`);
      assert.ok(times.length >= least, `${times.length} times of ${whose}`);
      // Work beside this fills caches and lengthens processor time as well: the longest are printed and not judged.
      assert.ok(part(0.95) < budget, `5 % of ${whose} took more than ${part(0.95)} ms; they have ${budget} ms`);
    }
    for (const side of ["left", "right"]) await press(side, 0);
    await until(page, () => globalThis.selvage.status().hands.length === 0, "both have let go");
    await page.evaluate(() => globalThis.selvage.vr.session.end());
    await until(page, () => !globalThis.selvage.status().in_vr, "VR has ended");
    quiet(said);
    await close();
  });
