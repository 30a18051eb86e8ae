import { App } from "./app.js";
import { offer_vr } from "./vr.js";

const app = new App();
globalThis.selvage = app; // for scripts: selvage.status()
app.start().then(() => offer_vr(app)).catch((error) => app.fail(error.message));
