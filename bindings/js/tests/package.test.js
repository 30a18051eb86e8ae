// The package as others get it: packed, installed into an empty project, and the README's example run there.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { packageFolder } from './package_path.js';

function hasNpm() {
    try {
        execFileSync('npm', ['--version'], { stdio: 'ignore' });
        return true;
    } catch {
        return false;
    }
}

test('the packed package runs the README\'s example', { skip: hasNpm() ? false : 'there is no npm; scripts/setup web installs it' }, () => {
    const folder = mkdtempSync(join(tmpdir(), 'selvage-'));
    const npm = (...args) => execFileSync('npm', [...args, '--offline', '--no-audit', '--no-fund', '--cache', join(folder, 'cache')],
        { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] }).toString();
    try {
        const tarball = npm('pack', packageFolder).trim().split('\n').at(-1);
        writeFileSync(join(folder, 'package.json'), '{ "name": "empty", "private": true, "type": "module" }');
        npm('install', `./${tarball}`);
        const example = /```js\n(.*?)```/s.exec(readFileSync(join(packageFolder, 'README.md'), 'utf8'))[1];
        assert.ok(example.trim().split('\n').length <= 24);
        writeFileSync(join(folder, 'example.js'), example);
        const said = execFileSync(process.execPath, ['example.js'], { cwd: folder, timeout: 120000 }).toString();
        assert.match(said, /^1089 vertices, stretch [0-9.]+ %, hash [0-9a-f]{16}$/m);
        const listed = readFileSync(join(folder, 'node_modules/selvage/package.json'), 'utf8');
        assert.equal(JSON.parse(listed).dependencies, undefined);
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
});
