// What the browser tests share: the built site on a server of our own, a real Chromium, and ways to wait and look.
import assert from "node:assert/strict";
import { existsSync, mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { inflateSync } from "node:zlib";
import { serve } from "./serve.mjs";

export const here = dirname(fileURLToPath(import.meta.url));
export const site = resolve(process.env.SELVAGE_SITE ?? join(here, "../../../build/web/site"));
const CHROMIUM = process.env.SELVAGE_CHROMIUM ?? "/usr/bin/chromium";
const FLAGS = ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist",
               "--disable-background-timer-throttling"];

/** Why the tests cannot run here, or "". */
export function missing() {
  if (!existsSync(join(here, "../node_modules/playwright-core"))) return "playwright-core is not installed: run `npm ci` in apps/web";
  if (!existsSync(CHROMIUM)) return `no Chromium at ${CHROMIUM}: run scripts/setup web`;
  if (!existsSync(join(site, "selvage/wasm/selvage.wasm"))) return `no built page in ${site}: run scripts/web build`;
  return "";
}

/** A server and a browser; close() ends both. */
export async function start({ threads = true, flags = [] } = {}) {
  const { chromium } = await import("playwright-core");
  const server = await serve(site, { threads });
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: [...FLAGS, ...flags] });
  const address = `http://127.0.0.1:${server.address().port}/`;
  return {
    browser, address,
    /** After every test, so that one that failed leaves nothing running beside the next. */
    sweep: () => Promise.all(browser.contexts().map((context) => context.close())),
    async close() {
      await browser.close();
      await new Promise((done) => server.close(done));
    },
  };
}

/** A page on the site that notes every word of its console. `ready`: wait until the cloth has moved. */
export async function visit({ browser, address }, hash = "", { ready = true, init = null, ...options } = {}) {
  const context = await browser.newContext({ viewport: { width: 900, height: 560 }, colorScheme: "dark", ...options });
  const page = await context.newPage(), said = [];
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) said.push(`${message.type()}: ${message.text()}`);
  });
  page.on("pageerror", (error) => said.push(`exception: ${error.stack}`));
  if (init) await page.addInitScript(init);
  await page.goto(address + hash);
  if (ready) await until(page, () => globalThis.selvage?.status().frames > 2, "the cloth moves");
  return { page, said, close: () => context.close() };
}

export const status = (page) => page.evaluate(() => globalThis.selvage.status());

/** Waits for a condition in the page; fails with its name and what the page shows. */
export async function until(page, condition, what, { timeout = 60000, argument } = {}) {
  try {
    await page.waitForFunction(condition, argument, { timeout, polling: 50 });
  } catch {
    const shown = await page.evaluate(() => JSON.stringify(globalThis.selvage?.status?.() ?? document.body.innerText.slice(0, 300)));
    assert.fail(`waited ${timeout / 1000} s in vain until ${what}; the page shows ${shown}`);
  }
}

/** No error and no warning was written. */
export function quiet(said) {
  assert.deepEqual(said, []);
}

/** A screenshot as { width, height, at(x, y) -> [r, g, b] }. */
export async function picture(page, options = {}) {
  return decode_png(await page.screenshot(options));
}

/** A picture of a page that stands still: two in a row are the same, however long drawing takes here. */
export async function still(page, options = {}, { timeout = 60000 } = {}) {
  const end = performance.now() + timeout;
  let last = await picture(page, options);
  while (performance.now() < end) {
    await page.waitForTimeout(100);
    const next = await picture(page, options);
    if (!(await page.evaluate(() => globalThis.selvage.stage.dirty)) && difference(last, next, 0) === 0) return next;
    last = next;
  }
  assert.fail(`the picture still changes after ${timeout / 1000} s`);
}

/** Ends at the latest in `timeout`: the next picture of which more than `share` differs from `last`. */
export async function changed_picture(page, last, share, what, options = {}, { timeout = 30000 } = {}) {
  const end = performance.now() + timeout;
  let most = 0;
  while (performance.now() < end) {
    const next = await picture(page, options), changed = difference(last, next);
    if (changed > share) return next;
    most = Math.max(most, changed);
    await page.waitForTimeout(50);
  }
  return assert.fail(`${what} changes ${(100 * most).toFixed(2)} % of the pixels; expected more than ${100 * share} %`);
}

let kept = 0;
/** Keeps a picture of the page in the folder SELVAGE_PICTURES, where that is set, to be looked at. */
export async function keep(page, name) {
  const folder = process.env.SELVAGE_PICTURES;
  if (!folder) return;
  mkdirSync(folder, { recursive: true });
  kept += 1;
  await page.screenshot({ path: join(folder, `${process.pid}-${String(kept).padStart(3, "0")}-${name}.png`), timeout: 120000 });
}

/** Of two pictures: share of pixels that differ by more than `by`. */
export function difference(a, b, by = 12) {
  let changed = 0;
  for (let y = 0; y < a.height; ++y)
    for (let x = 0; x < a.width; ++x) {
      const p = a.at(x, y), q = b.at(x, y);
      if (Math.max(Math.abs(p[0] - q[0]), Math.abs(p[1] - q[1]), Math.abs(p[2] - q[2])) > by) changed += 1;
    }
  return changed / (a.width * a.height);
}

/** Eight bits per channel, RGB or RGBA, not interlaced: what browsers write. */
function decode_png(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length), parts = [];
  let width = 0, height = 0, channels = 0;
  for (let at = 8; at < bytes.length;) {
    const length = view.getUint32(at), type = bytes.toString("latin1", at + 4, at + 8);
    if (type === "IHDR") {
      width = view.getUint32(at + 8);
      height = view.getUint32(at + 12);
      assert.equal(bytes[at + 16], 8);
      channels = { 2: 3, 6: 4 }[bytes[at + 17]];
    } else if (type === "IDAT") parts.push(bytes.subarray(at + 8, at + 8 + length));
    at += 12 + length;
  }
  const raw = inflateSync(Buffer.concat(parts)), stride = width * channels, out = new Uint8Array(stride * height);
  for (let y = 0; y < height; ++y) {
    const filter = raw[y * (stride + 1)];
    for (let i = 0; i < stride; ++i) {
      const left = i >= channels ? out[y * stride + i - channels] : 0, up = y > 0 ? out[(y - 1) * stride + i] : 0;
      const corner = i >= channels && y > 0 ? out[(y - 1) * stride + i - channels] : 0;
      const p = left + up - corner, [pl, pu, pc] = [Math.abs(p - left), Math.abs(p - up), Math.abs(p - corner)];
      const guess = [0, left, up, (left + up) >> 1, pl <= pu && pl <= pc ? left : pu <= pc ? up : corner][filter];
      out[y * stride + i] = raw[y * (stride + 1) + 1 + i] + guess;
    }
  }
  return { width, height, at: (x, y) => out.subarray(y * stride + x * channels, y * stride + x * channels + 3) };
}

/** Drops files made in the page: [{ name, text | bytes (base64) }]. */
export async function drop(page, files) {
  await page.evaluate((list) => {
    const transfer = new DataTransfer();
    for (const { name, text, base64, size } of list) {
      const content = text ?? (base64 ? Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) : new Uint8Array(size));
      transfer.items.add(new File([content], name));
    }
    for (const type of ["dragenter", "dragover", "drop"])
      document.getElementById("stage").dispatchEvent(new DragEvent(type, { bubbles: true, cancelable: true, dataTransfer: transfer }));
  }, files);
}
