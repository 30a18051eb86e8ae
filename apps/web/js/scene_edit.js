// Changes that the page's settings make to a scene file before the engine reads it.

/** Solvers that have a quality of their own; others take what the scene says. */
const WITH_QUALITY = new Set(["multilevel", "xpbd"]);
/** Of the slider, as scene files spell them. */
const QUALITY = ["low", "default", "high"];

const clamp = (x, low, high) => Math.min(high, Math.max(low, x));
const finer = (count, factor, least) => Math.max(least, Math.round((count - 1) * factor) + 1);

function scale_mesh(mesh, factor) {
  for (const kind of ["grid", "ribbon", "tube"])
    if (mesh[kind]) {
      const made = mesh[kind];
      const usual = kind === "grid" ? [33, 33] : kind === "ribbon" ? [65, 5] : [48, 33];
      made.vertices = (made.vertices ?? usual).map((n) => finer(n, factor, kind === "tube" ? 3 : 2));
    }
  if (mesh.disc) mesh.disc.rings = Math.max(1, Math.round((mesh.disc.rings ?? 16) * factor));
}

/** Whether the mesh slider can change a scene at all. */
export function has_made_mesh(scene) {
  return (scene.cloths ?? []).some((cloth) => ["grid", "ribbon", "tube", "disc"].some((kind) => cloth.mesh?.[kind]));
}

export function scene_solver(scene) {
  const solver = { type: "multilevel", ...scene.solver };
  return { solver, quality: WITH_QUALITY.has(solver.type) ? Math.max(0, QUALITY.indexOf(solver.quality ?? "default")) : 1 };
}

/** A copy of `scene` with fabric, mesh, solver and quality as the settings have them; null leaves the scene's own. */
export function edited_scene(scene, settings) {
  const copy = structuredClone(scene);
  for (const cloth of copy.cloths ?? []) {
    if (settings.fabric) cloth.fabric = settings.fabric;
    if (settings.mesh !== 1 && cloth.mesh) scale_mesh(cloth.mesh, clamp(settings.mesh, 0.25, 4));
  }
  if (settings.fabric && copy.render?.fabric) delete copy.render.fabric;
  const own = scene_solver(scene).solver;
  const type = settings.solver ?? own.type;
  copy.solver = type === own.type ? own : { type };
  if (settings.quality !== null && WITH_QUALITY.has(type)) copy.solver.quality = QUALITY[settings.quality];
  else if (type !== own.type && WITH_QUALITY.has(type)) copy.solver.quality = "low";
  return copy;
}

/** A scene around a mesh of unknown size: box is that of the mesh in the file's own unit. */
export function mesh_scene(name, file, box = null) {
  const cloth = { name, mesh: { file }, fabric: "cotton-poplin" };
  if (box) {
    // A file does not say its unit. What is far from a garment's size was not in metres.
    const size = Math.hypot(...box.high.map((high, k) => high - box.low[k]));
    if (!(size > 0) || !Number.isFinite(size)) throw new Error(`${name}: has no extent to show`);
    const scale = size > 0.02 && size < 20 ? 1 : 1.5 / size;
    const middle = box.high.map((high, k) => 0.5 * scale * (high + box.low[k]));
    cloth.place = { scale, translate: [-middle[0], 0.3 - scale * box.low[1], -middle[2]] };
  }
  return { name, description: "Your own mesh", dt: "1/60", solver: { type: "multilevel", quality: "low" },
           air: { density: 1.2 }, cloths: [cloth], colliders: [{ plane: {}, friction: 0.5 }] };
}
