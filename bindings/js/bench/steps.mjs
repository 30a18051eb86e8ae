// Time per frame on the yardsticks: the engine in Node without threads, with one and with two, against the native program.
//
//   node bindings/js/bench/steps.mjs [--selvage PROGRAM] [--seconds 2] [--sides 32,64] [--scenes yard-hang,yard-drape]
//                                    [--rounds 1]
//
// Times are medians over frames: processor time, which other work on the machine disturbs least, and wall time; of several
// rounds, in each of which every engine has its turn, the least. Those of the native program come from `selvage bench yard`. Hashes of the final states must be equal, and the script fails where
// they are not. Prints a table in Markdown.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { selvage } from '../tests/package_path.js';

const { values } = parseArgs({ options: { selvage: { type: 'string' }, seconds: { type: 'string', default: '2' },
    rounds: { type: 'string', default: '1' }, sides: { type: 'string', default: '32,64' }, scenes: { type: 'string', default: 'yard-hang,yard-drape' } } });
const seconds = Number(values.seconds), sides = values.sides.split(',').map(Number), scenes = values.scenes.split(',');
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function native(threads) {
    if (!values.selvage) return new Map();
    const folder = mkdtempSync(join(tmpdir(), 'selvage-bench-')), file = join(folder, 'rows.json');
    try {
        execFileSync(values.selvage, ['bench', 'yard', '--scenes', scenes.join(), '--sides', sides.join(), '--damping', '0', '--fabrics', 'poplin',
            '--solvers', 'multilevel', '--threads', String(threads), '--seconds', String(seconds), '--output', file, '--quiet']);
        const rows = JSON.parse(readFileSync(file, 'utf8'));
        return new Map(rows.map((row) => [`${row.scene} ${row.side}`, { cpu: row.cpu_median_ms, wall: row.wall_median_ms,
            hash: row.state_hash }]));
    } finally {
        rmSync(folder, { recursive: true, force: true });
    }
}

async function web(threaded, threads) {
    const engine = await selvage.load(threaded ? { threads: true, pool: 1 } : { threads: false });
    const found = new Map();
    for (const scene of scenes) {
        for (const side of sides) {
            const set = { '/cloths/0/mesh/grid/vertices': [side, side] };
            const warm = engine.loadScene(scene, { set, threads });
            warm.step(40); // until the code is compiled for good
            warm.destroy();
            const world = engine.loadScene(scene, { set, threads });
            const cpu = [], wall = [], frames = Math.round(60 * seconds);
            for (let k = 0; k < frames; ++k) {
                const start = performance.now(), before = process.cpuUsage();
                world.step();
                cpu.push(process.cpuUsage(before).user / 1000);
                wall.push(performance.now() - start);
            }
            found.set(`${scene} ${side}`, { cpu: median(cpu), wall: median(wall), hash: world.hash });
            world.destroy();
        }
    }
    return found;
}

const load = [loadavg()[0]];
const runs = [['native, 1 thread', () => native(1)], ['native, 2 threads', () => native(2)], ['without threads', () => web(false, 1)],
    ['threads: 1', () => web(true, 1)], ['threads: 2', () => web(true, 2)]];
const least = new Map(runs.map(([name]) => [name, new Map()]));
for (let round = 0; round < Number(values.rounds); ++round) {
    for (const [name, run] of runs) {
        for (const [key, { cpu, wall, hash }] of await run()) {
            const known = least.get(name).get(key) ?? { cpu: Infinity, wall: Infinity, hash };
            if (known.hash !== hash) throw new Error(`${name}, ${key}: ${known.hash} and then ${hash}`);
            least.get(name).set(key, { cpu: Math.min(cpu, known.cpu), wall: Math.min(wall, known.wall), hash });
        }
    }
}
const engines = [...least].filter(([, rows]) => rows.size > 0);
load.push(loadavg()[0]);
const [, baseline] = engines[0];
console.log(`Load of the machine at the start and the end: ${load.map((x) => x.toFixed(1)).join(', ')}; a quiet one with two threads has 1 to 2.\n`);
console.log('| Scene | Side | Engine | Processor ms | Ratio | Wall ms | Hash |\n|---|---|---|---|---|---|---|');
let different = 0;
for (const scene of scenes) {
    for (const side of sides) {
        const key = `${scene} ${side}`, first = baseline.get(key);
        for (const [name, rows] of engines) {
            const row = rows.get(key);
            // Two threads: wall time, since one that waits for work counts as busy.
            const ratio = name.includes('2') && engines[1][0].startsWith('native') ? row.wall / engines[1][1].get(key).wall : row.cpu / first.cpu;
            different += row.hash === first.hash ? 0 : 1;
            console.log(`| ${scene} | ${side} | ${name} | ${row.cpu.toFixed(2)} | ${ratio.toFixed(2)} | ${row.wall.toFixed(1)} | ${row.hash} |`);
        }
    }
}
process.exit(different ? 1 : 0);
