// selvage/three without a screen: meshes, colliders and hands, where `npm install` in bindings/js has brought three.
import assert from 'node:assert/strict';
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { packageFolder, root, selvage } from './package_path.js';

const installed = join(root, 'bindings/js/node_modules/three');
const skip = existsSync(installed) ? false : 'npm install in bindings/js brings three';
const folder = mkdtempSync(join(tmpdir(), 'selvage-three-'));
after(() => rmSync(folder, { recursive: true, force: true }));
let THREE, three;
if (!skip) { // a copy, beside a three that it finds
    cpSync(join(packageFolder, 'three'), join(folder, 'three'), { recursive: true });
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(installed, join(folder, 'node_modules/three'));
    THREE = await import(pathToFileURL(join(installed, 'build/three.module.js')).href);
    three = await import(pathToFileURL(join(folder, 'three/index.js')).href);
}
const engine = await selvage.load({ threads: false });
const FLAT = [-Math.SQRT1_2, 0, 0, Math.SQRT1_2];

test('a cloth\'s mesh follows it in place', { skip }, () => {
    const world = engine.createWorld(), cloth = world.addGrid([1, 1], [9, 9], { rotation: FLAT });
    const mesh = new three.ClothMesh(cloth, engine.prepareLook('denim'));
    const { position, normal, tangent, uv } = mesh.geometry.attributes, array = position.array, version = position.version;
    assert.equal(position.count, 81);
    assert.ok(Math.max(...uv.array) > 0.99);
    world.step(5);
    mesh.update();
    assert.equal(mesh.geometry.attributes.position.array, array);
    assert.ok(position.version > version);
    assert.deepEqual(array, cloth.positions.slice());
    assert.deepEqual(normal.array, cloth.normals.slice());
    assert.deepEqual(tangent.array, cloth.tangents.slice());
    mesh.showStrain(0.05);
    assert.equal(mesh.geometry.attributes.color.count, 81);
    mesh.showStrain(null);
    assert.ok(mesh.material instanceof three.WovenMaterial);
});

test('a seam of the pattern has both its sides', { skip }, () => {
    const world = engine.createWorld(), tube = world.addTube(0.2, 0.2, 0.5, [12, 5]);
    const mesh = new three.ClothMesh(tube);
    const { position, uv } = mesh.geometry.attributes, index = mesh.geometry.index.array;
    assert.equal(position.count, tube.vertexCount + 5); // one more column
    for (let k = 0; k < index.length; k += 3) { // no triangle runs across the whole pattern
        const u = [0, 1, 2].map((j) => uv.getX(index[k + j]));
        assert.ok(Math.max(...u) - Math.min(...u) < 0.2);
    }
});

