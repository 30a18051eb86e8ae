// The camera: turned about a target, moved and zoomed. Same rules as the desktop viewer's (src/view/camera_rig.cpp).
import { PerspectiveCamera, Vector3 } from "three";

const STEEPEST = (89 * Math.PI) / 180;

export class CameraRig {
  constructor() {
    this.camera = new PerspectiveCamera(40, 1, 0.01, 100);
    this.target = new Vector3();
    this.#place();
  }

  /** As a scene says, or so that a box fills the picture. A portrait screen stands farther away. */
  show(scene_camera, box) {
    const camera = this.camera;
    if (scene_camera) {
      this.target.fromArray(scene_camera.target ?? [0, 0, 0]);
      camera.position.fromArray(scene_camera.eye ?? [0, 1, 3]);
      camera.fov = scene_camera.fov_deg ?? 40;
    } else {
      this.target.copy(box.getCenter(new Vector3()));
      camera.fov = 40;
      const radius = Math.max(0.1, 0.5 * box.getSize(new Vector3()).length());
      const away = new Vector3(0.35, 0.35, 1).normalize().multiplyScalar((1.15 * radius) / Math.sin((20 * Math.PI) / 180));
      camera.position.copy(this.target).add(away);
    }
    // Scenes are framed for a picture of 16 to 9; where there is less width the same must fit.
    const wanted = 1.35, aspect = Math.max(0.2, this.clear_aspect ?? camera.aspect);
    if (aspect < wanted) this.zoom(Math.pow(wanted / aspect, 0.82));
    this.#place();
  }

  /** Eye and target, six numbers. */
  get() {
    return [...this.camera.position.toArray(), ...this.target.toArray()];
  }
  set(numbers) {
    this.camera.position.fromArray(numbers);
    this.target.fromArray(numbers, 3);
    this.#place();
  }

  resize(width, height, clear = { left: 0, right: 0, top: 0, bottom: 0 }) {
    const camera = this.camera;
    // What panels cover is no part of the picture: its middle is that of the clear part.
    const w = Math.max(1, width - clear.left - clear.right), h = Math.max(1, height - clear.top - clear.bottom);
    this.clear_aspect = w / h;
    camera.aspect = width / height;
    const dx = 0.5 * (clear.right - clear.left), dy = 0.5 * (clear.bottom - clear.top);
    if (dx || dy) camera.setViewOffset(width, height, dx, dy, width, height);
    else camera.clearViewOffset();
    this.#place();
  }

  turn(right, up) {
    const out = this.camera.position.clone().sub(this.target), distance = out.length();
    const angle = Math.atan2(out.x, out.z) - right;
    const rise = Math.min(STEEPEST, Math.max(-STEEPEST, Math.asin(Math.min(1, Math.max(-1, out.y / distance))) + up));
    this.camera.position.copy(this.target).add(
      new Vector3(Math.cos(rise) * Math.sin(angle), Math.sin(rise), Math.cos(rise) * Math.cos(angle)).multiplyScalar(distance));
    this.#place();
  }

  /** By pixels of a picture so high. */
  pan(dx, dy, height) {
    const camera = this.camera, distance = camera.position.distanceTo(this.target);
    const metres = (2 * Math.tan((camera.fov * Math.PI) / 360) * distance) / height;
    const shift = new Vector3().setFromMatrixColumn(camera.matrixWorld, 0).multiplyScalar(-dx * metres)
      .addScaledVector(new Vector3().setFromMatrixColumn(camera.matrixWorld, 1), dy * metres);
    this.target.add(shift);
    camera.position.add(shift);
    this.#place();
  }

  zoom(factor) {
    const out = this.camera.position.clone().sub(this.target);
    out.setLength(Math.min(200, Math.max(0.05, out.length() * factor)));
    this.camera.position.copy(this.target).add(out);
    this.#place();
  }

  #place() {
    const camera = this.camera, distance = Math.max(0.05, camera.position.distanceTo(this.target));
    camera.near = 0.02 * distance;
    camera.far = 60 * distance;
    camera.lookAt(this.target);
    camera.updateProjectionMatrix();
    camera.updateMatrixWorld();
  }
}
