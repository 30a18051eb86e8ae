// A flag in gusty wind: a built-in scene, in this thread.
import { load } from 'selvage';
import { ClothMesh, PointerGrabs } from 'selvage/three';
import * as THREE from 'three';
import { makeStage } from './stage.js';

const engine = await load();
const world = engine.loadScene('flag');
const [cloth] = world.cloths;
const { low, high } = cloth.bounds, middle = (low[1] + high[1]) / 2;
const stage = makeStage({ eye: [0.5, middle + 0.3, 3.6], target: [0, middle - 0.25, 0], floor: low[1] - 0.9 });
const mesh = new ClothMesh(cloth, engine.prepareLook(cloth.look));
stage.scene.add(mesh);

const height = high[1] - low[1] + 1;
const pole = new THREE.Mesh(new THREE.CylinderGeometry(0.014, 0.018, height, 24),
    new THREE.MeshStandardMaterial({ color: 0x8a8f98, metalness: 0.8, roughness: 0.35 }));
pole.position.set(low[0] - 0.016, high[1] + 0.1 - height / 2, 0);
pole.castShadow = true;
stage.scene.add(pole);

new PointerGrabs(world, stage.camera, stage.renderer.domElement);
stage.controls();
stage.run((seconds) => {
    world.advance(seconds, 2);
    mesh.update();
});
