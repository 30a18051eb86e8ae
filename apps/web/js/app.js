// The page as a whole: one scene, its settings, what is shown and what is told.
import { DEFAULTS, for_new_scene, from_hash, packed_scene, to_hash, unpacked_scene } from "./settings.js";
import { Hands } from "./hands.js";
import { PacePlot } from "./plot.js";
import { Panel } from "./panel.js";
import { Stage } from "./stage.js";
import { glb_of } from "./glb.js";
import { save_file, source_of, take_drops } from "./files.js";

const by_id = (id) => document.getElementById(id);
/** Solvers whose quality can be set. */
const WITH_QUALITY = new Set(["multilevel", "xpbd"]);
const NARROW = "(max-width: 860px)";
/** Twice within this time [ms] the engine is not started again. */
const RESTART_APART = 8000;

/** What the engine needs to know of the settings. */
const of_engine = ({ fabric, solver, quality, mesh }) => ({ fabric, solver, quality, mesh });

export class App {
  settings = { ...DEFAULTS };
  source = null; // what is open: { name } or an own scene or mesh
  opened = null; // what the engine said about it
  frame = null; // the newest one, drawn or not
  #waiting = null; // a frame that is not drawn yet
  #own_link = null; // a packed scene, for the address
  #slow = false;
  #restarted = -Infinity;
  #full = false; // the engine has run out of memory and stands still
  #opening = 0;
  #said = 0;
  #noted = "";

  #starting;

  /** `engine`: what link.start() promised. */
  constructor(link, engine) {
    this.link = link;
    this.#starting = engine;
    this.link.on_message = (message) => this.#take(message);
  }

  async start() {
    await this.link.alive; // what follows keeps this thread busy
    this.stage = new Stage(by_id("canvas"));
    this.#make_parts();
    this.#wire();
    this.#set_theme();
    this.#resize();
    requestAnimationFrame((now) => this.#draw(now));
    this.engine = await this.#starting;
    this.panel.fill(this.engine);
    this.#show_about();
    await this.#open_address();
  }

  /** For scripts and tests: what the page shows. */
  status() {
    const { stage, frame, opened, settings } = this;
    return {
      scene: opened?.name ?? null, time: frame?.time ?? 0, frames: frame?.statistics.frames ?? 0, playing: !settings.paused,
      statistics: frame?.statistics ?? null, drawn: stage?.drawn ?? 0, settings: { ...settings }, message: this.#noted,
      threaded: this.engine?.threaded ?? false, diverged: frame?.diverged ?? false, pixel_ratio: stage?.ratio ?? 1,
      hands: (frame?.hands ?? []).map((hand) => ({ ...hand, ...stage.project(hand.point) })), in_vr: stage?.renderer.xr.isPresenting ?? false,
    };
  }

  // Scenes.

  /** Opens what is given, or says why not and leaves everything as it was. */
  async open(source, settings, { move_camera = true, positions = null } = {}) {
    const turn = ++this.#opening;
    const left = this.#full ? { source: this.source, settings: this.settings, positions: this.#positions() } : null;
    try {
      if (left) {
        await this.#start_afresh();
        settings = { ...settings, paused: false }; // it was the lack of memory that stopped time
      }
      const opened = await this.link.ask("open", { source, settings: of_engine(settings), positions });
      if (turn !== this.#opening) return false;
      this.source = source.files ? { ...source, files: source.files } : source;
      this.settings = settings;
      this.#own_link = source.text ? await packed_scene(source.text) : null;
      this.#adopt(opened, move_camera);
      if (settings.view) this.stage.rig.set(settings.view);
      if (opened.warnings.length > 0) this.note(`${opened.name}: ${opened.warnings.join("; ")}`);
      else this.note("");
      this.#show_about();
      this.write_address();
      return true;
    } catch (error) {
      if (left?.source) await this.open(left.source, left.settings, { move_camera: false, positions: left.positions });
      this.#refuse(error, source.name);
      return false;
    }
  }

  /** A full engine has no room for a scene beside the one it holds: a new one takes its place. */
  async #start_afresh() {
    this.#full = false;
    this.engine = await this.link.start();
  }

  #positions() {
    return this.frame?.cloths.map((cloth) => cloth.positions) ?? null;
  }

  async open_files(files) {
    try {
      this.say("Reading the file");
      const source = await source_of(files);
      await this.open(source, for_new_scene(this.settings, source.name.replace(/\.[^.]*$/, "")));
    } catch (error) {
      this.note(error.message);
    }
  }

