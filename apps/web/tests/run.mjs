// Runs the page's tests: node tests/run.mjs [NAME...]. Those without a browser always run; exit 77 (ctest: skipped) says
// that the others cannot, and why.
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { here, missing } from "./harness.mjs";

const wanted = process.argv.slice(2);
const all = readdirSync(here).filter((file) => file.endsWith(".test.mjs"));
const files = wanted.length > 0 ? wanted.map((name) => `${name}.test.mjs`) : all;
for (const file of files)
  if (!all.includes(file)) {
    console.error(`tests: no test "${file.replace(".test.mjs", "")}"; expected one of ${all.map((name) => name.replace(".test.mjs", "")).join(", ")}`);
    process.exit(2);
  }
const run = (list) => spawnSync(process.execPath, ["--test", "--test-concurrency=1", ...list.map((file) => join(here, file))], { stdio: "inherit" }).status ?? 1;

const why = missing();
if (!why) process.exit(run(files));
const plain = files.filter((file) => file.startsWith("unit_"));
const failed = plain.length > 0 ? run(plain) : 0;
if (failed) process.exit(failed);
console.log(`SKIP: the browser tests did not run: ${why}`);
process.exit(77);
