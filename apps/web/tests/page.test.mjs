// The page in a real Chromium: it loads, moves, is taken by mouse, touch and keys, and keeps what the user chose.
import assert from "node:assert/strict";
import { after, afterEach, before, test } from "node:test";
import { changed_picture, difference, keep, picture, quiet, start, status, still, until, visit } from "./harness.mjs";

let all;
before(async () => (all = await start()));
afterEach(() => all.sweep());
after(() => all?.close());

/** A point of the page [px] that has cloth under it, the nearest to the middle of the picture. */
const cloth_point = (page, from = [0.36, 0.5]) => page.evaluate(([fx, fy]) => {
  const { stage } = globalThis.selvage, { width, height } = stage.size;
  for (let ring = 0; ring < 40; ++ring)
    for (let k = 0; k < 16; ++k) {
      const x = fx * width + 8 * ring * Math.cos(k * 0.3927), y = fy * height + 8 * ring * Math.sin(k * 0.3927);
      if (document.elementFromPoint(x, y) === stage.canvas && stage.pick(x, y)?.cloth !== undefined) return { x, y };
    }
  throw new Error("no cloth in the picture");
}, from);

/** Stops time, so that the cloth stays under the pointer until it is taken. */
const stand_still = async (page) => {
  await page.evaluate(() => globalThis.selvage.set_paused(true));
  await until(page, () => {
    const { frame, stage } = globalThis.selvage;
    // The newest frame is the one that is drawn: what is picked then is what the pointer meets.
    return frame?.playing === false && !stage.dirty && stage.cloths.every((view, i) => view.positions === frame.cloths[i].positions);
  }, "it stands still");
};
const go_on = (page) => page.evaluate(() => globalThis.selvage.set_paused(false));

test("it loads without a word in the console, and the cloth is seen to move", async () => {
  const { page, said, close } = await visit(all, "#scene=flag&woven=0");
  const box = { x: 40, y: 80, width: 480, height: 380 };
  const first = await picture(page, { clip: box }), { time } = await status(page);
  await until(page, (t) => globalThis.selvage.status().time > t + 0.4, "0.4 s have passed", { argument: time });
  const later = await picture(page, { clip: box });
  await keep(page, "flag");
  const moved = difference(first, later);
  assert.ok(moved > 0.02, `only ${(100 * moved).toFixed(1)} % of the pixels changed`);
  quiet(said);
  await close();
});

test("the first cloth moves within seconds of a cold load", async () => {
  const began = performance.now();
  const { page, close } = await visit(all, "#scene=flag&woven=0");
  const seconds = (performance.now() - began) / 1000;
  console.log(`# first frames after ${seconds.toFixed(2)} s; threads: ${(await status(page)).threaded}`);
  assert.ok(seconds < 20, `${seconds} s`); // a bound that holds on a loaded machine; the figure above is the measure
  await close();
});

