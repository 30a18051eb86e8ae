// Side by side on the hang: Selvage, JoltPhysics.js (npm jolt-physics) and ammo.js (npm ammojs3), all in this process, without
// threads. A square metre of 0.2 kg is dropped from the horizontal, held at two corners, at 60 frames a second.
//
//   npm install --prefix bindings/js && node bindings/js/bench/others.mjs [--sides 32,64] [--seconds 3] [--only TEXT]
//
// Prints a table in Markdown: median processor and wall time per frame, and the largest stretch of an edge along the
// threads after half a second, when the cloth swings, and at the end. Springs of the others are as stiff as the fabric.
import { createRequire } from 'node:module';
import { parseArgs } from 'node:util';
import { selvage } from '../tests/package_path.js';

const { values } = parseArgs({ options: { sides: { type: 'string', default: '32,64' }, seconds: { type: 'string', default: '3' },
    only: { type: 'string', default: '' } } });
const MASS = 0.2, DT = 1 / 60;
const median = (list) => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
const engine = await selvage.load({ threads: false });
const fabric = engine.fabric('cotton-poplin');

/** Largest stretch of the edges along the threads of a grid; `at(i, out)` gives a vertex, row by row. */
function threadStretch(side, at) {
    const rest = 1 / (side - 1), a = [0, 0, 0], b = [0, 0, 0];
    let most = 0;
    for (let row = 0; row < side; ++row) {
        for (let column = 0; column < side; ++column) {
            at(row * side + column, a);
            for (const [r, c] of [[row, column + 1], [row + 1, column]]) {
                if (r >= side || c >= side) continue;
                at(r * side + c, b);
                most = Math.max(most, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / rest - 1);
            }
        }
    }
    return most;
}

function withSelvage(side, solver) {
    const world = engine.loadScene('yard-hang', { set: { '/cloths/0/mesh/grid/vertices': [side, side], '/solver': solver } });
    const [cloth] = world.cloths;
    let x = null;
    return { step: () => { world.step(); x = cloth.exactPositions; },
        at: (i, out) => { out[0] = x[3 * i]; out[1] = x[3 * i + 1]; out[2] = x[3 * i + 2]; }, end: () => world.destroy() };
}

const jolt = await (await import('jolt-physics')).default();
function withJolt(side, iterations, tethers) {
    const settings = new jolt.JoltSettings();
    settings.mMaxWorkerThreads = 0;
    const filter = new jolt.ObjectLayerPairFilterTable(1);
    filter.EnableCollision(0, 0);
    const layers = new jolt.BroadPhaseLayerInterfaceTable(1, 1);
    layers.MapObjectToBroadPhaseLayer(0, new jolt.BroadPhaseLayer(0));
    settings.mObjectLayerPairFilter = filter;
    settings.mBroadPhaseLayerInterface = layers;
    settings.mObjectVsBroadPhaseLayerFilter = new jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, filter, 1);
    const world = new jolt.JoltInterface(settings);
    const shared = new jolt.SoftBodySharedSettings(), vertex = new jolt.SoftBodySharedSettingsVertex();
    for (let row = 0; row < side; ++row) {
        for (let column = 0; column < side; ++column) {
            vertex.mPosition = new jolt.Float3(column / (side - 1) - 0.5, 0, row / (side - 1) - 0.5);
            vertex.mInvMass = row === 0 && (column === 0 || column === side - 1) ? 0 : side * side / MASS;
            shared.mVertices.push_back(vertex);
        }
    }
    for (let row = 0; row + 1 < side; ++row) {
        for (let column = 0; column + 1 < side; ++column) {
            const a = row * side + column, b = a + 1, c = a + side, d = c + 1;
            for (const corners of [[a, c, d], [a, d, b]]) shared.AddFace(new jolt.SoftBodySharedSettingsFace(...corners, 0));
        }
    }
    const attributes = new jolt.SoftBodySharedSettingsVertexAttributes();
    attributes.mCompliance = 1 / fabric.stretch_warp;
    attributes.mShearCompliance = 1 / fabric.shear;
    attributes.mBendCompliance = 1;
    if (tethers) attributes.mLRAType = jolt.SoftBodySharedSettings_ELRAType_GeodesicDistance;
    shared.CreateConstraints(attributes, 1, jolt.SoftBodySharedSettings_EBendType_Distance);
    shared.Optimize();
    const creation = new jolt.SoftBodyCreationSettings(shared, new jolt.RVec3(0, 1.2, 0), new jolt.Quat(0, 0, 0, 1), 0);
    creation.mNumIterations = iterations;
    creation.mLinearDamping = 0;
    creation.mUpdatePosition = false;
    const bodies = world.GetPhysicsSystem().GetBodyInterface();
    const body = bodies.CreateSoftBody(creation);
    bodies.AddBody(body.GetID(), jolt.EActivation_Activate);
    const motion = jolt.castObject(body.GetMotionProperties(), jolt.SoftBodyMotionProperties);
    return { step: () => world.Step(DT, 1), at(i, out) {
        const p = motion.GetVertex(i).mPosition;
        out[0] = p.GetX(); out[1] = p.GetY(); out[2] = p.GetZ();
    }, end: () => jolt.destroy(world) };
}

