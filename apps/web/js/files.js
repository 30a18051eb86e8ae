// Files that the user opens or drops. They are read here and handed to the worker; nothing is sent anywhere.

const MESHES = [".obj", ".glb", ".ply"];
const BESIDE = [".mtl", ".pc2", ".mdd", ".png", ".jpg"]; // what meshes and scenes may name
/** Larger files hold meshes that no page could move. */
const MOST_BYTES = 40 * 1024 * 1024;

const extension = (name) => (name.match(/\.[^.]*$/)?.[0] ?? "").toLowerCase();
const megabytes = (bytes) => `${(bytes / 1048576).toFixed(bytes < 10485760 ? 1 : 0)} MB`;

/** What the engine is asked to open: { text | mesh, files, name }. Throws with a text for the user. */
export async function source_of(files) {
  const list = [...files];
  const scene = list.find((file) => extension(file.name) === ".json");
  const mesh = list.find((file) => MESHES.includes(extension(file.name)));
  const main = scene ?? mesh;
  if (!main) {
    const found = list.map((file) => file.name).join(", ") || "nothing";
    throw new Error(`${found}: expected a mesh (.obj, .glb, .ply) or a scene (.json)`);
  }
  for (const file of list) {
    if (file.size > MOST_BYTES)
      throw new Error(`${file.name} has ${megabytes(file.size)}; this page takes files up to ${megabytes(MOST_BYTES)}. ` +
                      "Reduce the mesh, or open it with the desktop program.");
    if (file.size === 0) throw new Error(`${file.name} is empty; expected a mesh or a scene`);
    if (file !== main && ![...MESHES, ...BESIDE, ".json"].includes(extension(file.name)))
      throw new Error(`${file.name}: expected a mesh (.obj, .glb, .ply) or a scene (.json)`);
  }
  const contents = await Promise.all(list.filter((file) => file !== scene).map(async (file) => ({ name: file.name, bytes: await file.arrayBuffer() })));
  return scene ? { text: await scene.text(), files: contents, name: scene.name } : { mesh: mesh.name, files: contents, name: mesh.name };
}

/** Lets the page take dropped files, with a veil while something is over it. */
export function take_drops(veil, on_files) {
  let depth = 0;
  const has_files = (event) => [...(event.dataTransfer?.types ?? [])].includes("Files");
  addEventListener("dragenter", (event) => {
    if (!has_files(event)) return;
    event.preventDefault();
    depth += 1;
    veil.hidden = false;
  });
  addEventListener("dragover", (event) => {
    if (has_files(event)) event.preventDefault();
  });
  addEventListener("dragleave", (event) => {
    if (!has_files(event)) return;
    depth = Math.max(0, depth - 1);
    if (depth === 0) veil.hidden = true;
  });
  addEventListener("drop", (event) => {
    if (!has_files(event)) return;
    event.preventDefault();
    depth = 0;
    veil.hidden = true;
    on_files(event.dataTransfer.files);
  });
}

export function save_file(name, bytes, type) {
  const address = URL.createObjectURL(new Blob([bytes], { type }));
  const anchor = Object.assign(document.createElement("a"), { href: address, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}
