// Satin over a ball. The ball can be dragged, and so can the cloth; the engine runs in a Worker.
import { loadWorker } from 'selvage';
import { addCollider, ClothMesh, PointerGrabs } from 'selvage/three';
import * as THREE from 'three';
import { makeStage } from './stage.js';

const engine = await loadWorker();
const stage = makeStage({ eye: [0.8, 1.0, 1.15], target: [0, 0.45, 0] });
const world = await engine.createWorld();
world.watch({ tangents: true });
await world.addPlane();
const ball = new THREE.Mesh(new THREE.SphereGeometry(0.28, 48, 32),
    new THREE.MeshStandardMaterial({ color: 0x9c4a3c, roughness: 0.4 }));
ball.position.set(0, 0.5, 0);
ball.castShadow = ball.receiveShadow = true;
stage.scene.add(ball);
const solid = await addCollider(world, ball, { friction: 0.3 });
const cloth = await world.addGrid([1, 1], [49, 49], { fabric: 'silk-satin', position: [0, 0.85, 0],
    rotation: [-Math.SQRT1_2, 0, 0, Math.SQRT1_2] });
const mesh = new ClothMesh(cloth, await engine.prepareLook(cloth.look));
stage.scene.add(mesh);

new PointerGrabs(world, stage.camera, stage.renderer.domElement, { draggable: [ball] });
stage.controls();
world.onframe = () => mesh.update();
world.play();
stage.run(() => solid.update());
