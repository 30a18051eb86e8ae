// Makes a module of the shader chunks that WovenMaterial is made of: node shader_chunks.js SHADERS OUT.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [shaders, out] = process.argv.slice(2);
if (!out) {
    console.error('usage: node shader_chunks.js SHADERS OUT');
    process.exit(2);
}
const chunk = (name) => readFileSync(join(shaders, `${name}.glsl`), 'utf8').replace(/^#include .*\n/gm, '');
const text = ['noise', 'brdf', 'weave', 'fabric_shading'].map(chunk).join('\n');
writeFileSync(out, '// Made from shaders/ by tools/shader_chunks.js.\n' +
    `export const FABRIC_SHADING = ${JSON.stringify(text).replace(/\\n/g, '\\n\\\n')};\n`);