test("a drag takes the point under the pointer along, within 3 px", async () => {
  const { page, said, close } = await visit(all, "#scene=corner-hang&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.5, "the cloth hangs");
  await stand_still(page);
  const from = await cloth_point(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await until(page, () => globalThis.selvage.status().hands.length === 1, "the cloth is held");
  await go_on(page);
  const to = { x: from.x + 25, y: from.y - 45 };
  for (let k = 1; k <= 6; ++k) await page.mouse.move(from.x + (25 * k) / 6, from.y - (45 * k) / 6);
  const gap = (at) => {
    const [hand] = globalThis.selvage.status().hands;
    return hand && Math.hypot(hand.x - at.x, hand.y - at.y) < 3;
  };
  await until(page, gap, "the held point is within 3 px of the pointer", { argument: to, timeout: 20000 });
  const { time } = await status(page);
  await until(page, (t) => globalThis.selvage.status().time > t + 0.3, "time goes on", { argument: time });
  const [hand] = (await status(page)).hands, off = Math.hypot(hand.x - to.x, hand.y - to.y);
  console.log(`# held point ${off.toFixed(2)} px from the pointer`);
  assert.ok(off < 3, `${off} px`);
  // What is drawn there is the cloth, not a marker of our own making.
  assert.ok(await page.evaluate(({ x, y }) => {
    for (const [dx, dy] of [[0, 0], [3, 0], [-3, 0], [0, 3], [0, -3]]) if (globalThis.selvage.stage.pick(x + dx, y + dy)?.cloth !== undefined) return true;
    return false;
  }, to));
  await page.mouse.up();
  await until(page, () => globalThis.selvage.status().hands.length === 0, "the cloth is let go");
  quiet(said);
  await close();
});

test("a hand that leaps away makes the cloth taut and no more", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await stand_still(page);
  const from = await cloth_point(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await until(page, () => globalThis.selvage.status().hands.length === 1, "the cloth is held");
  await go_on(page);
  await page.mouse.move(5, 555);
  const { time } = await status(page);
  await until(page, (t) => globalThis.selvage.status().time > t + 0.8, "0.8 s have passed", { argument: time });
  const { statistics, diverged } = await status(page);
  assert.ok(!diverged && statistics.maxStretch < 0.6, `stretched by ${statistics.maxStretch}`);
  await page.mouse.up();
  await close();
});

test("the pin tool leaves the cloth where it was let go; a click takes the pin out", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await page.keyboard.press("2");
  await stand_still(page);
  const from = await cloth_point(page);
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await until(page, () => globalThis.selvage.status().hands.length === 1, "the cloth is held");
  await go_on(page);
  await page.mouse.move(from.x + 12, from.y - 20, { steps: 4 });
  await page.mouse.up();
  await until(page, () => globalThis.selvage.status().hands[0]?.pinned, "there is a pin");
  const { hands: [pin], time } = await status(page);
  await until(page, (t) => globalThis.selvage.status().time > t + 0.3, "time goes on", { argument: time });
  const [same] = (await status(page)).hands;
  assert.ok(Math.hypot(same.x - pin.x, same.y - pin.y) < 2);
  await page.mouse.click(same.x, same.y);
  await until(page, () => globalThis.selvage.status().hands.length === 0, "the pin is out");
  await close();
});

test("a ball is pushed by dragging it", async () => {
  const { page, close } = await visit(all, "#scene=sphere-drape&paused=1&woven=0", { ready: false });
  await until(page, () => globalThis.selvage?.status().scene, "the scene is open");
  const ball = await page.evaluate(() => {
    const { stage } = globalThis.selvage, at = stage.project(stage.colliders[0].mesh.position.toArray());
    return { ...at, y: at.y + 12, hit: stage.pick(at.x, at.y + 12) };
  });
  assert.equal(ball.hit?.collider, 0);
  await page.mouse.move(ball.x, ball.y);
  await page.mouse.down();
  await page.mouse.move(ball.x + 60, ball.y, { steps: 4 });
  await page.mouse.up();
  await page.keyboard.press(" ");
  const start = await page.evaluate(() => globalThis.selvage.opened.colliders[0].pose.position[0]);
  await until(page, (x) => globalThis.selvage.stage.colliders[0].mesh.position.x > x + 0.03, "the ball has moved", { argument: start });
  await close();
});

test("two fingers are two hands", async () => {
  const { page, said, close } = await visit(all, "#scene=corner-hang&woven=0", { hasTouch: true });
  await until(page, () => globalThis.selvage.status().time > 0.4, "the cloth hangs");
  await stand_still(page);
  const a = await cloth_point(page, [0.24, 0.5]), b = await cloth_point(page, [0.4, 0.5]);
  const wire = await page.context().newCDPSession(page);
  const touch = (type, points) => wire.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ ...a, id: 1 }, { ...b, id: 2 }]);
  await until(page, () => globalThis.selvage.status().hands.length === 2, "both fingers hold");
  await go_on(page);
  for (let k = 1; k <= 5; ++k) await touch("touchMove", [{ x: a.x + 3 * k, y: a.y - 4 * k, id: 1 }, { x: b.x - 3 * k, y: b.y - 4 * k, id: 2 }]);
  const near = ([p, q]) => {
    const hands = globalThis.selvage.status().hands;
    return hands.length === 2 && [p, q].every((at) => hands.some((hand) => Math.hypot(hand.x - at.x, hand.y - at.y) < 3));
  };
  await until(page, near, "each held point is within 3 px of its finger",
              { argument: [{ x: a.x + 15, y: a.y - 20 }, { x: b.x - 15, y: b.y - 20 }], timeout: 20000 });
  await touch("touchEnd", []);
  await until(page, () => globalThis.selvage.status().hands.length === 0, "both have let go");
  quiet(said);
  await close();
});