test('the material takes all of a look, and changes it in place', { skip }, () => {
    const material = new three.WovenMaterial(engine.prepareLook('silk-satin'));
    const { vertexShader, fragmentShader } = THREE.ShaderLib.standard;
    const shader = { uniforms: {}, vertexShader, fragmentShader };
    material.onBeforeCompile(shader);
    assert.match(shader.fragmentShader, /fabric_light\( woven_site/);
    assert.equal(shader.uniforms.u_fabric.value.furnace.length, 128);
    assert.equal(shader.uniforms.u_fabric.value.missing.length, 128);
    assert.equal(shader.uniforms.u_fabric.value.bounces.length, 6);
    material.setLook(engine.prepareLook('polyester-chiffon'));
    assert.equal(material.transparent, material.look.openness > 0);
    assert.equal(shader.uniforms.u_fabric.value.openness, material.look.openness);
});

test('objects become the shapes they are', { skip }, () => {
    const world = engine.createWorld();
    const kinds = [[new THREE.SphereGeometry(0.3), 'sphere'], [new THREE.BoxGeometry(1, 2, 3), 'box'],
        [new THREE.CapsuleGeometry(0.2, 0.5), 'capsule'], [new THREE.CylinderGeometry(0.2, 0.2, 1), 'cylinder'],
        [new THREE.CylinderGeometry(0.1, 0.2, 1), 'mesh'], [new THREE.PlaneGeometry(1, 1), 'plane'], [new THREE.TorusGeometry(0.4, 0.1), 'mesh']];
    for (const [geometry, kind] of kinds) {
        const object = new THREE.Mesh(geometry);
        object.position.set(1, 2, 3);
        const solid = three.addCollider(world, object);
        assert.equal(solid.collider.kind, kind);
        object.position.y = 4;
        solid.update();
        world.step();
        const { positions } = solid.collider.surface(), { position, rotation } = solid.collider.pose;
        const turn = new THREE.Quaternion(...rotation), at = new THREE.Vector3();
        if (kind === 'plane') continue;
        const box = new THREE.Box3(), drawn = new THREE.Box3().setFromObject(object, true);
        for (let k = 0; k < positions.length; k += 3) {
            box.expandByPoint(at.fromArray(positions, k).applyQuaternion(turn).add(new THREE.Vector3(...position)));
        }
        assert.ok(box.min.distanceTo(drawn.min) < 0.02 && box.max.distanceTo(drawn.max) < 0.02, `${geometry.type}`);
    }
    const empty = engine.createWorld(), wall = three.addCollider(empty, new THREE.Mesh(new THREE.PlaneGeometry(1, 1)));
    const hit = empty.raycast([0.3, -0.2, 50], [0, 0, -1]); // its front looks along z
    assert.equal(hit.collider.id, wall.collider.id);
    assert.ok(Math.abs(hit.point[2]) < 1e-9);
    assert.throws(() => three.addCollider(world, new THREE.Object3D()), /expected one/);
});

test('a skinned mesh pushes cloth as its bones move', { skip }, () => {
    const geometry = new THREE.BoxGeometry(0.6, 0.2, 0.6), count = geometry.attributes.position.count;
    geometry.setAttribute('skinIndex', new THREE.Uint16BufferAttribute(new Uint16Array(4 * count), 4));
    geometry.setAttribute('skinWeight', new THREE.Float32BufferAttribute(Float32Array.from({ length: 4 * count }, (_, k) => k % 4 === 0 ? 1 : 0), 4));
    const body = new THREE.SkinnedMesh(geometry), bone = new THREE.Bone();
    body.add(bone);
    body.bind(new THREE.Skeleton([bone]));
    const world = engine.createWorld(), cloth = world.addGrid([0.4, 0.4], [13, 13], { rotation: FLAT, position: [0, 0.11, 0] });
    const solid = three.addCollider(world, body);
    assert.equal(solid.collider.kind, 'mesh');
    for (let frame = 1; frame <= 40; ++frame) {
        bone.position.y = 0.01 * frame;
        body.updateMatrixWorld(true);
        solid.update();
        world.step();
    }
    assert.ok(solid.collider.isDeforming);
    assert.ok(cloth.bounds.low[1] > 0.48, `${cloth.bounds.low[1]}`); // its top is at 0.5
});

test('pointers take cloth and things, each its own, and let go', { skip }, () => {
    const world = engine.createWorld({ gravity: [0, 0, 0] }), cloth = world.addGrid([1, 1], [17, 17]);
    const camera = new THREE.PerspectiveCamera(60, 1, 0.1, 10);
    camera.position.z = 2;
    const listeners = {}, element = { style: {}, addEventListener: (name, call) => { listeners[name] = call; }, removeEventListener: (name) => { delete listeners[name]; },
        getBoundingClientRect: () => ({ left: 0, top: 0, width: 200, height: 200 }), setPointerCapture() {} };
    const ball = new THREE.Mesh(new THREE.SphereGeometry(0.1));
    ball.position.set(0.8, 0, 0);
    ball.updateMatrixWorld();
    const grabs = new three.PointerGrabs(world, camera, element, { draggable: [ball] });
    let stopped = 0;
    const pointer = (name, pointerId, [x, y, z]) => {
        const at = new THREE.Vector3(x, y, z).project(camera);
        listeners[name]({ pointerId, button: 0, clientX: 100 * (1 + at.x), clientY: 100 * (1 - at.y), stopImmediatePropagation: () => { ++stopped; } });
    };
    camera.updateMatrixWorld();
    pointer('pointerdown', 1, [0.2, 0.1, 0]);
    pointer('pointerdown', 2, [-0.3, 0.1, 0]);
    pointer('pointerdown', 3, [0.8, 0, 0.1]);
    pointer('pointerdown', 4, [0, 0.9, 0]); // beside everything
    assert.equal(grabs.count, 3);
    assert.equal(stopped, 3);
    pointer('pointermove', 1, [0.25, 0.2, 0]);
    pointer('pointermove', 3, [0.9, 0.3, 0.1]);
    world.step(2);
    assert.equal(cloth.held.length, 6);
    const hit = world.raycast([0.25, 0.2, 2], [0, 0, -1]);
    assert.ok(Math.abs(hit.point[2]) < 0.05);
    assert.ok(ball.position.distanceTo(new THREE.Vector3(0.9, 0.3, 0)) < 0.02);
    for (const id of [1, 2, 3]) pointer('pointerup', id, [0, 0, 0]);
    world.step();
    assert.equal(grabs.count, 0);
    assert.equal(cloth.held.length, 0);
    grabs.dispose();
    assert.equal(Object.keys(listeners).length, 0);
});
