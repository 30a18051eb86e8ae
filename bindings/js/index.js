export { features } from './src/features.js';
export { load, Engine } from './src/engine.js';
export { World } from './src/world.js';
export { Attachment, Cloth, Grab } from './src/cloth.js';
export { Collider } from './src/collider.js';
export { SelvageError } from './src/errors.js';
export { loadWorker } from './src/remote.js';