test("two fingers beside the cloth zoom", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0", { hasTouch: true });
  const eye = () => page.evaluate(() => globalThis.selvage.stage.rig.camera.position.distanceTo(globalThis.selvage.stage.rig.target));
  const before_zoom = await eye(), wire = await page.context().newCDPSession(page);
  const touch = (type, points) => wire.send("Input.dispatchTouchEvent", { type, touchPoints: points });
  await touch("touchStart", [{ x: 40, y: 120, id: 1 }, { x: 40, y: 320, id: 2 }]);
  await touch("touchMove", [{ x: 40, y: 170, id: 1 }, { x: 40, y: 270, id: 2 }]);
  await touch("touchEnd", []);
  const ratio = (await eye()) / before_zoom;
  assert.ok(ratio > 1.5 && ratio < 2.5, `${ratio}`); // half the distance between the fingers: about twice as far
  await close();
});

test("the keyboard alone takes the cloth, moves it and works every control", async () => {
  const { page, said, close } = await visit(all, "#scene=corner-hang&woven=0");
  await until(page, () => globalThis.selvage.status().time > 2.5, "the cloth hangs"); // it falls through the middle before
  await page.focus("#canvas");
  await page.keyboard.press("g");
  await until(page, () => globalThis.selvage.status().hands.length === 1, "G holds the cloth");
  const [hand] = (await status(page)).hands;
  for (let k = 0; k < 4; ++k) await page.keyboard.press("ArrowUp");
  await until(page, (y) => globalThis.selvage.status().hands[0]?.point[1] > y + 0.06, "the cloth is lifted", { argument: hand.point[1] });
  await page.keyboard.press("g");
  await until(page, () => globalThis.selvage.status().hands.length === 0, "G lets go");
  const reached = new Set();
  for (let k = 0; k < 40; ++k) {
    await page.keyboard.press("Tab");
    const { id, named } = await page.evaluate(() => {
      const at = document.activeElement;
      const named = at.ariaLabel || at.textContent.trim() || at.labels?.[0]?.textContent.trim() || at.getAttribute("aria-labelledby");
      return { id: at.id || at.dataset.fabric || at.dataset.tool || at.tagName, named };
    });
    assert.ok(named || id === "BODY", `${id} has no name for screen readers`);
    reached.add(id);
  }
  for (const id of ["scene-button", "play-button", "step-button", "reset-button", "wind", "direction", "gust", "solver", "quality", "mesh", "speed",
                    "strain", "contacts", "wireframe", "woven", "file", "save-button", "link-button", "theme-button", "help-button"])
    assert.ok(reached.has(id), `Tab does not reach ${id}`);
  quiet(said);
  await close();
});

test("pause, step and start again", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await page.click("#play-button");
  await until(page, () => globalThis.selvage.frame.playing === false, "the engine has paused");
  const { frames } = await status(page);
  await page.waitForTimeout(400);
  assert.equal((await status(page)).frames, frames);
  await page.click("#step-button");
  await until(page, (n) => globalThis.selvage.status().frames === n + 1, "one frame more", { argument: frames });
  await page.click("#reset-button");
  await until(page, () => globalThis.selvage.status().time === 0, "it is at the start");
  await close();
});

