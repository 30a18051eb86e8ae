// Every built-in scene runs in the page without an error. SELVAGE_SCENE_SECONDS says for how long; 5 in the full check.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { keep, quiet, start, status, until, visit } from "./harness.mjs";

const seconds = Number(process.env.SELVAGE_SCENE_SECONDS ?? 0.4);
let all, shown;
before(async () => {
  all = await start();
  shown = await visit(all, "#scene=corner-hang&woven=0", { viewport: { width: 480, height: 320 } });
});
after(() => all?.close());

test(`every scene runs ${seconds} s`, { timeout: 3600000 }, async (context) => {
  const { page, said } = shown;
  const names = await page.evaluate(() => globalThis.selvage.engine.scenes.map(({ name }) => name));
  assert.ok(names.length >= 30, `${names.length} scenes`);
  for (const name of names)
    await context.test(name, async () => {
      await page.evaluate((scene) => (location.hash = `#scene=${scene}&woven=0`), name);
      await until(page, (scene) => globalThis.selvage.opened.name === scene, `${name} is open`, { argument: name });
      await until(page, (s) => globalThis.selvage.status().time >= s || globalThis.selvage.status().diverged, `${seconds} s have passed`,
                  { argument: seconds, timeout: 30000 + 60000 * seconds });
      const { diverged, message, statistics } = await status(page);
      assert.ok(!diverged, "it diverged");
      // What the engine finds odd about a scene is no error.
      assert.ok(message === "" || message.startsWith(`${name}:`), message);
      assert.ok(Number.isFinite(statistics.maxStretch));
      quiet(said);
      await keep(page, name);
    });
});
