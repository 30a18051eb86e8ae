// Where the built package is: SELVAGE_PACKAGE, or where scripts/web build puts it.
import { fileURLToPath, pathToFileURL } from 'node:url';
import { resolve } from 'node:path';

export const root = fileURLToPath(new URL('../../..', import.meta.url));
export const packageFolder = process.env.SELVAGE_PACKAGE ?? resolve(root, 'build/web/package');
export const selvage = await import(pathToFileURL(resolve(packageFolder, 'index.js')).href);