test("fabric, solver, quality and wind change while it runs", async () => {
  const { page, said, close } = await visit(all, "#scene=flag&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.3, "the flag flies");
  const { time } = await status(page);
  await page.click('[data-fabric="denim"]');
  await until(page, () => globalThis.selvage.opened.cloths[0].fabric === "denim" && globalThis.selvage.frame, "it is denim");
  assert.ok((await status(page)).time >= time, "time went back");
  await page.selectOption("#solver", "xpbd");
  await page.locator("#quality").fill("1");
  await page.locator("#wind").fill("9");
  const after_change = (await status(page)).time;
  await until(page, (t) => globalThis.selvage.status().time > t + 0.2, "it goes on", { argument: after_change });
  const { settings, message } = await status(page);
  assert.equal(message, "");
  assert.deepEqual([settings.fabric, settings.solver, settings.quality, settings.wind], ["denim", "xpbd", 1, 9]);
  quiet(said);
  await close();
});

test("the woven look is drawn, with threads to see", { timeout: 240000 }, async () => {
  const { page, said, close } = await visit(all, "#scene=corner-hang&fabric=denim&woven=0", { viewport: { width: 480, height: 360 } });
  await until(page, () => globalThis.selvage.status().time > 0.5, "the cloth hangs");
  await stand_still(page);
  await page.evaluate(() => {
    // 6 cm before the middle of the cloth: a pixel is a fifth of a yarn.
    const { stage } = globalThis.selvage, { positions } = stage.cloths[0], [x, y, z] = positions.subarray(3 * 544, 3 * 544 + 3);
    stage.rig.set([x, y, z + 0.06, x, y, z]);
    stage.ratio = stage.most_ratio;
    stage.resize(stage.size.width, stage.size.height, { left: 0, right: 0, top: 0, bottom: 0 });
  });
  const clip = { clip: { x: 60, y: 90, width: 300, height: 150 }, timeout: 120000 };
  const plain = await still(page, clip), { drawn } = await status(page);
  await page.evaluate(() => globalThis.selvage.change("woven", true));
  await until(page, (n) => globalThis.selvage.status().drawn > n, "it is drawn", { argument: drawn });
  const woven = await picture(page, clip);
  await keep(page, "woven");
  // Yarns make neighbouring pixels differ far more than the folds of a plain surface do.
  const grain = (image) => {
    let sum = 0;
    for (let y = 0; y < image.height; ++y) for (let x = 1; x < image.width; ++x) sum += Math.abs(image.at(x, y)[2] - image.at(x - 1, y)[2]);
    return sum / (image.width * image.height);
  };
  assert.ok(grain(woven) > 2 * grain(plain), `grain ${grain(woven)} woven, ${grain(plain)} plain`);
  quiet(said);
  await close();
});

test("overlays are seen", async () => {
  const { page, said, close } = await visit(all, "#scene=sphere-drape&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.6, "the cloth lies on the ball");
  await page.keyboard.press(" ");
  await until(page, () => globalThis.selvage.frame.playing === false, "the engine has paused");
  const box = { clip: { x: 100, y: 80, width: 380, height: 380 } };
  let last = await still(page, box);
  for (const key of ["s", "w", "c"]) {
    await page.keyboard.press(key);
    await changed_picture(page, last, 0.002, key, box);
    last = await still(page, box);
    await keep(page, `overlay-${key}`);
  }
  quiet(said);
  await close();
});

test("a link brings back scene, settings and view", async () => {
  const first = await visit(all, "#scene=curtain&fabric=silk-satin&wind=2&speed=0.5&wireframe=1&woven=0");
  await first.page.keyboard.press("ArrowRight");
  await first.page.evaluate(() => globalThis.selvage.stage.rig.turn(0.4, 0.1));
  await first.page.click("#link-button");
  await until(first.page, () => /view=/.test(location.hash), "the address holds the view");
  const hash = await first.page.evaluate(() => location.hash), before_visit = await status(first.page);
  await first.close();
  const second = await visit(all, hash), now = await status(second.page);
  assert.deepEqual(now.settings, { ...before_visit.settings, view: now.settings.view });
  assert.ok(now.settings.view.every((x, k) => Math.abs(x - before_visit.settings.view[k]) < 1e-3));
  assert.equal(await second.page.evaluate(() => globalThis.selvage.opened.cloths[0].fabric), "silk-satin");
  assert.equal(now.message, "");
  quiet(second.said);
  await second.close();
});

test("a link that names nothing known opens the flag and says what is wrong", async () => {
  const { page, close } = await visit(all, "#scene=no-such-scene&wind=gale&woven=0");
  const { scene, message } = await status(page);
  assert.equal(scene, "flag");
  assert.match(message, /no-such-scene/);
  assert.match(message, /wind: found "gale"/);
  await close();
});

test("a lost picture comes back", async () => {
  const { page, close } = await visit(all, "#scene=corner-hang&woven=0");
  await page.evaluate(() => {
    globalThis.lose = globalThis.selvage.stage.renderer.getContext().getExtension("WEBGL_lose_context");
    globalThis.lose.loseContext();
  });
  await until(page, () => globalThis.selvage.stage.lost, "the context is lost");
  const { drawn, time } = await status(page);
  await until(page, (t) => globalThis.selvage.frame.time > t + 0.2, "the engine goes on without a picture", { argument: time });
  assert.equal((await status(page)).drawn, drawn);
  await page.evaluate(() => globalThis.lose.restoreContext());
  await until(page, (n) => globalThis.selvage.status().drawn > n + 2, "it draws again", { argument: drawn });
  assert.ok((await status(page)).time >= time);
  const here = await picture(page, { clip: { x: 100, y: 80, width: 380, height: 380 } });
  const colours = new Set();
  for (let y = 0; y < here.height; y += 8) for (let x = 0; x < here.width; x += 8) colours.add(here.at(x, y).join());
  assert.ok(colours.size > 60, `only ${colours.size} colours: the cloth is not drawn`);
  await close();
});

test("a hidden tab stands still and goes on without a jump", async () => {
  const { page, said, close } = await visit(all, "#scene=flag&woven=0");
  await until(page, () => globalThis.selvage.status().time > 0.2, "the flag flies");
  const set_hidden = (hidden) => page.evaluate((on) => {
    Object.defineProperty(document, "hidden", { configurable: true, get: () => on });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
  await set_hidden(true);
  await until(page, () => globalThis.selvage.frame.playing === false, "the engine has stopped");
  const { time } = await status(page);
  await page.waitForTimeout(2500);
  assert.ok((await status(page)).time - time < 0.05);
  await set_hidden(false);
  const back = performance.now();
  await until(page, (t) => globalThis.selvage.status().time > t + 0.2, "it goes on", { argument: time });
  const { time: now, statistics, diverged } = await status(page);
  assert.ok(now - time < (performance.now() - back) / 1000 + 0.2, "time jumped");
  assert.ok(!diverged && statistics.maxStretch < 0.5);
  quiet(said);
  await close();
});

for (const [width, height] of [[390, 844], [844, 390], [1440, 900], [360, 640]])
  test(`nothing overflows at ${width} x ${height}`, async () => {
    const { page, said, close } = await visit(all, "#scene=flag&woven=0", { viewport: { width, height }, hasTouch: width < 500 });
    if (width < 860) await page.click("#panel-button");
    await page.evaluate(() => Promise.all(document.getElementById("panel").getAnimations().map((one) => one.finished))); // it slides in
    await keep(page, `${width}x${height}`);
    const off = await page.evaluate(() => {
      const wide = document.documentElement.scrollWidth > innerWidth, out = [];
      for (const one of document.querySelectorAll("header *, .bottom *, .panel *")) {
        const box = one.getBoundingClientRect();
        if (box.width > 1 && box.height > 1 && !one.closest(".unseen, symbol, svg, [hidden]") && getComputedStyle(one).clipPath === "none" &&
            (box.left < -1 || box.right > innerWidth + 1)) out.push(`${one.tagName} ${one.id || one.className}: ${box.left} to ${box.right}`);
      }
      const panel = document.getElementById("panel");
      if (panel.scrollWidth > panel.clientWidth) out.push(`panel: ${panel.scrollWidth} in ${panel.clientWidth}`);
      return { wide, out };
    });
    assert.deepEqual(off, { wide: false, out: [] });
    const small = await page.evaluate(() => [...document.querySelectorAll(".bar button, .panel button")].filter((one) => one.offsetParent && one.offsetHeight > 0 &&
      Math.min(one.offsetWidth, one.offsetHeight) < 32).map((one) => one.id || one.dataset.fabric));
    assert.deepEqual(small, [], "too small for a finger");
    quiet(said);
    await close();
  });

test("dark and light follow the system and the switch", async () => {
  const { page, close } = await visit(all, "#scene=flag&woven=0", { colorScheme: "light" });
  const wall = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number)[0]);
  assert.ok((await wall()) > 180);
  await keep(page, "light");
  await page.click("#theme-button");
  assert.ok((await wall()) < 80);
  await keep(page, "dark");
  await page.reload();
  assert.ok((await wall()) < 80, "the choice is kept");
  await close();
});
