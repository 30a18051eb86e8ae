// Browsers that lack something: a clear message, or the page without it.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { keep, site, start, status, until, visit } from "./harness.mjs";

let all;
before(async () => (all = await start()));
afterEach(() => all.sweep());
after(() => all?.close());

const told = async (page) => {
  await until(page, () => document.querySelector("#loading.failed"), "the page says why it cannot run");
  assert.equal(await page.getAttribute("#loading", "role"), "alert");
  await keep(page, "told");
  return page.innerText("#loading-text");
};

test("no WebGL 2: the page says so", async () => {
  const { page, close } = await visit(all, "", { ready: false, init: () => {
    const get = HTMLCanvasElement.prototype.getContext;
    HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
      return kind === "webgl2" ? null : get.call(this, kind, ...rest);
    };
  } });
  assert.match(await told(page), /WebGL 2/);
  await close();
});

/** A page whose worker starts with other words first. */
async function with_worker(words) {
  const context = await all.browser.newContext({ viewport: { width: 640, height: 400 } }), page = await context.newPage();
  await context.route("**/js/worker.js", (route) =>
    route.fulfill({ contentType: "text/javascript", body: words + readFileSync(join(site, "js/worker.js"), "utf8"),
                    headers: { "Cross-Origin-Embedder-Policy": "require-corp" } }));
  await page.goto(`${all.address}#scene=corner-hang`);
  return { page, close: () => context.close() };
}

test("no SIMD: the page says so", async () => {
  const { page, close } = await with_worker("WebAssembly.validate = () => false;\n");
  assert.match(await told(page), /SIMD/);
  await close();
});

test("the engine's files are missing: the page says so", async () => {
  const context = await all.browser.newContext(), page = await context.newPage();
  await context.route("**/*.wasm", (route) => route.fulfill({ status: 404, body: "gone" }));
  await page.goto(all.address);
  assert.ok((await told(page)).length > 10);
  await context.close();
});

test("an engine that breaks is started again, and the cloth goes on from where it was", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await until(page, () => globalThis.selvage?.status().time > 0.3, "it runs");
  const low = () => page.evaluate(() => globalThis.selvage.stage.bounds().min.y);
  const before_fall = await low(), { time } = await status(page);
  await page.evaluate(() => globalThis.selvage.link.on_message({ type: "broken", text: "out of memory" }));
  await until(page, () => /started again/.test(globalThis.selvage.status().message), "it is started again");
  await until(page, () => globalThis.selvage.status().time > 0.05, "it goes on");
  assert.ok(time > 0.3 && Math.abs((await low()) - before_fall) < 0.35, "the cloth jumped");
  await keep(page, "started-again");
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
