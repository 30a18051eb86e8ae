// The page's end of the engine's worker.

export class EngineLink {
  #worker = null;
  #tickets = new Map();
  #next = 1;
  /** Called with what the worker tells: frame (to be answered by "taken"), trouble, error, full (out of memory), broken. */
  on_message = () => {};
  /** Settled once the worker's scripts are there, or will never be. */
  alive = null;

  /** Starts the worker and the engine in it. Resolves with what the engine offers. */
  async start(options = {}) {
    this.stop();
    const worker = new Worker(new URL("./worker.js", import.meta.url), { type: "module", name: "selvage" });
    this.#worker = worker;
    let here = null;
    this.alive = new Promise((resolve) => (here = resolve));
    worker.onmessage = ({ data }) => (data.type === "alive" ? here() : this.#take(data));
    worker.onerror = (event) => {
      event.preventDefault();
      here();
      const text = event.message || "the engine's files could not be loaded";
      for (const { reject } of this.#tickets.values()) reject(Object.assign(new Error(text), { broken: true }));
      this.#tickets.clear();
      this.on_message({ type: "broken", text });
    };
    return this.ask("start", options);
  }

  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    for (const { reject } of this.#tickets.values()) reject(Object.assign(new Error("the engine was stopped"), { stopped: true }));
    this.#tickets.clear();
  }

  send(type, content = {}) {
    this.#worker?.postMessage({ type, ...content });
  }

  /** The same, with an answer. */
  ask(type, content = {}, transfer = []) {
    const ticket = this.#next++;
    return new Promise((resolve, reject) => {
      this.#tickets.set(ticket, { resolve, reject });
      this.#worker.postMessage({ type, ticket, ...content }, transfer);
    });
  }

  #take(data) {
    if (data.type === "answer") {
      const waiting = this.#tickets.get(data.ticket);
      this.#tickets.delete(data.ticket);
      if (data.error) waiting?.reject(Object.assign(new Error(data.error.text), { code: data.error.code, broken: data.error.broken }));
      else waiting?.resolve(data.result);
      return;
    }
    this.on_message(data);
  }
}
