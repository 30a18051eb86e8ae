// What the user has chosen, and the link that holds it: nothing but what differs from the defaults.

/** null: as the scene has it. */
export const DEFAULTS = Object.freeze({
  scene: "flag", fabric: null, solver: null, quality: null, mesh: 1, wind: null, direction: null, gust: null, speed: 1,
  strain: false, contacts: false, wireframe: false, woven: null, paused: false, view: null,
});
/** Those that belong to a scene and go with it. */
const OF_A_SCENE = ["fabric", "solver", "quality", "mesh", "wind", "direction", "gust", "view"];

const RANGES = { quality: [0, 2], mesh: [0.5, 2], wind: [0, 12], direction: [0, 360], gust: [0, 1], speed: [0.1, 1] };
/** Longest text of an own scene in a link: some programs cut longer addresses. */
const LONGEST = 12000;

export function for_new_scene(settings, scene) {
  const fresh = { ...settings, scene };
  for (const key of OF_A_SCENE) fresh[key] = DEFAULTS[key];
  return fresh;
}

const base64 = (bytes) => {
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
};
const bytes_of = (text) => Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** Text of an own scene for a link, or null when it is too long for one. */
export async function packed_scene(text) {
  const minimal = JSON.stringify(JSON.parse(text));
  const packed = base64(await through(new TextEncoder().encode(minimal), new CompressionStream("deflate-raw")));
  return packed.length <= LONGEST ? packed : null;
}
export async function unpacked_scene(packed) {
  return new TextDecoder().decode(await through(bytes_of(packed), new DecompressionStream("deflate-raw")));
}

/** The part of an address after "#". `own`: a packed scene instead of a name. */
export function to_hash(settings, own = null) {
  const out = new URLSearchParams();
  if (own) out.set("own", own);
  for (const [key, usual] of Object.entries(DEFAULTS)) {
    const value = settings[key];
    if ((own && key === "scene") || value === usual || value === undefined) continue;
    if (key === "view") out.set(key, value.map((x) => Number(x.toFixed(3))).join(","));
    else out.set(key, typeof value === "boolean" ? (value ? "1" : "0") : String(value));
  }
  if (!own && !out.has("scene")) out.set("scene", settings.scene);
  return `#${out.toString().replaceAll("%2C", ",")}`;
}

/** Settings of an address, with what could not be read in `wrong`. Names are checked by the engine later. */
export function from_hash(hash) {
  const settings = { ...DEFAULTS }, wrong = [];
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  for (const [key, text] of given) {
    if (key === "own") continue;
    if (!(key in DEFAULTS)) {
      wrong.push(`${key}: no such setting`);
    } else if (key in RANGES) {
      const value = Number(text), [low, high] = RANGES[key];
      if (text !== "" && value >= low && value <= high && (key !== "quality" || Number.isInteger(value))) settings[key] = value;
      else wrong.push(`${key}: found "${text}"; expected a number from ${low} to ${high}`);
    } else if (key === "view") {
      const numbers = text.split(",").map(Number);
      if (numbers.length === 6 && numbers.every(Number.isFinite)) settings.view = numbers;
      else wrong.push(`view: found "${text}"; expected six numbers`);
    } else if (["strain", "contacts", "wireframe", "woven", "paused"].includes(key)) {
      if (text === "1" || text === "0") settings[key] = text === "1";
      else wrong.push(`${key}: found "${text}"; expected 0 or 1`);
    } else settings[key] = text;
  }
  return { settings, own: given.get("own"), wrong };
}
