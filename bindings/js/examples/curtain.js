// A curtain on a rail that opens and closes: pins moved by the program.
import { load } from 'selvage';
import { ClothMesh, PointerGrabs } from 'selvage/three';
import * as THREE from 'three';
import { makeStage } from './stage.js';

const engine = await load();
const stage = makeStage({ eye: [0.7, 1.2, 3.1], target: [0, 0.85, 0] });
const world = engine.createWorld();
const WIDTH = 1.6, HEIGHT = 1.5, TOP = 1.65, COLUMNS = 65;
world.addPlane();
const cloth = world.addGrid([WIDTH, HEIGHT], [COLUMNS, 49], { fabric: 'linen', position: [0, TOP - HEIGHT / 2, 0] });
const top = Array.from(cloth.group('top')), start = cloth.exactPositions.slice();
const hooks = top.filter((_, k) => k % 4 === 0);
const mesh = new ClothMesh(cloth, engine.prepareLook(cloth.look));
stage.scene.add(mesh);
const rail = new THREE.Mesh(new THREE.CylinderGeometry(0.014, 0.014, 1.9, 24), new THREE.MeshStandardMaterial({ color: 0x6b5b4a, roughness: 0.5 }));
rail.rotation.z = Math.PI / 2;
rail.position.y = TOP + 0.012;
rail.castShadow = true;
stage.scene.add(rail);

/** Hooks at a fraction of the width, in a zigzag that keeps the length of cloth between them. */
function moveHooks(fraction) {
    const gap = WIDTH / (hooks.length - 1), depth = 0.25 * gap * Math.sqrt(1 - fraction * fraction);
    cloth.movePins(hooks, hooks.flatMap((v, k) => [(start[3 * v] + WIDTH / 2) * fraction - WIDTH / 2, TOP,
        k % 2 === 0 ? depth : -depth]));
}
new PointerGrabs(world, stage.camera, stage.renderer.domElement);
stage.controls();
let time = 0;
stage.run((seconds) => {
    if (world.advance(seconds, 2).steps > 0) {
        time += seconds;
        moveHooks(0.65 + 0.3 * Math.cos(0.9 * time));
    }
    mesh.update();
});
