// The types, where TypeScript was installed by `npm install` in bindings/js; they are not needed to run anything.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { root, selvage } from './package_path.js';

const folder = join(root, 'bindings/js'), compiler = join(folder, 'node_modules/typescript/bin/tsc');

test('the types compile, and refuse what is wrong', { skip: existsSync(compiler) ? false : 'npm install in bindings/js brings TypeScript' }, () => {
    const { status, stdout } = spawnSync(process.execPath, [compiler, '-p', folder], { encoding: 'utf8' });
    assert.equal(status, 0, stdout);
});

test('everything that the types name is there', async () => {
    const types = readFileSync(join(folder, 'index.d.ts'), 'utf8');
    for (const [, name] of types.matchAll(/^export (?:class|function) (\w+)/gm)) assert.equal(typeof selvage[name], 'function', name);
    const engine = await selvage.load({ threads: false }), world = engine.loadScene('sphere-drape');
    const [cloth] = world.cloths, [collider] = world.colliders;
    const parts = { Engine: engine, World: world, Cloth: cloth, Collider: collider, Grab: cloth.grab(0),
        Attachment: cloth.attach([0], [0, 0, 0]) };
    for (const [name, object] of Object.entries(parts)) {
        const body = new RegExp(`^export class ${name} \\{\\n(.*?)^\\}`, 'ms').exec(types)[1];
        const members = [...body.matchAll(/^ {4}(?:readonly )?(\w+)[(:]/gm)].map(([, member]) => member);
        assert.ok(members.length > 1, name);
        for (const member of members) assert.ok(member in object, `${name}.${member}`);
    }
});
