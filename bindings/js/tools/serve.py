"""Serves a folder of static files with the headers that shared memory needs: serve.py FOLDER [PORT]."""
import functools
import http.server
import sys


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, ".wasm": "application/wasm",
                      ".mjs": "text/javascript", ".js": "text/javascript", ".json": "application/json",
                      ".glb": "model/gltf-binary"}

    def end_headers(self) -> None:
        self.send_header("Cross-Origin-Opener-Policy", "same-origin")
        self.send_header("Cross-Origin-Embedder-Policy", "require-corp")
        self.send_header("Cross-Origin-Resource-Policy", "same-origin")
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()

    def log_message(self, format: str, *arguments: object) -> None:
        if "--quiet" not in sys.argv:
            super().log_message(format, *arguments)


def main() -> int:
    arguments = [one for one in sys.argv[1:] if not one.startswith("--")]
    if not arguments or (len(arguments) > 1 and not arguments[1].isdigit()):
        print("usage: serve.py FOLDER [PORT] [--quiet]", file=sys.stderr)
        return 2
    port = int(arguments[1]) if len(arguments) > 1 else 8000
    handler = functools.partial(Handler, directory=arguments[0])
    try:
        server = http.server.ThreadingHTTPServer(("127.0.0.1", port), handler)
    except OSError as error:
        print(f"serve.py: port {port}: {error.strerror}; give another", file=sys.stderr)
        return 1
    print(f"serving {arguments[0]} at http://127.0.0.1:{server.server_port}/", flush=True)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
    return 0


sys.exit(main())