  #refuse(error, name) {
    const text = error.code === "memory" || /memory/i.test(error.message)
      ? `${name}: there is not enough memory for it in this page (${error.message})` : error.message;
    // The engine calls a text that came without a file "scene".
    this.note(!name || text.includes(name) ? text : text.replace(/^scene(?=:\d)|^/, (found) => (found ? name : `${name}: `)));
    if (error.broken) this.#restart(text);
  }

  #adopt(opened, move_camera) {
    this.opened = opened;
    this.frame = null;
    if (this.#waiting) this.link.send("taken"); // of the scene before: the worker counts them
    this.#waiting = null;
    this.plot.clear();
    this.hands.forget();
    this.stage.open(opened, move_camera);
    by_id("loading").classList.add("done");
    this.#send_shows();
    this.#send_wind();
    this.#send_play();
    this.#show();
  }

  // Settings.

  async change(key, value) {
    const before = this.settings;
    this.settings = { ...before, [key]: value };
    if (key === "solver" && !WITH_QUALITY.has(value)) this.settings.quality = null;
    try {
      if (key === "fabric" || key === "mesh") await this.#rebuild();
      else if (key === "solver" || key === "quality") await this.link.ask("solver", { settings: of_engine(this.settings) });
      else if (["wind", "direction", "gust"].includes(key)) this.#send_wind();
      else if (key === "speed") this.#send_play();
      else this.#send_shows();
    } catch (error) {
      this.settings = before;
      this.#refuse(error, "");
    }
    this.#show();
    this.write_address();
  }

  async #rebuild() {
    const turn = ++this.#opening;
    const opened = await this.link.ask("change", { settings: of_engine(this.settings) });
    if (turn === this.#opening) this.#adopt(opened, false);
  }

  set_paused(paused) {
    this.settings = { ...this.settings, paused };
    this.#send_play();
    this.panel.show_playing(!paused);
    this.write_address();
  }

  step() {
    if (!this.settings.paused) this.set_paused(true);
    this.link.send("step");
  }

  reset() {
    this.hands.forget();
    this.plot.clear();
    this.link.send("reset");
    if (this.#noted) this.note("");
  }

  #send_play() {
    this.link.send("play", { on: !this.settings.paused && !document.hidden, speed: this.settings.speed });
  }

  #send_shows() {
    const { strain, contacts, wireframe } = this.settings;
    this.link.send("shows", { shows: { strain, contacts } });
    this.stage.show({ strain, contacts, wireframe, woven: this.settings.woven ?? !this.#slow });
  }

  #send_wind() {
    const { wind, direction, gust } = this.settings;
    if (wind === null && direction === null && gust === null) return;
    const own = this.#own(), speed = wind ?? own.wind, angle = ((direction ?? own.direction) * Math.PI) / 180;
    this.link.send("wind", { air: { wind: [speed * Math.cos(angle), 0, speed * Math.sin(angle)], gust: gust ?? own.gust } });
  }

  /** What the scene itself has. */
  #own() {
    const { opened } = this, [x, , z] = opened.air.wind;
    return {
      name: opened.name, description: opened.description, solver: opened.solver, quality: opened.quality, mesh: 1,
      mesh_can_change: opened.mesh_can_change, has_quality: WITH_QUALITY.has(this.settings.solver ?? opened.solver),
      wind: Math.hypot(x, z), direction: (Math.round((Math.atan2(z, x) * 180) / Math.PI) + 360) % 360, gust: Math.min(1, opened.air.gust),
      speed: 1, woven: !this.#slow, fabric: opened.own_fabric[0],
    };
  }

  #show() {
    this.panel.show(this.settings, this.#own());
    this.panel.show_playing(!this.settings.paused);
    document.title = `${by_id("scene-name").textContent} · Selvage`;
  }

  #show_about() {
    const { version, threaded, no_threads } = this.engine, count = this.opened?.cloths.reduce((sum, { vertices }) => sum + vertices, 0);
    by_id("about").textContent = `Selvage ${version}, ${threaded ? "with threads" : "one thread"}` +
      (count ? `. ${count.toLocaleString("en")} particles.` : ".") ;
    by_id("about").title = no_threads ?? "";
  }

  // The address.

  write_address() {
    history.replaceState(null, "", this.address());
  }

  address() {
    const plain = this.source?.mesh ? { ...DEFAULTS } : this.settings;
    return to_hash(plain, this.#own_link);
  }

  async copy_link() {
    if (this.source?.mesh || (this.source?.text && !this.#own_link)) {
      this.say("A link cannot hold your own mesh. Send the file along, or save a .glb.");
      return;
    }
    this.settings = { ...this.settings, view: this.stage.rig.get() };
    this.write_address();
    try {
      await navigator.clipboard.writeText(location.href);
      this.say("Link copied: scene, settings and view");
    } catch {
      this.say("The link is in the address bar");
    }
  }

  async #open_address() {
    const { settings, own, wrong } = from_hash(location.hash);
    let source = { name: settings.scene };
    if (own) {
      try {
        source = { text: await unpacked_scene(own), name: "the scene of this link" };
      } catch {
        wrong.push("own: cannot be read; the link may have been cut");
        source = { name: DEFAULTS.scene };
      }
    }
    const opened = await this.open(source, settings);
    const trouble = [...wrong, ...(opened ? [] : [this.#noted])];
    if (!opened && !this.opened) await this.open({ name: DEFAULTS.scene }, { ...DEFAULTS });
    if (trouble.length > 0) this.note(`This link: ${trouble.join("; ")}`);
  }

  // What the engine tells.

  #take(message) {
    if (message.type === "frame") {
      if (message.build !== this.opened?.build) return this.link.send("taken");
      if (this.#waiting) this.link.send("taken");
      this.#waiting = this.frame = message;
      if (message.playing) this.plot.add(message.statistics.frameMs);
    } else if (message.type === "trouble") {
      this.note(`${message.text}. Start again, or choose another solver or a finer quality.`);
    } else if (message.type === "full") {
      this.#full = true;
      this.set_paused(true);
      this.note(`${this.opened?.name ?? "The scene"} needs more memory than this page may take (${message.text}). It stands still: ` +
                "choose a coarser mesh or another scene.");
    } else if (message.type === "broken") {
      this.#restart(message.text);
    } else if (message.type === "error") {
      this.note(message.text);
    }
  }

  /** The engine is gone, out of memory for instance: a new one goes on where the old one was. */
  async #restart(text) {
    const now = performance.now(), positions = this.#positions();
    if (!this.source || now - this.#restarted < RESTART_APART) {
      this.link.stop();
      this.fail(`The engine stopped: ${text}. Load the page again to go on.`);
      return;
    }
    this.#restarted = now;
    try {
      this.engine = await this.link.start();
      await this.open(this.source, this.settings, { move_camera: false, positions });
      this.note(`${text}. The engine was started again and goes on with the cloth you had.`);
    } catch (error) {
      this.fail(`The engine stopped (${text}) and could not be started again: ${error.message}`);
    }
  }

  // What the user is told.

  note(text) {
    this.#noted = text;
    by_id("note-text").textContent = text;
    by_id("note").hidden = !text;
  }

  say(text) {
    const said = by_id("said");
    said.textContent = text;
    said.classList.add("on");
    clearTimeout(this.#said);
    this.#said = setTimeout(() => said.classList.remove("on"), 3200);
  }

  fail(text) {
    this.#noted = text;
    by_id("loading").classList.remove("done");
    by_id("loading").classList.add("failed");
    document.body.classList.add("failed"); // nothing to set, and nothing over the text
    by_id("loading").setAttribute("role", "alert");
    by_id("loading-text").textContent = text;
  }

  // Parts and events.

  #make_parts() {
    this.plot = new PacePlot(by_id("plot"));
    this.hands = new Hands(this.stage, this.link, by_id("hands"));
    this.hands.on_change = (count) => (by_id("release-button").hidden = count === 0);
    this.hands.on_say = (text) => this.say(text);
    this.panel = new Panel({
      change: (key, value) => this.change(key, value),
      open_scene: (name) => this.open({ name }, for_new_scene(this.settings, name)),
      tool: (tool) => this.set_tool(tool),
      files: (files) => this.open_files(files),
      sheet: () => this.#resize(),
    });
    this.stage.on_lost = () => this.say("The picture was lost; waiting for the graphics to come back");
    this.stage.on_restored = () => this.say("The picture is back");
    this.stage.on_slow = () => {
      if (this.#slow || this.settings.woven !== null) return;
      this.#slow = true;
      this.#send_shows();
      if (this.opened) this.#show();
    };
  }

  set_tool(tool) {
    this.hands.tool = tool;
    this.panel.show_tool(tool);
  }

  #wire() {
    const click = (id, act) => by_id(id).addEventListener("click", act);
    click("play-button", () => this.set_paused(!this.settings.paused));
    click("step-button", () => this.step());
    click("reset-button", () => this.reset());
    click("release-button", () => this.hands.release_all());
    click("link-button", () => this.copy_link());
    click("theme-button", () => this.#switch_theme());
    click("note-close", () => this.note(""));
    click("save-button", () => this.save());
    take_drops(by_id("drop"), (files) => this.open_files(files));
    addEventListener("keydown", (event) => this.#key(event));
    addEventListener("resize", () => this.#resize());
    addEventListener("hashchange", () => this.#open_address());
    document.addEventListener("visibilitychange", () => this.#send_play());
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#set_theme());
  }

  save() {
    if (!this.opened) return;
    save_file(`${this.opened.name}.glb`, glb_of(this.stage.cloths, this.opened.name), "model/gltf-binary");
    this.say(`Saved ${this.opened.name}.glb`);
  }

  #key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector("dialog[open]")) return;
    // A focused control has its own keys; the letters are still ours, but not in a list that jumps to them.
    const { target } = event;
    if (target.matches?.("select, input[type=text]")) return;
    if (event.key === " " && target.matches?.("button, input, label, a")) return;
    const acts = {
      " ": () => this.set_paused(!this.settings.paused), ".": () => this.step(), r: () => this.reset(),
      p: () => this.hands.pin_held(), l: () => this.hands.release_all(), f: () => this.stage.look(),
      s: () => this.change("strain", !this.settings.strain), c: () => this.change("contacts", !this.settings.contacts),
      w: () => this.change("wireframe", !this.settings.wireframe), "?": () => by_id("help-dialog").showModal(),
      1: () => this.set_tool("grab"), 2: () => this.set_tool("pin"), 3: () => this.set_tool("look"),
    };
    const act = acts[event.key.toLowerCase()];
    if (!act || !this.opened) return;
    event.preventDefault();
    act();
  }

  #is_dark() {
    const chosen = document.documentElement.dataset.theme;
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }

  #switch_theme() {
    const theme = this.#is_dark() ? "light" : "dark";
    document.documentElement.dataset.theme = theme;
    try {
      localStorage.setItem("selvage-theme", theme);
    } catch { /* not kept then */ }
    this.#set_theme();
  }

  #set_theme() {
    this.stage.set_theme(this.#is_dark());
    const style = getComputedStyle(document.documentElement);
    this.colours = { accent: style.getPropertyValue("--accent").trim(), line: style.getPropertyValue("--ink-faint").trim() };
  }

  #resize() {
    const { innerWidth: width, innerHeight: height } = window, narrow = matchMedia(NARROW).matches;
    const sheet = narrow && by_id("panel").classList.contains("open") ? by_id("panel").offsetHeight : 0;
    const clear = narrow ? { left: 0, right: 0, top: 60, bottom: Math.max(68, sheet) } : { left: 0, right: 316, top: 66, bottom: 74 };
    this.stage.resize(width, height, clear);
    if (this.frame) this.hands.show(this.frame.hands);
  }

  // Drawing.

  #draw(now) {
    requestAnimationFrame((next) => this.#draw(next));
    if (this.stage.renderer.xr.isPresenting) return; // the headset's own loop draws
    this.take_frame();
    if (this.stage.draw(now) && this.frame) this.hands.show(this.frame.hands);
    this.#show_pace(now);
  }

  /** The newest frame onto the stage. */
  take_frame() {
    const frame = this.#waiting;
    if (!frame) return;
    this.#waiting = null;
    this.stage.update(frame);
    this.link.send("taken");
  }

  #paced = 0;
  #show_pace(now) {
    const { frame } = this;
    if (!frame || now - this.#paced < 120) return;
    this.#paced = now;
    const lasts = 1000 / 60;
    this.plot.draw(lasts, this.colours);
    by_id("pace-ms").textContent = `${frame.statistics.frameMs.toFixed(1)} ms`;
    const speed = frame.playing ? `${frame.factor.toFixed(2)} × real time` : "paused";
    by_id("pace-more").textContent = matchMedia(NARROW).matches ? `${frame.time.toFixed(1)} s` : `${frame.time.toFixed(2)} s · ${speed}`;
  }
}
