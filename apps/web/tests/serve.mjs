// A static server inside the tests, with or without the headers that let browsers share memory between threads.
import { createServer } from "node:http";
import { createReadStream, existsSync, statSync } from "node:fs";
import { extname, join, normalize, resolve, sep } from "node:path";

const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".mjs": "text/javascript; charset=utf-8",
                ".css": "text/css; charset=utf-8", ".json": "application/json", ".wasm": "application/wasm", ".svg": "image/svg+xml",
                ".jpg": "image/jpeg", ".png": "image/png", ".glb": "model/gltf-binary" };
const ISOLATED = { "Cross-Origin-Opener-Policy": "same-origin", "Cross-Origin-Embedder-Policy": "require-corp" };

/** Serves a folder and nothing outside it. Resolves with the server once it listens. */
export function serve(folder, { port = 0, host = "127.0.0.1", threads = true } = {}) {
  const root = resolve(folder);
  const server = createServer((request, response) => {
    const headers = { "Cache-Control": "no-cache", "X-Content-Type-Options": "nosniff", ...(threads ? ISOLATED : {}) };
    let path;
    try {
      path = join(root, normalize(decodeURIComponent(new URL(request.url, "http://x").pathname)));
    } catch {
      response.writeHead(400, headers).end("bad address\n");
      return;
    }
    if (path.endsWith(sep) || (existsSync(path) && statSync(path).isDirectory())) path = join(path, "index.html");
    if ((path !== root && !path.startsWith(root + sep)) || !existsSync(path) || !statSync(path).isFile()) {
      response.writeHead(404, headers).end("not found\n");
      return;
    }
    if (request.method !== "GET" && request.method !== "HEAD") {
      response.writeHead(405, { ...headers, Allow: "GET, HEAD" }).end();
      return;
    }
    response.writeHead(200, { ...headers, "Content-Type": TYPES[extname(path)] ?? "application/octet-stream", "Content-Length": statSync(path).size });
    if (request.method === "HEAD") response.end();
    else createReadStream(path).pipe(response);
  });
  return new Promise((done, fail) => {
    server.once("error", fail);
    server.listen(port, host, () => done(server));
  });
}
