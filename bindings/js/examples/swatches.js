// A dozen fabrics, each hung by two corners: what WovenMaterial makes of their weaves.
import { load } from 'selvage';
import { ClothMesh, PointerGrabs } from 'selvage/three';
import { makeStage } from './stage.js';

const engine = await load();
const stage = makeStage({ eye: [0, 0.8, 1.75], target: [0, 0.7, 0], floor: 0.1 });
const FABRICS = ['silk-satin', 'denim', 'linen', 'wool-suiting', 'cotton-jersey', 'polyester-chiffon', 'felt', 'leather',
    'silk-habotai', 'royal-target', 'tango-red-jet-set', 'gray-interlock'];
const world = engine.createWorld();
const meshes = FABRICS.filter((name) => engine.fabrics.includes(name)).map((fabric, k) => {
    const column = k % 6, row = Math.floor(k / 6);
    const cloth = world.addGrid([0.26, 0.34], [17, 22], { fabric, position: [0.3 * (column - 2.5), 0.98 - 0.46 * row, 0],
        rotation: [0, Math.sin(0.12), 0, Math.cos(0.12)], pins: 'top-left,top-right' });
    const corners = [...cloth.group('top-left'), ...cloth.group('top-right')];
    const at = corners.flatMap((v) => Array.from(cloth.exactPositions.slice(3 * v, 3 * v + 3)));
    const middle = (at[0] + at[3]) / 2;
    cloth.movePins(corners, at.map((x, j) => j % 3 === 0 ? middle + 0.86 * (x - middle) : x)); // so that they sag
    const mesh = new ClothMesh(cloth, engine.prepareLook(fabric));
    stage.scene.add(mesh);
    return mesh;
});
new PointerGrabs(world, stage.camera, stage.renderer.domElement);
stage.controls();
stage.run((seconds) => {
    world.advance(seconds, 2);
    for (const mesh of meshes) mesh.update();
});
