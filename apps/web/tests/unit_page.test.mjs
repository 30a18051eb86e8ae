// The page's own parts, without a browser.
import assert from "node:assert/strict";
import { test } from "node:test";
import { edited_scene, mesh_scene } from "../js/scene_edit.js";
import { excess_stretch, hand_step, leaving_edges } from "../js/hand_force.js";
import { DEFAULTS, for_new_scene, from_hash, packed_scene, to_hash, unpacked_scene } from "../js/settings.js";
import { SmoothSurface } from "../js/smooth.js";
import { glb_of } from "../js/glb.js";

test("a link holds every setting", () => {
  const settings = { scene: "curtain", fabric: "denim", solver: "xpbd", quality: 2, mesh: 1.5, wind: 3.5, direction: 45, gust: 0.2, speed: 0.5,
                     strain: true, contacts: true, wireframe: true, woven: false, paused: true, view: [1, 2, 3, 0.5, 0.25, -1] };
  assert.deepEqual(from_hash(to_hash(settings)), { settings, own: null, wrong: [] });
});

test("a link of defaults names the scene only", () => {
  assert.equal(to_hash({ ...DEFAULTS }), "#scene=flag");
});

test("a broken link keeps what can be read and names the rest", () => {
  const { settings, wrong } = from_hash("#scene=curtain&wind=fast&quality=1.5&colour=red&view=1,2");
  assert.equal(settings.scene, "curtain");
  assert.equal(settings.wind, null);
  assert.deepEqual(wrong, ['wind: found "fast"; expected a number from 0 to 12', 'quality: found "1.5"; expected a number from 0 to 2',
                           "colour: no such setting", 'view: found "1,2"; expected six numbers']);
});

test("an own scene goes through a link unchanged", async () => {
  const text = JSON.stringify({ name: "mine", cloths: [{ mesh: { grid: { vertices: [9, 9] } } }], description: "ä ö" });
  assert.equal(await unpacked_scene(await packed_scene(text)), text);
});

test("a scene too long for a link is refused", async () => {
  const heights = Array.from({ length: 40000 }, (_, i) => Math.sin(i * i));
  assert.equal(await packed_scene(JSON.stringify({ heights })), null);
});

test("another scene takes its own settings along, not what is shown", () => {
  const next = for_new_scene({ ...DEFAULTS, fabric: "denim", wind: 3, strain: true, speed: 0.5 }, "curtain");
  assert.deepEqual(next, { ...DEFAULTS, scene: "curtain", strain: true, speed: 0.5 });
});

test("a finer mesh has as many more cells along each side", () => {
  const scene = { cloths: [{ mesh: { grid: { vertices: [33, 17] } }, fabric: "linen" }], solver: { type: "multilevel", quality: "low" } };
  const changed = edited_scene(scene, { fabric: "denim", mesh: 2, solver: null, quality: 2 });
  assert.deepEqual(changed.cloths[0].mesh.grid.vertices, [65, 33]);
  assert.equal(changed.cloths[0].fabric, "denim");
  assert.deepEqual(changed.solver, { type: "multilevel", quality: "high" });
  assert.equal(scene.cloths[0].fabric, "linen"); // the original stays
});

test("a mesh in millimetres is shown at a garment's size, above the floor", () => {
  const { cloths } = mesh_scene("shirt", "shirt.obj", { low: [-300, 0, -100], high: [300, 700, 100] });
  const { scale, translate } = cloths[0].place;
  assert.ok(Math.abs(scale * Math.hypot(600, 700, 200) - 1.5) < 1e-12);
  assert.ok(Math.abs(translate[1] - 0.3) < 1e-12);
});

/** A square of two triangles: 2 3 / 0 1. */
const SQUARE = [0, 1, 2, 1, 3, 2];

test("the edges that leave a triangle are those to vertices that it lacks", () => {
  const edges = leaving_edges(SQUARE, 0, () => 1);
  assert.deepEqual(edges.map(([from, to]) => [from, to]).sort(), [[1, 3], [2, 3]]);
});

const slack = { at: [0, 0, 0], reached: [0, 0, 0], edges: [], positions: [], excess: -1, pinned: false, seconds: 1 / 60 };

