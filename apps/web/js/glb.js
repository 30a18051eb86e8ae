// Cloth as it is now, as a binary glTF file: smooth surface, normals, pattern, colour.
import { mean_colour } from "./colour.js";

const FLOAT = 5126, UINT = 5125, ARRAY = 34962, ELEMENTS = 34963;

/** Reuses the views' own arrays; nothing is changed. */
export function glb_of(views, title) {
  const parts = [], buffer_views = [], accessors = [];
  let bytes = 0;
  const add = (array, type, target, more = {}) => {
    const data = new Uint8Array(array.buffer, array.byteOffset, array.byteLength);
    buffer_views.push({ buffer: 0, byteOffset: bytes, byteLength: data.length, target });
    parts.push(data);
    bytes += data.length; // all arrays are of four-byte numbers: aligned
    const size = { SCALAR: 1, VEC2: 2, VEC3: 3 }[type];
    accessors.push({ bufferView: buffer_views.length - 1, componentType: target === ELEMENTS ? UINT : FLOAT, count: array.length / size, type, ...more });
    return accessors.length - 1;
  };
  const meshes = [], materials = [], nodes = [];
  for (const view of views) {
    const { positions, normals, uv, index } = view.surface, { look } = view.shape.look;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < positions.length; ++i) {
      low[i % 3] = Math.min(low[i % 3], positions[i]);
      high[i % 3] = Math.max(high[i % 3], positions[i]);
    }
    const attributes = { POSITION: add(positions, "VEC3", ARRAY, { min: low, max: high }), NORMAL: add(normals, "VEC3", ARRAY),
                         TEXCOORD_0: add(uv, "VEC2", ARRAY) };
    materials.push({ name: view.shape.fabric || "cloth", doubleSided: true,
                     pbrMetallicRoughness: { baseColorFactor: [...mean_colour(look), 1], metallicFactor: 0, roughnessFactor: 0.85 } });
    meshes.push({ name: view.shape.name, primitives: [{ attributes, indices: add(index, "SCALAR", ELEMENTS), material: materials.length - 1 }] });
    nodes.push({ name: view.shape.name, mesh: meshes.length - 1 });
  }
  const text = JSON.stringify({ asset: { version: "2.0", generator: "Selvage" }, scene: 0, scenes: [{ name: title, nodes: nodes.map((_, i) => i) }],
                                nodes, meshes, materials, accessors, bufferViews: buffer_views, buffers: [{ byteLength: bytes }] });
  return packed(new TextEncoder().encode(text), parts, bytes);
}

function packed(json, parts, bytes) {
  const padded = Math.ceil(json.length / 4) * 4, total = 12 + 8 + padded + 8 + bytes;
  const out = new Uint8Array(total), view = new DataView(out.buffer);
  const words = [0x46546c67, 2, total, padded, 0x4e4f534a]; // "glTF", version, length; then the first chunk, "JSON"
  words.forEach((word, i) => view.setUint32(4 * i, word, true));
  out.fill(0x20, 20, 20 + padded);
  out.set(json, 20);
  view.setUint32(20 + padded, bytes, true);
  view.setUint32(24 + padded, 0x004e4942, true); // "BIN"
  let at = 28 + padded;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}
