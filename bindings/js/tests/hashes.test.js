// The same bits as every other platform: the cases of lab/portability/golden_hashes.cpp, 600 steps of every solver, through
// the package, against the hashes that gcc on x86-64 wrote.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, selvage } from './package_path.js';

const source = readFileSync(join(root, 'lab/portability/golden_hashes.cpp'), 'utf8');
const fabric = /kFabric\[\] =\s*R"\((.*?)\)"/s.exec(source)[1];
const substeps = /kSubsteps\[\] = R"\((.*?)\)"/s.exec(source)[1];
const steps = Number(/kSteps = (\d+)/.exec(source)[1]);
const cases = [...source.matchAll(/\{"([a-z-]+)", R"\((.*?)\)"\}/gs)].map(([, name, text]) => [name,
    JSON.parse(text.replaceAll('FABRIC', fabric).replaceAll('SUBSTEPS', substeps))]);
const golden = new Map(readFileSync(join(root, 'tests/golden/state_hashes.txt'), 'utf8').split('\n')
    .filter((line) => line && !line.startsWith('#')).map((line) => line.split(' ')).map(([scene, solver, hash]) => [`${scene} ${solver}`, hash]));

for (const threads of [false, true]) {
    const engine = await selvage.load({ threads });
    const kind = threads ? 'with threads' : 'without threads';
    for (const solver of engine.solvers.map((one) => one.name)) {
        // With threads one case is enough: chunks are the same.
        const wanted = threads ? cases.filter(([name]) => name === 'two-sheets') : cases;
        test(`${solver} gives the hashes of the native program, ${kind}`, () => {
            for (const [name, scene] of wanted) {
                const perFrame = scene.substeps[solver] ?? scene.substeps.other;
                const world = engine.loadScene({ ...scene, solver: { type: solver } });
                world.step(steps / perFrame);
                assert.equal(world.hash, golden.get(`${name} ${solver}`), `${name} ${solver}`);
                world.destroy();
            }
        });
    }
    test(`there are golden hashes for every case, ${kind}`, () => {
        assert.ok(cases.length >= 7);
        for (const [name] of cases) {
            for (const { name: solver } of engine.solvers) assert.ok(golden.has(`${name} ${solver}`), `${name} ${solver}`);
        }
    });
}
