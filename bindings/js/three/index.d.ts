/** Selvage cloth in three.js scenes. */
import type { BufferGeometry, Camera, Mesh, MeshStandardMaterial, Object3D, SkinnedMesh, Texture, WebGLRenderer } from 'three';
import type { Cloth, Collider, ColliderOptions, Engine, Look, PreparedLook, RemoteCloth, RemoteCollider, RemoteEngine,
    RemoteWorld, World } from '../index.js';

export interface ClothMeshOptions {
    /** Default: a WovenMaterial of the cloth's own look. */
    material?: import('three').Material;
    /** Tangents along the warp, which WovenMaterial needs. Default: true. */
    tangents?: boolean;
}
/** A cloth as a mesh, whose geometry is updated in place. It stays at the origin: its vertices are in world space.
 *  Casts and receives shadows. Vertices on seams of the pattern are split, so that uv are right on both sides. */
export class ClothMesh extends Mesh<BufferGeometry> {
    constructor(cloth: Cloth | RemoteCloth, prepared: PreparedLook | null, options?: ClothMeshOptions);
    readonly cloth: Cloth | RemoteCloth;
    /** Copies positions, normals and tangents of now; call it after a step. For a RemoteCloth `watch` must ask for
     *  tangents. */
    update(): void;
    /** Shows strain (blue compressed, red stretched by `range`) as vertex colours; null: the fabric again. */
    showStrain(range: number | null): void;
    dispose(): void;
}

/** The woven shading of Selvage as a three.js material: yarns, twist, anisotropic highlights, sheen, light that comes
 *  through, holes; filtered, from a single yarn to the whole sheet. All of three's lights, shadows, environment maps,
 *  fog and tone mapping work as with a MeshStandardMaterial. The geometry needs uv in metres, normals and tangents. */
export class WovenMaterial extends MeshStandardMaterial {
    constructor(prepared: PreparedLook, options?: { print?: Texture | null });
    /** Changes the fabric in place. */
    setLook(prepared: PreparedLook): void;
    readonly look: Look;
}

/** A collider from an object: a mesh of SphereGeometry, BoxGeometry, CapsuleGeometry, CylinderGeometry (of one radius)
 *  or PlaneGeometry (its half space, front up) becomes that shape, any other mesh its triangles. */
export function addCollider(world: World, object: Mesh, options?: ColliderOptions): ObjectCollider<Collider>;
export function addCollider(world: RemoteWorld, object: Mesh, options?: ColliderOptions): Promise<ObjectCollider<RemoteCollider>>;
export interface ObjectCollider<C> {
    readonly collider: C;
    readonly object: Mesh;
    /** Moves the collider to where the object is; call it before a step. A SkinnedMesh sends its skinned vertices. */
    update(): void;
    remove(): void;
}

export interface GrabOptions {
    /** Which ones may be taken. Default: all of the world. */
    cloths?: (Cloth | RemoteCloth)[];
    /** Objects that the user may drag: the pointer moves them in the plane of the screen. */
    draggable?: Object3D[];
    onstart?: (event: PointerEvent) => void;
    onend?: (event: PointerEvent) => void;
}
/** Hands for pointers: mouse, pen and any number of fingers take hold of cloth and let go. Events that take something
 *  are stopped, so that camera controls made later do not see them. */
export class PointerGrabs {
    constructor(world: World | RemoteWorld, camera: Camera, element: HTMLElement, options?: GrabOptions);
    /** How many hold something now. */
    readonly count: number;
    enabled: boolean;
    dispose(): void;
}

/** Meshes for the colliders of a world, as they are drawn; kept in place by `update`. */
export class ColliderMeshes extends Object3D {
    constructor(world: World | RemoteWorld, material?: import('three').Material);
    /** Made once the surfaces are known. */
    readonly ready: Promise<void>;
    update(): void;
    dispose(): void;
}