test("a hand reaches a near target at once and a far one at 6 m/s", () => {
  assert.deepEqual(hand_step({ ...slack, target: [0.05, 0, 0] }), [0.05, 0, 0]);
  assert.ok(Math.abs(hand_step({ ...slack, target: [5, 0, 0] })[0] - 0.1) < 1e-12);
});

test("a hand stops where the threads beside it are stretched by 15 %, and may go back", () => {
  const taut = { ...slack, edges: [[0, 1, 1]], positions: [0, 0, 0, -1.15, 0, 0] }; // the cloth pulls towards -x
  assert.ok(Math.abs(hand_step({ ...taut, target: [0.05, 0, 0] })[0]) < 1e-9);
  assert.ok(Math.abs(hand_step({ ...taut, target: [-0.05, 0, 0] })[0] + 0.05) < 1e-9);
});

test("hands give way when cloth stretches by 20 % more than it did", () => {
  assert.ok(excess_stretch(0.25, 0.1) < 0);
  assert.ok(excess_stretch(0.35, 0.1) > 0);
});

/** A cap of a ball of radius 1 as a coarse grid. */
function cap(n) {
  const positions = [], uv = [], triangles = [];
  for (let j = 0; j < n; ++j)
    for (let i = 0; i < n; ++i) {
      const x = (i / (n - 1) - 0.5) * 0.8, y = (j / (n - 1) - 0.5) * 0.8;
      positions.push(x, y, Math.sqrt(1 - x * x - y * y));
      uv.push(x, y);
    }
  for (let j = 0; j + 1 < n; ++j)
    for (let i = 0; i + 1 < n; ++i) {
      const a = j * n + i;
      triangles.push(a, a + 1, a + n, a + 1, a + n + 1, a + n);
    }
  const index = Int32Array.from(triangles);
  return { positions: Float32Array.from(positions), shape: { triangles: index, uv: Float32Array.from(uv), uv_triangles: index, vertices: n * n } };
}

test("the drawn surface lies nearer to a ball than its triangles do", () => {
  const { positions, shape } = cap(9), surface = new SmoothSurface(shape);
  surface.update(positions);
  let worst = 0;
  for (let i = 0; i < surface.count; ++i) {
    const [x, y, z] = surface.positions.subarray(3 * i, 3 * i + 3);
    if (Math.max(Math.abs(x), Math.abs(y)) < 0.25) worst = Math.max(worst, Math.abs(Math.hypot(x, y, z) - 1));
  }
  // The middle of a diagonal of 0.141 lies 0.0025 below the ball.
  assert.ok(worst < 0.0007, `off by ${worst}`);
});

test("tangents of the drawn surface follow the warp, at right angles to the normals", () => {
  const { positions, shape } = cap(9), surface = new SmoothSurface(shape);
  surface.update(positions);
  for (let i = 0; i < surface.count; ++i) {
    const t = surface.tangents.subarray(4 * i, 4 * i + 4), n = surface.normals.subarray(3 * i, 3 * i + 3);
    assert.ok(Math.abs(t[0] * n[0] + t[1] * n[1] + t[2] * n[2]) < 1e-5);
    assert.ok(t[0] > 0.8 && t[3] === 1);
  }
});

test("a saved file is a binary glTF with all points inside its bounds", () => {
  const { positions, shape } = cap(5), surface = new SmoothSurface(shape);
  surface.update(positions);
  const look = { weave: [1, 3, 1], warp_colour: [0.4, 0, 0], weft_colour: [0, 0, 0.4] };
  const bytes = glb_of([{ surface, shape: { ...shape, name: "cap", fabric: "denim", look: { look } } }], "test");
  const view = new DataView(bytes.buffer), length = view.getUint32(12, true);
  assert.equal(view.getUint32(0, true), 0x46546c67);
  assert.equal(view.getUint32(8, true), bytes.length);
  const gltf = JSON.parse(new TextDecoder().decode(bytes.subarray(20, 20 + length)));
  assert.equal(gltf.accessors[0].count, surface.count);
  assert.deepEqual(gltf.materials[0].pbrMetallicRoughness.baseColorFactor.map((x) => Number(x.toFixed(3))), [0.3, 0, 0.1, 1]);
  assert.equal(gltf.buffers[0].byteLength, bytes.length - 28 - length);
  assert.ok(Math.abs(gltf.accessors[0].max[2] - 1) < 1e-6);
});
