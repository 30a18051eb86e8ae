// Puts the page together: a folder that any static host can take. Run through `scripts/web build`.
//   node tools/site.mjs [OUT] [PACKAGE]
// OUT: default build/web/site. PACKAGE: the folder of the built JavaScript package; default build/web/package.
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const page = resolve(dirname(fileURLToPath(import.meta.url)), ".."), root = resolve(page, "../..");
const out = resolve(process.argv[2] ?? join(root, "build/web/site"));
const engine = resolve(process.argv[3] ?? join(root, "build/web/package"));

function need(path, what) {
  if (existsSync(path)) return path;
  console.error(`site: ${path} is missing; ${what}`);
  process.exit(1);
}

/** The modules' own words, for those who read the site's files. */
function copy_three() {
  const from = need(join(page, "node_modules/three"), "run `npm ci` in apps/web first");
  mkdirSync(join(out, "three"), { recursive: true });
  for (const file of ["build/three.module.js", "build/three.core.js", "LICENSE"]) cpSync(join(from, file), join(out, "three", file.replace("build/", "")));
}

function copy_engine() {
  need(join(engine, "wasm/selvage.wasm"), "scripts/web build makes it");
  for (const name of ["index.js", "src", "three", "wasm", "LICENSE"])
    if (existsSync(join(engine, name)))
      cpSync(join(engine, name), join(out, "selvage", name), { recursive: true, filter: (file) => !file.endsWith(".d.ts") });
}

function size_of(folder) {
  return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? size_of(path) : statSync(path).size);
  }, 0);
}

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });
for (const name of ["index.html", "style.css", "icon.svg", "js"]) cpSync(join(page, name), join(out, name), { recursive: true });
const pictures = existsSync(join(page, "pictures")) ? join(page, "pictures") : join(root, "apps/viewer/pictures");
cpSync(pictures, join(out, "pictures"), { recursive: true });
copy_three();
copy_engine();
// For hosts that read them (Netlify, Cloudflare Pages): the headers that threads need.
writeFileSync(join(out, "_headers"), "/*\n  Cross-Origin-Opener-Policy: same-origin\n  Cross-Origin-Embedder-Policy: require-corp\n");
cpSync(need(join(root, "LICENSE"), "this is no checkout"), join(out, "LICENSE"));
const version = JSON.parse(readFileSync(join(engine, "package.json"), "utf8")).version;
console.log(`site: selvage ${version}, ${(size_of(out) / 1048576).toFixed(1)} MB in ${out}`);