const ammo = await createRequire(import.meta.url)('ammojs3/dist/ammo.wasm.js')();
function withAmmo(side, iterations) {
    const configuration = new ammo.btSoftBodyRigidBodyCollisionConfiguration();
    const world = new ammo.btSoftRigidDynamicsWorld(new ammo.btCollisionDispatcher(configuration), new ammo.btDbvtBroadphase(),
        new ammo.btSequentialImpulseConstraintSolver(), configuration, new ammo.btDefaultSoftBodySolver());
    const gravity = new ammo.btVector3(0, -9.81, 0);
    world.setGravity(gravity);
    world.getWorldInfo().set_m_gravity(gravity);
    const corner = (x, z) => new ammo.btVector3(x, 1.2, z);
    const body = new ammo.btSoftBodyHelpers().CreatePatch(world.getWorldInfo(), corner(-0.5, -0.5), corner(0.5, -0.5),
        corner(-0.5, 0.5), corner(0.5, 0.5), side, side, 1 + 2, true);
    const config = body.get_m_cfg();
    config.set_viterations(iterations);
    config.set_piterations(iterations);
    config.set_kDP(0);
    body.get_m_materials().at(0).set_m_kLST(1); // as stiff as it goes
    body.get_m_materials().at(0).set_m_kAST(1);
    body.setTotalMass(MASS, false);
    for (const held of [0, side - 1]) body.setMass(held, 0);
    world.addSoftBody(body, 1, -1);
    const nodes = body.get_m_nodes();
    return { step: () => world.stepSimulation(DT, 0), at(i, out) {
        const p = nodes.at(i).get_m_x();
        out[0] = p.x(); out[1] = p.y(); out[2] = p.z();
    }, end: () => {} };
}

const engines = [['Selvage, multilevel', (side) => withSelvage(side, { type: 'multilevel', quality: 'low' })],
    ['Selvage, xpbd', (side) => withSelvage(side, { type: 'xpbd' })],
    ['JoltPhysics.js, 5 iterations (its default)', (side) => withJolt(side, 5)],
    ['JoltPhysics.js, 5 iterations, tethers', (side) => withJolt(side, 5, true)],
    ['JoltPhysics.js, 50 iterations', (side) => withJolt(side, 50)],
    ['ammo.js, 10 iterations', (side) => withAmmo(side, 10)], ['ammo.js, 100 iterations', (side) => withAmmo(side, 100)]];
console.log('| Side | Engine | Self-collision | Processor ms | Wall ms | Stretch % swinging | Stretch % at the end |\n|---|---|---|---|---|---|---|');
for (const side of values.sides.split(',').map(Number)) {
    for (const [name, make] of engines.filter(([one]) => one.includes(values.only))) {
        const run = make(side), cpu = [], wall = [], frames = Math.round(Number(values.seconds) / DT);
        let most = 0, last = 0;
        for (let frame = 0; frame < frames; ++frame) {
            const start = performance.now(), before = process.cpuUsage();
            run.step();
            cpu.push(process.cpuUsage(before).user / 1000);
            wall.push(performance.now() - start);
            if (frame >= 30) most = Math.max(most, last = threadStretch(side, run.at));
        }
        const percent = (x) => (100 * x).toFixed(1);
        console.log(`| ${side} | ${name} | ${name.startsWith('Selvage') ? 'yes' : 'no'} | ${median(cpu.slice(30)).toFixed(2)} | ` +
            `${median(wall.slice(30)).toFixed(1)} | ${percent(most)} | ${percent(last)} |`);
        run.end();
    }
}
