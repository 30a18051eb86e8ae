// A flag in gusty wind: a built-in scene, in this thread.
import { load } from 'selvage';
import { ClothMesh, PointerGrabs } from 'selvage/three';
import * as THREE from 'three';
import { makeStage } from './stage.js';

const engine = await load();
const stage = makeStage({ eye: [0.6, 1.4, 3.2], target: [0.1, 1.1, 0] });
const world = engine.loadScene('flag');
const [cloth] = world.cloths;
const mesh = new ClothMesh(cloth, engine.prepareLook(cloth.look));
stage.scene.add(mesh);

const pole = new THREE.Mesh(new THREE.CylinderGeometry(0.015, 0.02, 2, 24), new THREE.MeshStandardMaterial({ color: 0x8a8f98, metalness: 0.8, roughness: 0.35 }));
const { low } = cloth.bounds;
pole.position.set(low[0] - 0.015, 0.8, 0);
pole.scale.y = 1;
pole.castShadow = true;
stage.scene.add(pole);

new PointerGrabs(world, stage.camera, stage.renderer.domElement);
stage.controls();
stage.run((seconds) => {
    world.advance(seconds, 2);
    mesh.update();
});
