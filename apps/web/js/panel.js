// The controls: filled from what the engine offers, and telling the page what the user wants.
import { draw_swatch } from "./swatch.js";

const by_id = (id) => document.getElementById(id);
const title = (name) => name.replaceAll("-", " ").replace(/^./, (c) => c.toUpperCase());
const QUALITIES = ["Game", "Preview", "Film"];

const shown = {
  wind: (x) => `${x.toFixed(1)} m/s`,
  direction: (x) => `${Math.round(x)}°`,
  gust: (x) => `${Math.round(100 * x)} %`,
  quality: (x) => QUALITIES[x],
  mesh: (x) => `${x} ×`,
  speed: (x) => `${x.toFixed(2)} ×`,
};
const SLIDERS = Object.keys(shown);
const CHECKS = ["strain", "contacts", "wireframe", "woven"];

/** Buttons of which one is chosen: arrow keys move between them, Tab goes past. */
function radio_keys(group) {
  group.addEventListener("keydown", (event) => {
    const buttons = [...group.querySelectorAll("[role=radio]")], at = buttons.indexOf(document.activeElement);
    const way = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (at < 0 || !way) return;
    event.preventDefault();
    event.stopPropagation();
    const next = buttons[(at + way + buttons.length) % buttons.length];
    next.focus();
    next.click();
  });
}

function choose_radio(group, is_chosen) {
  for (const button of group.querySelectorAll("[role=radio]")) {
    const chosen = is_chosen(button);
    button.setAttribute("aria-checked", String(chosen));
    button.tabIndex = chosen ? 0 : -1;
  }
}

export class Panel {
  /** `on`: change(key, value), open_scene(name), tool(name), files(list). */
  constructor(on) {
    this.on = on;
    for (const key of SLIDERS) {
      const input = by_id(key);
      input.addEventListener("input", () => {
        this.#show_slider(key, Number(input.value));
        on.change(key, Number(input.value));
      });
    }
    for (const key of CHECKS) by_id(key).addEventListener("change", (event) => on.change(key, event.target.checked));
    by_id("solver").addEventListener("change", (event) => on.change("solver", event.target.value));
    by_id("tools").addEventListener("click", (event) => {
      const tool = event.target.closest("[data-tool]")?.dataset.tool;
      if (tool) on.tool(tool);
    });
    for (const id of ["tools", "fabrics"]) radio_keys(by_id(id));
    by_id("file").addEventListener("change", (event) => {
      on.files(event.target.files);
      event.target.value = "";
    });
    this.#dialogs();
    this.#sheet();
  }

  fill({ scenes, fabrics, solvers }) {
    this.fabrics = new Map(fabrics.map((fabric) => [fabric.name, fabric]));
    this.solvers = new Map(solvers.map((solver) => [solver.name, solver]));
    by_id("solver").replaceChildren(...solvers.map(({ name }) => new Option(name, name)));
    by_id("fabrics").replaceChildren(this.#own_swatch(), ...fabrics.map((fabric) => this.#swatch(fabric)));
    by_id("scenes").replaceChildren(...scenes.map((scene) => this.#card(scene)));
  }

  /** Everything as it is now. `own`: what the scene itself has, shown where the user chose nothing. */
  show(settings, own) {
    for (const key of SLIDERS) {
      const value = settings[key] ?? own[key];
      by_id(key).value = value;
      this.#show_slider(key, value);
    }
    by_id("mesh").disabled = !own.mesh_can_change;
    by_id("quality").disabled = !own.has_quality;
    for (const key of CHECKS) by_id(key).checked = settings[key] ?? own[key];
    const solver = settings.solver ?? own.solver;
    by_id("solver").value = solver;
    by_id("solver-about").textContent = this.solvers.get(solver)?.summary ?? "";
    choose_radio(by_id("fabrics"), (button) => button.dataset.fabric === (settings.fabric ?? ""));
    by_id("fabric-name").textContent = settings.fabric ? title(settings.fabric) : `As in the scene${own.fabric ? `: ${title(own.fabric)}` : ""}`;
    by_id("fabric-about").textContent = this.fabrics.get(settings.fabric ?? own.fabric)?.description ?? "";
    by_id("scene-name").textContent = title(own.name);
    by_id("scene-about").textContent = own.description;
    by_id("legend").hidden = !settings.strain;
    for (const card of by_id("scenes").children) card.setAttribute("aria-current", String(card.dataset.scene === own.name));
  }

  show_tool(tool) {
    choose_radio(by_id("tools"), (button) => button.dataset.tool === tool);
  }

  show_playing(playing) {
    const button = by_id("play-button"), text = playing ? "Pause" : "Play";
    button.setAttribute("aria-label", text);
    button.title = `${text} (space)`;
    button.querySelector("use").setAttribute("href", playing ? "#i-pause" : "#i-play");
  }

  #show_slider(key, value) {
    const input = by_id(key), { min, max } = input;
    input.style.setProperty("--at", `${(100 * (value - min)) / (max - min)}%`);
    input.setAttribute("aria-valuetext", shown[key](value));
    input.nextElementSibling.value = shown[key](value);
  }

  #own_swatch() {
    const button = this.#radio("", "The scene's own fabric");
    button.className = "own";
    button.textContent = "Own";
    return button;
  }

  #swatch(fabric) {
    const button = this.#radio(fabric.name, title(fabric.name));
    const canvas = Object.assign(document.createElement("canvas"), { width: 88, height: 88 });
    draw_swatch(canvas, fabric.look);
    button.append(canvas);
    return button;
  }

  #radio(fabric, label) {
    const button = document.createElement("button");
    Object.assign(button, { type: "button", title: label });
    button.dataset.fabric = fabric;
    button.setAttribute("role", "radio");
    button.setAttribute("aria-label", label);
    button.addEventListener("click", () => this.on.change("fabric", fabric || null));
    return button;
  }

  #card({ name, description }) {
    const card = document.createElement("button");
    card.type = "button";
    card.dataset.scene = name;
    const picture = Object.assign(document.createElement("img"), { src: `pictures/${name}.jpg`, alt: "", loading: "lazy", width: 240, height: 135 });
    const name_text = Object.assign(document.createElement("b"), { textContent: title(name) });
    const about = Object.assign(document.createElement("span"), { textContent: description });
    card.append(picture, name_text, about);
    card.addEventListener("click", () => {
      by_id("scenes-dialog").close();
      this.on.open_scene(name);
    });
    return card;
  }

  #dialogs() {
    for (const [button, dialog] of [["scene-button", "scenes-dialog"], ["help-button", "help-dialog"]]) {
      by_id(button).addEventListener("click", () => by_id(dialog).showModal());
      by_id(dialog).addEventListener("click", (event) => {
        if (event.target === by_id(dialog)) by_id(dialog).close(); // a click beside it
      });
    }
  }

  #sheet() {
    const panel = by_id("panel"), button = by_id("panel-button");
    const set = (open) => {
      panel.classList.toggle("open", open);
      button.setAttribute("aria-expanded", String(open));
      this.on.sheet(open);
    };
    button.addEventListener("click", () => set(!panel.classList.contains("open")));
    by_id("panel-close").addEventListener("click", () => {
      set(false);
      button.focus();
    });
    panel.addEventListener("keydown", (event) => {
      if (event.key === "Escape") set(false);
    });
    document.querySelector(".skip").addEventListener("click", () => set(true));
  }
}
