// A walking character in a dress: three.js moves the skeleton, the skin is a collider, the engine moves the cloth.
import { load } from 'selvage';
import { ClothMesh, PointerGrabs } from 'selvage/three';
import { GLTFLoader } from 'three/addons/loaders/GLTFLoader.js';
import * as THREE from 'three';
import { dressCharacter } from './dressed_character.js';
import { makeStage } from './stage.js';

const [engine, gltf, dress] = await Promise.all([load(), new GLTFLoader().loadAsync('dressed/body.glb'),
    fetch('dressed/dress.glb').then(async (file) => new Uint8Array(await file.arrayBuffer()))]);
const stage = makeStage({ eye: [1.5, 1.25, 3.0], target: [0, 0.86, 0] });
const dressed = dressCharacter(engine, gltf, dress);
dressed.skin.material = new THREE.MeshStandardMaterial({ color: 0xc9cdd4, roughness: 0.65 });
dressed.skin.castShadow = dressed.skin.receiveShadow = true;
dressed.skin.frustumCulled = false; // its bounds are those of the pose at rest
const mesh = new ClothMesh(dressed.cloth, engine.prepareLook(dressed.cloth.look));
stage.scene.add(dressed.body, mesh);

new PointerGrabs(dressed.world, stage.camera, stage.renderer.domElement);
stage.controls();
stage.run((seconds) => {
    dressed.advance(seconds);
    mesh.update();
});
