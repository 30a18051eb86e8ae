// What the examples share: a renderer, a light with shadows, a floor, an environment, and a loop.

import * as THREE from 'three';
import { OrbitControls } from 'three/addons/controls/OrbitControls.js';
import { RoomEnvironment } from 'three/addons/environments/RoomEnvironment.js';

export function makeStage({ eye, target, floor = 0 }) {
    const renderer = new THREE.WebGLRenderer({ antialias: true });
    renderer.shadowMap.enabled = true;
    renderer.shadowMap.type = THREE.PCFShadowMap;
    renderer.toneMapping = THREE.NeutralToneMapping;
    document.body.append(renderer.domElement);

    const scene = new THREE.Scene();
    scene.background = new THREE.Color(0xdfe3e8);
    const room = new RoomEnvironment();
    const pmrem = new THREE.PMREMGenerator(renderer);
    scene.environment = pmrem.fromScene(room, 0.04).texture;
    scene.environmentIntensity = 0.45;

    const sun = new THREE.DirectionalLight(0xfff3e0, 2.6);
    sun.position.set(target[0] + 2, target[1] + 4, target[2] + 3);
    sun.target.position.set(...target);
    sun.castShadow = true;
    sun.shadow.mapSize.set(2048, 2048);
    Object.assign(sun.shadow.camera, { left: -2, right: 2, top: 2, bottom: -2, near: 0.5, far: 12 });
    sun.shadow.bias = -0.001;
    sun.shadow.normalBias = 0.02;
    scene.add(sun, sun.target);

    if (floor !== null) {
        const ground = new THREE.Mesh(new THREE.CircleGeometry(12, 64),
            new THREE.MeshStandardMaterial({ color: 0xb9b4ab, roughness: 0.95 }));
        ground.rotation.x = -Math.PI / 2;
        ground.position.y = floor;
        ground.receiveShadow = true;
        scene.add(ground);
        scene.fog = new THREE.Fog(0xdfe3e8, 5, 12);
    }
    const camera = new THREE.PerspectiveCamera(40, 1, 0.05, 50);
    camera.position.set(...eye);
    const resize = () => {
        renderer.setSize(innerWidth, innerHeight);
        camera.aspect = innerWidth / innerHeight;
        camera.updateProjectionMatrix();
    };
    addEventListener('resize', resize);
    resize();
    return { renderer, scene, camera, sun,
        /** To be called after hands have been made: they listen first. */
        controls() {
            const controls = new OrbitControls(camera, renderer.domElement);
            controls.target.set(...target);
            controls.update();
            return controls;
        },
        /** Calls frame(seconds) before every picture. `window.frames_drawn` counts them, for tests. */
        run(frame) {
            let last = performance.now();
            window.frames_drawn = 0;
            renderer.setAnimationLoop((now) => {
                frame(Math.min(0.1, Math.max(0, now - last) / 1000));
                last = now;
                renderer.render(scene, camera);
                window.frames_drawn += 1;
            });
        } };
}
