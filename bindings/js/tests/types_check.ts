// Checked by TypeScript, never run: uses of the package that must compile, and some that must not.
import { Cloth, features, load, loadWorker, SelvageError, World } from '../index.js';
import { addCollider, ClothMesh, ColliderMeshes, PointerGrabs, WovenMaterial } from '../three/index.js';
import { Mesh, PerspectiveCamera } from 'three';

export async function local(mesh: Mesh, element: HTMLElement): Promise<string> {
    if (features().missing) throw new Error(features().missing);
    const engine = await load({ threads: true, pool: 3 });
    const world: World = engine.loadScene('flag', { set: { '/dt': '1/120' }, threads: 2 });
    const cloth: Cloth = world.addGrid([1, 1], [33, 33], { fabric: 'denim', pins: 'top', material: { density: 0.3 } });
    const xyz: Float32Array = cloth.positions;
    const hit = world.raycast([0, 1, 0], [0, -1, 0]);
    hit?.cloth?.grab(hit.triangle, hit.weights).move(xyz.subarray(0, 3));
    const drawn = new ClothMesh(cloth, engine.prepareLook('silk-satin'));
    drawn.showStrain(0.05);
    const material = new WovenMaterial(engine.prepareLook({ groove: 0.2 }));
    material.setLook(engine.prepareLook('linen'));
    addCollider(world, mesh, { friction: 0.2 }).update();
    new PointerGrabs(world, new PerspectiveCamera(), element, { draggable: [mesh] }).dispose();
    await new ColliderMeshes(world).ready;
    try {
        world.step();
    } catch (error) {
        if (error instanceof SelvageError && error.code === 'diverged') cloth.reset();
    }
    // @ts-expect-error a frame count is a number
    world.step('1');
    // @ts-expect-error no such option
    world.addSphere(1, { radius: 2 });
    // @ts-expect-error positions are the engine's
    cloth.positions = xyz;
    return world.hash;
}

export async function remote(mesh: Mesh): Promise<number> {
    const engine = await loadWorker();
    const world = await engine.loadScene('curtain');
    world.watch({ tangents: true, lines: { pins: true } });
    world.onframe = (frame) => console.log(frame.statistics.frameMs, world.cloths[0]!.positions.length);
    world.play(0.5);
    const cloth = await world.addGrid([1, 1], [9, 9]);
    const grab = await cloth.grab(0);
    await grab.move([0, 1, 0]);
    const solid = await addCollider(world, mesh);
    solid.update();
    const hit = await world.raycast([0, 0, 0], [0, 1, 0]);
    await hit?.cloth?.pin([0]);
    const frame = await world.step(2);
    // @ts-expect-error answers come by promises
    const bytes: Uint8Array = world.snapshot();
    return frame.time + bytes.length + new ClothMesh(cloth, await engine.prepareLook(cloth.look)).cloth.vertexCount;
}
