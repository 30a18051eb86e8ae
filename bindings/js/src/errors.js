// What the engine says went wrong.

const CODES = ['ok', 'argument', 'handle', 'busy', 'data', 'file', 'diverged', 'memory', 'internal'];

export class SelvageError extends Error {
    constructor(code, message) {
        super(message);
        this.name = 'SelvageError';
        this.code = code;
    }
}

/** The error for a selvage_result. */
export function errorOf(result, message) {
    return new SelvageError(CODES[result] ?? 'internal', message);
}

export function argumentError(message) {
    return new SelvageError('argument', message);
}

/** What was found, for messages. */
export function shown(value) {
    if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}...` : value);
    if (Array.isArray(value) || ArrayBuffer.isView(value)) return `${value.length} numbers`;
    if (value !== null && typeof value === 'object') return 'an object';
    return String(value);
}
