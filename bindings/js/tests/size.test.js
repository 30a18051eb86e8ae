// A page loads one of the two engines; 600,000 bytes by brotli were asked for (docs/records/web.md).
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENGINE_BUDGET, ENGINES, sumOf } from '../tools/sizes.mjs';
import { packageFolder } from './package_path.js';

for (const [name, files] of Object.entries(ENGINES)) {
    test(`the ${name} is smaller than ${ENGINE_BUDGET} bytes by brotli`, () => {
        const { packed } = sumOf(packageFolder, files);
        console.log(`# ${packed} bytes`);
        assert.ok(packed < ENGINE_BUDGET, `${packed} bytes`);
        assert.ok(packed > 0.5 * ENGINE_BUDGET, `${packed} bytes: is that the whole engine?`);
    });
}
