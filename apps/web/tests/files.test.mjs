// Own files: dropped, opened, saved; and what is said about those that cannot be used.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { after, afterEach, before, test } from "node:test";
import { glb_of } from "../js/glb.js";
import { drop, keep, quiet, start, status, until, visit } from "./harness.mjs";

let all;
before(async () => (all = await start()));
afterEach(() => all.sweep());
after(() => all?.close());

/** A square of n by n vertices, 1 m wide, as a mesh file. */
function grid(n) {
  const positions = [], uv = [], triangles = [];
  for (let j = 0; j < n; ++j)
    for (let i = 0; i < n; ++i) {
      positions.push(i / (n - 1) - 0.5, 0.5, j / (n - 1) - 0.5);
      uv.push(i / (n - 1), 1 - j / (n - 1));
    }
  for (let j = 0; j + 1 < n; ++j)
    for (let i = 0; i + 1 < n; ++i) {
      const a = j * n + i;
      triangles.push(a, a + n, a + 1, a + 1, a + n, a + n + 1);
    }
  return { positions, uv, triangles };
}
function obj(n) {
  const { positions, triangles } = grid(n), lines = [];
  for (let i = 0; i < positions.length; i += 3) lines.push(`v ${positions[i]} ${positions[i + 1]} ${positions[i + 2]}`);
  for (let t = 0; t < triangles.length; t += 3) lines.push(`f ${triangles[t] + 1} ${triangles[t + 1] + 1} ${triangles[t + 2] + 1}`);
  return `${lines.join("\n")}\n`;
}
function glb(n) {
  const { positions, uv, triangles } = grid(n), p = Float32Array.from(positions);
  const surface = { positions: p, normals: p.map((_, i) => (i % 3 === 1 ? 1 : 0)), uv: Float32Array.from(uv), index: Uint32Array.from(triangles) };
  const look = { look: { weave: [1, 1, 1], warp_colour: [0.5, 0.5, 0.5], weft_colour: [0.5, 0.5, 0.5] } };
  return Buffer.from(glb_of([{ surface, shape: { name: "sheet", fabric: "linen", look } }], "sheet")).toString("base64");
}
const SCENE = { name: "mine", description: "My own towel", solver: { type: "multilevel", quality: "low" },
                cloths: [{ name: "towel", mesh: { grid: { size: [0.5, 0.8], vertices: [13, 21] } }, place: { translate: [0, 1, 0] }, fabric: "linen", pins: [{ edge: "top" }] }] };

const runs = async (page, vertices) => {
  await until(page, (n) => globalThis.selvage.status().statistics?.vertices === n && globalThis.selvage.status().time > 0.1, `${vertices} vertices move`, { argument: vertices });
};

for (const [what, files, vertices, scene] of [
  [".obj", [{ name: "sheet.obj", text: obj(12) }], 144, "sheet"],
  [".glb", [{ name: "sheet.glb", base64: glb(14) }], 196, "sheet"],
  ["scene", [{ name: "mine.json", text: JSON.stringify(SCENE, null, 2) }], 273, "mine"],
  ["scene with a mesh", [{ name: "both.json", text: JSON.stringify({ ...SCENE, name: "both", cloths: [{ mesh: { file: "sheet.obj" } }] }) },
                         { name: "sheet.obj", text: obj(10) }], 100, "both"]])
  test(`a dropped ${what} is opened and moves; nothing is sent`, async () => {
    const { page, said, close } = await visit(all, "#scene=corner-hang&woven=0");
    const sent = [];
    page.on("request", (request) => {
      if (request.method() !== "GET" || request.postData() || !request.url().startsWith(all.address)) sent.push(request.url());
    });
    await drop(page, files);
    await runs(page, vertices);
    await keep(page, `own-${scene}`);
    assert.equal((await status(page)).scene, scene);
    assert.deepEqual(sent, []);
    quiet(said);
    await close();
  });

test("a link holds an own scene", async () => {
  const first = await visit(all, "#scene=corner-hang&woven=0");
  await drop(first.page, [{ name: "mine.json", text: JSON.stringify(SCENE) }]);
  await runs(first.page, 273);
  await first.page.click("#link-button");
  const hash = await first.page.evaluate(() => location.hash);
  await first.close();
  const second = await visit(all, hash);
  await runs(second.page, 273);
  assert.equal((await status(second.page)).scene, "mine");
  await second.close();
});

for (const [what, file, expected] of [
  ["a broken .obj", { name: "bad.obj", text: "v 1 2\nf 1 2 900\n" }, /bad\.obj/],
  ["a .glb of noise", { name: "noise.glb", text: "glTF but not really" }, /noise\.glb/],
  ["a scene with a typing error", { name: "typo.json", text: '{\n  "cloths": [\n    { "mesh": { "gird": {} } } ] }' }, /^typo\.json:3:\d+: .*"gird".*"grid"/],
  ["a scene that is no JSON", { name: "half.json", text: '{ "cloths": [' }, /^half\.json:1:\d+: is not JSON/],
  ["a picture", { name: "cat.bmp", text: "BM" }, /cat\.bmp: expected a mesh/],
  ["an empty file", { name: "empty.obj", text: "" }, /empty\.obj is empty/],
  ["a mesh of 100 MB", { name: "scan.obj", size: 104857600 }, /scan\.obj has 100 MB; this page takes files up to 40 MB/],
  ["a scene beyond all memory", { name: "huge.json", text: JSON.stringify({ cloths: [{ mesh: { grid: { vertices: [30000, 30000] } } }] }) }, /huge\.json/],
  ["a mesh too fine for a page", { name: "fine.json", text: JSON.stringify({ name: "fine", cloths: [{ mesh: { grid: { vertices: [500, 500] } }, self_collision: false }] }) }, /250000 vertices/],
  ["a mesh that fills the memory", { name: "full.json", text: JSON.stringify({ name: "full", cloths: [{ mesh: { disc: { radius: 1, rings: 500 } } }] }) }, /full\.json.*(memory|vertices)/],
])
  test(`${what}: a clear message, and the running cloth goes on`, { timeout: 180000 }, async () => {
    const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
    await until(page, () => globalThis.selvage.status().time > 0.1, "it runs");
    const { time } = await status(page);
    await drop(page, [file]);
    await until(page, () => globalThis.selvage.status().message !== "", "something is said", { timeout: 120000 });
    const { message, scene } = await status(page);
    console.log(`# ${message}`);
    assert.match(message, expected);
    assert.ok(await page.isVisible("#note"));
    await keep(page, file.name);
    assert.equal(scene, "corner-hang");
    await until(page, (t) => globalThis.selvage.status().time > t + 0.15, "the cloth goes on", { argument: time });
    await close();
  });

test("what is saved is what is shown, and opens again", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.2, "it runs");
  await page.keyboard.press(" ");
  const [download] = await Promise.all([page.waitForEvent("download"), page.click("#save-button")]);
  assert.equal(download.suggestedFilename(), "corner-hang.glb");
  const bytes = readFileSync(await download.path());
  const gltf = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
  const drawn = await page.evaluate(() => globalThis.selvage.stage.cloths[0].surface.count);
  assert.equal(gltf.accessors[0].count, drawn);
  await drop(page, [{ name: "again.glb", base64: bytes.toString("base64") }]);
  await until(page, () => globalThis.selvage.status().scene === "again", "it is open again");
  await close();
});
