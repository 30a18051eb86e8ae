// What this browser, worker or Node can do.

export const isNode = typeof process === 'object' && !!process.versions?.node && typeof Deno === 'undefined';

// Smallest modules that use an instruction each: i8x16.popcnt of SIMD128, and try.
const SIMD = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 123, 3, 2, 1, 0, 10, 10, 1, 8, 0, 65, 0, 253, 15, 253, 98, 11];
const EXCEPTIONS = [0, 97, 115, 109, 1, 0, 0, 0, 1, 4, 1, 96, 0, 0, 3, 2, 1, 0, 10, 8, 1, 6, 0, 6, 64, 25, 11, 11];

function validates(bytes) {
    try {
        return WebAssembly.validate(new Uint8Array(bytes));
    } catch {
        return false;
    }
}

function whyNothing() {
    if (typeof WebAssembly !== 'object') return 'there is no WebAssembly here';
    if (!validates(SIMD)) return 'WebAssembly has no SIMD here; Chrome 91, Firefox 89, Safari 16.4 and Node 18 have it';
    if (!validates(EXCEPTIONS)) return 'WebAssembly has no exceptions here; Chrome 95, Firefox 100, Safari 15.2 and Node 18 have them';
    return '';
}

function whyNoThreads() {
    if (typeof SharedArrayBuffer === 'undefined') {
        return 'there is no SharedArrayBuffer: the page must be served with the headers Cross-Origin-Opener-Policy: ' +
            'same-origin and Cross-Origin-Embedder-Policy: require-corp';
    }
    if (!isNode && !globalThis.crossOriginIsolated) {
        return 'the page is not crossOriginIsolated: it must be served with the headers Cross-Origin-Opener-Policy: ' +
            'same-origin and Cross-Origin-Embedder-Policy: require-corp';
    }
    if (!isNode && typeof Worker === 'undefined') return 'there are no workers here';
    return '';
}

export function features() {
    const missing = whyNothing();
    const noThreads = missing || whyNoThreads();
    const cores = globalThis.navigator?.hardwareConcurrency ?? 0;
    return { simd: missing === '', threads: noThreads === '', missing, noThreads, cores };
}

/** Logical cores; Node 18 and 20 have no navigator. */
export async function coreCount() {
    if (!isNode) return globalThis.navigator?.hardwareConcurrency ?? 1;
    const os = await import(/* @vite-ignore */ /* webpackIgnore: true */ 'node:' + 'os');
    return os.availableParallelism?.() ?? os.cpus().length;
}
