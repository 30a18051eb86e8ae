// The engine's memory: texts and arrays in and out of it.

import { argumentError, errorOf, SelvageError, shown } from './errors.js';

const encoder = new TextEncoder();
const decoder = new TextDecoder();

// The scratch memory: numbers, handles, and ranges of an address and a count.
const NUMBERS = 0, HANDLES = 4096, RANGES = 5120, SIZE = 6144;

/** What a call is given for its length; freed after it. */
class Arena {
    constructor(memory) {
        this.memory = memory;
        this.owned = [];
    }

    bytes(count) {
        const address = this.memory.module._malloc(Math.max(count, 1));
        if (address === 0) throw new SelvageError('memory', `out of memory: ${count} bytes more are too many`);
        this.owned.push(address);
        return address;
    }

    /** A text ending in 0; 0, which names nothing, for undefined and null. */
    text(value, what) {
        if (value === undefined || value === null) return 0;
        if (typeof value !== 'string') throw argumentError(`${what}: found ${shown(value)}; expected a text`);
        if (value.includes('\0')) throw argumentError(`${what}: found a text with a zero in it; expected none`);
        const bytes = encoder.encode(value);
        const address = this.bytes(bytes.length + 1);
        const place = this.memory.u8();
        place.set(bytes, address);
        place[address + bytes.length] = 0;
        return address;
    }

    raw(bytes) {
        const address = this.bytes(bytes.length);
        this.memory.u8().set(bytes, address);
        return address;
    }

    /** Doubles, `width` for each of something; 0 for undefined and null. */
    numbers(array, width, what) {
        if (array === undefined || array === null) return 0;
        checkArray(array, width, what);
        const address = this.bytes(8 * array.length);
        this.memory.f64().set(array, address >> 3);
        return address;
    }

    floats(array, width, what) {
        checkArray(array, width, what);
        const address = this.bytes(4 * array.length);
        this.memory.f32().set(array, address >> 2);
        return address;
    }

    integers(array, width, what) {
        if (array === undefined || array === null) return 0;
        checkArray(array, width, what);
        checkIntegers(array, what);
        const address = this.bytes(4 * array.length);
        this.memory.i32().set(array, address >> 2);
        return address;
    }

    free() {
        for (const address of this.owned) this.memory.module._free(address);
    }
}

function checkArray(array, width, what) {
    const length = typeof array === 'object' ? array.length : undefined;
    if (!Number.isInteger(length) || (ArrayBuffer.isView(array) && typeof array[0] === 'bigint')) {
        throw argumentError(`${what}: found ${shown(array)}; expected an array of numbers`);
    }
    if (length % width !== 0) {
        throw argumentError(`${what}: found ${length} numbers; expected ${width} for each, which ${length} is no multiple of`);
    }
    if (ArrayBuffer.isView(array)) return;
    for (let k = 0; k < length; ++k) {
        if (typeof array[k] !== 'number') throw argumentError(`${what}[${k}]: found ${shown(array[k])}; expected a number`);
    }
}

function checkIntegers(array, what) {
    if (array instanceof Int32Array || array instanceof Uint16Array || array instanceof Uint8Array) return;
    for (let k = 0; k < array.length; ++k) {
        if (!Number.isInteger(array[k]) || Math.abs(array[k]) > 0x7fffffff) {
            throw argumentError(`${what}[${k}]: found ${shown(array[k])}; expected a whole number`);
        }
    }
}

export class Memory {
    constructor(module, memory) {
        this.module = module;
        this.memory = memory;
        this.scratch = module._malloc(SIZE);
        this.views = new Map();
        this.numbersAt = this.scratch + NUMBERS;
        this.handlesAt = this.scratch + HANDLES;
        this.rangesAt = this.scratch + RANGES;
    }

    get bytes() {
        return this.memory.buffer.byteLength;
    }

    // Views of all memory, made anew when it has grown.
    all(Type) {
        const buffer = this.memory.buffer;
        let view = this.views.get(Type);
        if (view?.buffer !== buffer || view.byteLength !== buffer.byteLength) {
            view = new Type(buffer);
            this.views.set(Type, view);
        }
        return view;
    }
    u8() { return this.all(Uint8Array); }
    i32() { return this.all(Int32Array); }
    u32() { return this.all(Uint32Array); }
    f32() { return this.all(Float32Array); }
    f64() { return this.all(Float64Array); }
    u64() { return this.all(BigUint64Array); }

    /** The text at an address. */
    text(address) {
        if (address === 0) return '';
        const all = this.u8();
        let end = address;
        while (all[end] !== 0) ++end;
        return decoder.decode(all.slice(address, end));
    }

    /** The text of a range in the scratch memory. */
    rangeText(index = 0) {
        const [address, count] = this.range(index);
        return decoder.decode(this.u8().slice(address, address + count));
    }

    /** Address and count that a call has left. */
    range(index = 0) {
        const at = (this.rangesAt >> 2) + 2 * index;
        const words = this.u32();
        return [words[at], words[at + 1]];
    }
    rangeAt(index = 0) {
        return this.rangesAt + 8 * index;
    }

    handle(index = 0) {
        return this.u64()[(this.handlesAt >> 3) + index];
    }
    number(index = 0) {
        return this.f64()[(this.numbersAt >> 3) + index];
    }
    numbers(from, count) {
        const at = (this.numbersAt >> 3) + from;
        return Array.from(this.f64().subarray(at, at + count));
    }
    /** Puts numbers into the scratch memory. */
    put(numbers, from = 0) {
        this.f64().set(numbers, (this.numbersAt >> 3) + from);
        return this.numbersAt + 8 * from;
    }

    /** Calls body(arena), and frees what the arena was asked for. */
    with(body) {
        const arena = new Arena(this);
        try {
            return body(arena);
        } finally {
            arena.free();
        }
    }

    /** Throws what the engine says, unless the result is 0. */
    check(result) {
        if (result !== 0) throw errorOf(result, this.text(this.module._selvage_last_error()));
    }

    /** A view of part of the memory; `kept` holds the last one, which is used again while nothing has moved. */
    view(kept, kind, Type, address, count) {
        const old = kept[kind];
        const buffer = this.memory.buffer;
        if (old && old.buffer === buffer && old.byteOffset === address && old.length === count) return old;
        return kept[kind] = new Type(buffer, count === 0 ? 0 : address, count);
    }
}

/** Three or four numbers. */
export function tuple(value, count, what) {
    if (value === null || typeof value !== 'object' || value.length !== count) {
        throw argumentError(`${what}: found ${shown(value)}; expected ${count} numbers`);
    }
    const numbers = Array.from(value);
    for (const number of numbers) {
        if (typeof number !== 'number') throw argumentError(`${what}: found ${shown(number)}; expected a number`);
    }
    return numbers;
}

export function scalar(value, what) {
    if (typeof value !== 'number') throw argumentError(`${what}: found ${shown(value)}; expected a number`);
    return value;
}

/** A whole number that fits the engine's. */
export function integer(value, what) {
    if (!Number.isInteger(value) || Math.abs(value) > 0x7fffffff) {
        throw argumentError(`${what}: found ${shown(value)}; expected a whole number`);
    }
    return value;
}

/** Refuses names that nothing reads: most are spelled wrong. */
export function checkKeys(options, known, what) {
    if (options === undefined || options === null) return;
    if (typeof options !== 'object' || Array.isArray(options)) {
        throw argumentError(`${what}: found ${shown(options)}; expected an object`);
    }
    for (const key of Object.keys(options)) {
        if (!known.includes(key)) throw argumentError(`${what}: found "${key}"; expected one of: ${known.join(', ')}`);
    }
}
