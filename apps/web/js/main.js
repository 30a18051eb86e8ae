// The engine first: the worker needs this thread for its first scripts, and three.js and the picture keep it busy.
import { EngineLink } from "./link.js";

const link = new EngineLink(), engine = link.start();
engine.catch(() => {}); // App.start waits for it
const [{ App }, { offer_vr }] = await Promise.all([import("./app.js"), import("./vr.js")]);
const app = new App(link, engine);
globalThis.selvage = app; // for scripts: selvage.status()
app.start().then(() => offer_vr(app)).catch((error) => app.fail(error.message));
