// Browsers that lack something: a clear message, or the page without it.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { drop, keep, start, status, until, visit } from "./harness.mjs";

let all;
before(async () => (all = await start()));
afterEach(() => all.sweep());
after(() => all?.close());

const told = async (page) => {
  await until(page, () => document.querySelector("#loading.failed"), "the page says why it cannot run");
  assert.equal(await page.getAttribute("#loading", "role"), "alert");
  await keep(page, "told");
  // Nothing lies over the text.
  assert.ok(await page.evaluate(() => {
    const { left, right, top, bottom } = document.getElementById("loading-text").getBoundingClientRect(), y = 0.5 * (top + bottom);
    return [left + 2, 0.5 * (left + right), right - 2].every((x) => document.getElementById("loading").contains(document.elementFromPoint(x, y)));
  }), "the text is covered");
  return page.innerText("#loading-text");
};

/** Runs `body` with a browser of its own, started with these flags. */
async function with_browser(flags, body) {
  const own = await start({ flags });
  try {
    await body(own);
  } finally {
    await own.close();
  }
}

// Browsers that really lack it, by their own switches: nothing of the page or its worker is replaced.
for (const [what, flag, expected] of [
  ["no WebGL 2", "--disable-3d-apis", /WebGL 2/],
  ["no SIMD", "--js-flags=--no-enable-sse4-1", /no SIMD here; Chrome 91, Firefox 89, Safari 16\.4/], // V8 needs SSE 4.1 for it
  ["no WebAssembly", "--js-flags=--jitless", /no WebAssembly/],
])
  test(`${what}: the page says so`, () => with_browser([flag], async (own) => {
    const { page } = await visit(own, "", { ready: false });
    const text = await told(page);
    console.log(`# ${text}`);
    assert.match(text, expected);
    assert.ok(text.length < 300 && !/undefined|\[object/.test(text), text);
  }));

test("the engine's files are missing: the page says so", async () => {
  const context = await all.browser.newContext(), page = await context.newPage();
  await context.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "gone" }));
  await page.goto(all.address);
  assert.ok((await told(page)).length > 10);
  await context.close();
});

/** A browser that gives the engine so much memory [pages of 64 KiB], on a page without threads: it starts with 512. */
const with_memory = async (pages, body) => {
  const own = await start({ threads: false, flags: [`--js-flags=--wasm-max-mem-pages=${pages}`] });
  try {
    await body(own);
  } finally {
    await own.close();
  }
};

test("out of memory for a dropped scene: the page says so, and the running cloth goes on", () => with_memory(700, async (own) => {
  const { page, said } = await visit(own, "#scene=corner-hang&woven=0");
  const { time } = await status(page);
  const grid = { grid: { size: [1, 1], vertices: [120, 120] } };
  await drop(page, [{ name: "fine.json", text: JSON.stringify({ name: "fine", cloths: [{ mesh: grid, fabric: "linen" }] }) }]);
  await until(page, () => globalThis.selvage.status().message !== "", "something is said");
  const { message, scene } = await status(page);
  console.log(`# ${message}`);
  assert.match(message, /^fine\.json: there is not enough memory for it/);
  assert.equal(scene, "corner-hang");
  await keep(page, "out-of-memory");
  await until(page, (t) => globalThis.selvage.status().time > t + 0.2, "the cloth goes on", { argument: time });
  assert.deepEqual(said, []);
}));

test("out of memory in the middle of a frame: the cloth stands still, the page says so, and another scene runs", () => with_memory(560, async (own) => {
  const { page, said } = await visit(own, "#scene=shaken-box&woven=0"); // its contacts want more after a quarter of a second
  await until(page, () => globalThis.selvage.status().message !== "", "something is said");
  const { message, time, playing, diverged } = await status(page);
  console.log(`# ${message}`);
  assert.match(message, /^shaken-box needs more memory than this page may take/);
  assert.ok(time > 0.1 && !playing && !diverged, `at ${time} s`);
  await keep(page, "memory-used-up");
  await page.evaluate(() => (location.hash = "#scene=corner-hang&woven=0"));
  await until(page, () => globalThis.selvage.status().scene === "corner-hang" && globalThis.selvage.status().time > 0.2, "another scene runs");
  assert.equal((await status(page)).message, "");
  assert.deepEqual(said, []);
}));

test("an engine that breaks is started again, and the cloth goes on from where it was", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.3, "it runs");
  await page.evaluate(() => globalThis.selvage.set_paused(true));
  await until(page, () => globalThis.selvage.frame.playing === false, "the engine has paused");
  const positions = () => page.evaluate(() => Array.from(globalThis.selvage.frame.cloths[0].positions)), left = await positions();
  // As a trap does: thrown in the engine's own thread.
  const engine_thread = page.workers().find((worker) => worker.url().endsWith("/js/worker.js"));
  await engine_thread.evaluate(() => void setTimeout(() => {
    throw new WebAssembly.RuntimeError("memory access out of bounds");
  }));
  await until(page, () => /started again/.test(globalThis.selvage.status().message) && globalThis.selvage.frame, "it is started again");
  const found = await positions();
  assert.equal(found.length, left.length);
  const off = found.reduce((most, x, i) => Math.max(most, Math.abs(x - left[i])), 0);
  assert.ok(off < 1e-5, `the cloth jumped by ${off} m`);
  await keep(page, "started-again");
  await page.evaluate(() => globalThis.selvage.set_paused(false));
  await until(page, () => globalThis.selvage.status().time > 0.1, "it goes on");
  await close();
});

test("no threads: the page runs with one", async () => {
  const plain = await start({ threads: false });
  try {
    const { page, said, close } = await visit(plain, "#scene=corner-hang&woven=0");
    assert.equal((await status(page)).threaded, false);
    assert.match(await page.innerText("#about"), /one thread/);
    assert.deepEqual(said, []);
    await close();
  } finally {
    await plain.close();
  }
});
