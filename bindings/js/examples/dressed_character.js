// A character of a glTF file, moved by three.js, in a dress that the engine moves. The two files beside this one come from
//
//   selvage mannequin --triangles 3000 --motion walk --in-place --fps 15 --out body.glb
//   selvage dress a-line-dress --edge 0.03 --body body.glb --motion walk --out dress.glb
//
// which sews the dress and drapes it on the body as the motion begins.
import { addCollider } from 'selvage/three';
import * as THREE from 'three';

const DT = 1 / 60;

/** `gltf`: what GLTFLoader made of body.glb; `dress`: the bytes of dress.glb. The world steps with the page. */
export function dressCharacter(engine, gltf, dress) {
    const body = gltf.scene, mixer = new THREE.AnimationMixer(body);
    mixer.clipAction(gltf.animations[0]).play();
    mixer.update(0);
    let skin = null;
    body.traverse((object) => { if (object.isSkinnedMesh) skin = object; });
    const world = engine.createWorld({ quality: 'low', substeps: 4, timeStep: DT, threads: 1 });
    world.addPlane();
    const solid = addCollider(world, skin, { friction: 0.5 });
    engine.writeFile('dress.glb', dress);
    const cloth = world.addClothJson({ mesh: { file: 'dress.glb' }, rest: 'uv', // as it was cut
        fabric: { base: 'cotton-poplin', look: { warp_colour: [0.36, 0.035, 0.05], weft_colour: [0.42, 0.05, 0.06] } } });
    let owed = 0;
    return { body, skin, world, cloth,
        /** A frame of the motion, then one of the cloth: the skin is where the engine takes it to be. */
        step() {
            mixer.update(DT);
            solid.update();
            world.step();
        },
        /** Real time, or slower where pictures take longer than two frames. */
        advance(seconds) {
            owed = Math.min(owed + seconds, 2 * DT);
            for (; owed >= DT; owed -= DT) this.step();
        } };
}
