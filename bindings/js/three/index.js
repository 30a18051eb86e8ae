export { ClothMesh } from './cloth_mesh.js';
export { WovenMaterial } from './woven_material.js';
export { addCollider, ColliderMeshes } from './colliders.js';
export { PointerGrabs } from './pointer_grabs.js';
