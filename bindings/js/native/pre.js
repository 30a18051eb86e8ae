// Emscripten's loader was written for scripts: in Node it asks for what modules do not have.
var require, __dirname;
if (typeof process === 'object' && process.versions && process.versions.node) {
    const module = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:' + 'module');
    require = module.createRequire(import.meta.url);
    __dirname = require('path').dirname(require('url').fileURLToPath(import.meta.url));
}
