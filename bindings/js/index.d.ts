/**
 * Real-time cloth: worlds of cloths and colliders, simulated by the Selvage engine in WebAssembly.
 *
 * Units are SI: metres, seconds, kilograms. Coordinates are right-handed; built-in scenes have y up. Quaternions are
 * x, y, z, w. Results do not depend on threads, browsers or machines: `World.hash` is that of the native program.
 */

/** x, y, z. Anything with three numbers and an index will do, a Float32Array for instance. */
export type Triple = ArrayLike<number>;
/** x, y, z, w. */
export type Quaternion = ArrayLike<number>;
export type Quality = 'low' | 'standard' | 'high';

// ----------------------------------------------------------------------------------------------------------- loading

/** What this browser, worker or Node can do. */
export interface Features {
    /** WebAssembly with SIMD128 and exceptions: the engine needs both. */
    simd: boolean;
    /** Shared memory: `SharedArrayBuffer` is there and, in a browser, the page is `crossOriginIsolated`. */
    threads: boolean;
    /** Why the engine cannot run, or "" when it can. */
    missing: string;
    /** Why there are no threads, or "" when there are. */
    noThreads: string;
    /** Logical cores. */
    cores: number;
}
export function features(): Features;

export interface LoadOptions {
    /** Which build: `true` the one with threads, `false` without; default: threads where they are possible. Asking for
     *  threads where there are none is an error. */
    threads?: boolean;
    /** Worker threads made at the start, beside the caller; default: one fewer than there are cores, 1 to 7. */
    pool?: number;
    /** Folder of the engine's files (selvage.wasm, ...), with a slash at its end; default: `wasm/` of this package. */
    base?: string | URL;
}

/** Loads and starts the engine in this thread. Rejects with a clear text where the browser has no SIMD. */
export function load(options?: LoadOptions): Promise<Engine>;

/** Starts the engine in a Worker of its own: the page goes on drawing whatever a step costs. */
export function loadWorker(options?: LoadOptions): Promise<RemoteEngine>;

/** What the engine says went wrong; nothing has changed, but for what `World.step` says of a frame. */
export class SelvageError extends Error {
    /** Of what kind. */
    readonly code: 'argument' | 'handle' | 'busy' | 'data' | 'file' | 'diverged' | 'memory' | 'internal';
}

export interface SolverInfo {
    name: string;
    summary: string;
}
export interface SceneInfo {
    name: string;
    description: string;
}

/** How a fabric looks; see the reference of fabrics. Colours are linear. */
export interface Look {
    construction: 'woven' | 'knit' | 'felt';
    weave: [number, number, number];
    yarn_width: number;
    yarn_curvature: number;
    fibre_twist: number;
    fibre_slope: number;
    fibre_curvature: number;
    groove: number;
    model: 'ashikhmin' | 'ward';
    roughness: [number, number];
    reflectance: [number, number, number];
    warp_colour: [number, number, number];
    weft_colour: [number, number, number];
    back_tint: [number, number, number];
    colour_variation: number;
    sheen_colour: [number, number, number];
    sheen_roughness: number;
    translucency: number;
    openness: number;
    print: string;
    print_size: [number, number];
}

/** What the woven shader needs of a look, computed once. */
export interface PreparedLook {
    look: Look;
    /** Along u and v; front, back: 4 numbers. */
    slopeVariance: Float32Array;
    /** 16 steps of the front, then of the back, 4 numbers each. */
    furnace: Float32Array;
    /** 16 steps. */
    sheen: Float32Array;
    /** What white yarns lack of all the light after one reflection: as furnace. */
    missing: Float32Array;
    /** Colours: front, back. */
    missingMean: Float32Array;
    bounces: Float32Array;
    /** A colour. */
    bouncesThrough: Float32Array;
    /** 4 numbers of light that passes the cloth. */
    passage: Float32Array;
}

/** A fabric's numbers in SI units per area of cloth. */
export interface Material {
    density: number;
    thickness: number;
    stretch_warp: number;
    stretch_weft: number;
    shear: number;
    bend_warp: number;
    bend_weft: number;
    bend_bias: number;
    damping: number;
    friction: number;
}
/** A fabric file as it is: the numbers, the look, a description. */
export interface FabricFile extends Material {
    name: string;
    description: string;
    look: Partial<Look>;
}

export class Engine {
    readonly version: string;
    /** Whether this is the build with threads. */
    readonly threaded: boolean;
    /** Most threads that a world can use, the caller's included. */
    readonly maxThreads: number;
    /** Built-in scenes, in the order of the command line program. */
    readonly scenes: SceneInfo[];
    /** Names of the built-in fabrics. */
    readonly fabrics: string[];
    readonly solvers: SolverInfo[];
    /** Bytes of memory that the engine holds now. */
    readonly memoryBytes: number;

    /** The text of a built-in scene file: JSON, for `loadScene` once changed. */
    sceneText(name: string): string;
    /** The same, parsed. */
    scene(name: string): any;
    /** A fabric file, parsed. */
    fabric(name: string): FabricFile;
    /** What the woven shader needs of a fabric by name, or of a whole or partial look. */
    prepareLook(look: string | Partial<Look>): PreparedLook;

    /** An empty world. */
    createWorld(options?: WorldOptions): World;
    /** A world from a scene: a built-in name, the text of a scene file (it starts with "{"), a scene as an object, or
     *  the path of a file given to `writeFile`. */
    loadScene(scene: string | object, options?: SceneOptions): World;

    /** Puts a file into the engine's memory, where scenes and `file` of a cloth find it: meshes (.obj, .ply, .glb),
     *  fabrics, vertex caches. Nothing leaves the machine. */
    writeFile(path: string, contents: string | Uint8Array): void;
    removeFile(path: string): void;
}

// ------------------------------------------------------------------------------------------------------------- worlds

export interface RunOptions {
    /** Threads the world may use; 0: as many as the engine has. Default 0 with threads. Never changes results. */
    threads?: number;
    /** Cloth at rest is put to sleep. Default true for `createWorld`, false for `loadScene`. */
    sleeping?: boolean;
    sleepDistance?: number;
    sleepTime?: number;
    /** Time that a frame should keep to by doing less [ms]; 0: as long as it takes (default). */
    budgetMs?: number;
}
export interface WorldOptions extends RunOptions {
    gravity?: Triple;
    /** Length of a frame [s]; default 1/60. */
    timeStep?: number;
    solver?: string;
    settings?: object;
    quality?: Quality;
    /** Solver steps per frame; 0: the usual number. */
    substeps?: number;
    velocityDamping?: number;
}
export interface SceneOptions extends RunOptions {
    /** Values changed in the scene by JSON pointer: `{ '/air/wind/velocity': [8, 0, 0] }`. */
    set?: Record<string, unknown>;
}

export interface SolverOptions {
    settings?: object;
    quality?: Quality;
    substeps?: number;
}

export interface Air {
    /** [kg/m3]; 0: no air. Default 1.2. */
    density: number;
    drag: number;
    lift: number;
    /** Mean wind [m/s]. */
    wind: [number, number, number];
    /** RMS of gusts as a fraction of the mean wind speed. */
    gust: number;
    gustLength: number;
    seed: number;
}

export interface Statistics {
    frames: number;
    time: number;
    cloths: number;
    awakeCloths: number;
    islands: number;
    awakeIslands: number;
    vertices: number;
    triangles: number;
    /** Pairs that pushed each other in the last frame, counted in every substep. */
    contacts: number;
    limited: number;
    frameMs: number;
    solverMs: number;
    contactMs: number;
    /** Largest stretch of a mesh edge now, as a fraction. */
    maxStretch: number;
    budgetLevel: number;
    lowestBudgetLevel: number;
    droppedSeconds: number;
}

export interface Advance {
    steps: number;
    alpha: number;
    dropped: number;
}

export interface Hit<C = Cloth, S = Collider> {
    cloth: C | null;
    collider: S | null;
    /** Of the cloth; -1 for a collider. */
    triangle: number;
    weights: [number, number, number];
    point: [number, number, number];
    distance: number;
}
export interface RayOptions {
    maxDistance?: number;
    cloths?: boolean;
    colliders?: boolean;
}

export interface Contact<C = Cloth, S = Collider> {
    phase: 'begin' | 'stay' | 'end';
    cloth: C;
    /** The other cloth, or the same one when it touches itself; null for a collider. */
    other: C | null;
    collider: S | null;
    points: number;
    point: [number, number, number];
    normal: [number, number, number];
}

export interface DebugKinds {
    edges?: boolean;
    pins?: boolean;
    contacts?: boolean;
    bounds?: boolean;
    colliders?: boolean;
    velocities?: boolean;
}
/** Line segments: 6 numbers each, and for either end a colour, linear red, green, blue: what a line geometry takes. */
export interface DebugLines {
    count: number;
    positions: Float32Array;
    colors: Float32Array;
}

export interface Pose {
    position: [number, number, number];
    rotation: [number, number, number, number];
}
export interface PlaceOptions {
    position?: Triple;
    rotation?: Quaternion;
}
export interface ClothOptions extends PlaceOptions {
    name?: string;
    /** Built-in name or file; default "cotton-poplin". */
    fabric?: string;
    /** Numbers instead of those of the fabric; those left out are the fabric's. */
    material?: Partial<Material>;
    /** Vertices held where they start, or names of edges and corners of a generated mesh: "top-left,top-right". */
    pins?: ArrayLike<number> | string;
    selfCollision?: boolean;
    contactDistance?: number;
    velocity?: Triple;
    velocityDamping?: number;
}
export interface MeshArrays {
    /** 3 numbers per vertex [m]. */
    positions: ArrayLike<number>;
    /** 3 vertex numbers each. */
    triangles: ArrayLike<number>;
    /** The shape without stress; 3 numbers per vertex. */
    restPositions?: ArrayLike<number>;
    /** The flat pattern [m], warp along u; 2 numbers per vertex. */
    uv?: ArrayLike<number>;
}
export interface ColliderOptions extends PlaceOptions {
    /** Coulomb coefficient; default 0.4. */
    friction?: number;
    /** Minimum distance of the cloth's vertices [m]; default 0.002. */
    thickness?: number;
}

/** A world of cloths and colliders, advanced frame by frame. */
export class World {
    readonly engine: Engine;
    /** Simulated [s]. */
    readonly time: number;
    gravity: [number, number, number];
    air: Air;
    /** In the order they were added. */
    readonly cloths: Cloth[];
    readonly colliders: Collider[];
    readonly statistics: Statistics;
    /** 16 hexadecimal digits: the state hash that the command line program prints. */
    readonly hash: string;
    /** What touches what in the last frame. */
    readonly contacts: Contact[];

    /** Advances by so many frames of the time step. Throws a SelvageError of code "diverged" when a cloth diverged: it
     *  is held at its last good frame until `reset`, the others have advanced; of code "memory" when a frame needs more
     *  than there is: it is cut short between two of its substeps, time stays, and the world can be ended or tried again. */
    step(frames?: number): void;
    /** For a loop of another rate: takes as many frames as fit into the time that has piled up. `seconds` is 0 or more:
     *  the time that `requestAnimationFrame` gives can lie before a `performance.now()` taken earlier. */
    advance(seconds: number, maxSteps?: number): Advance;
    /** Changes the mean wind [m/s]; a world without air gets that near the ground. */
    setWind(velocity: Triple): void;
    /** Replaces the solver between frames; all cloth keeps its state. */
    setSolver(solver: string, options?: SolverOptions): void;
    setBudget(ms: number): void;

    cloth(name: string): Cloth;
    addCloth(mesh: MeshArrays, options?: ClothOptions): Cloth;
    /** .obj, .ply or .glb, given to `Engine.writeFile` before. */
    addClothFile(file: string, options?: ClothOptions): Cloth;
    /** Rectangle in the x-y plane: size [m] and vertices along both. */
    addGrid(size: ArrayLike<number>, vertices: ArrayLike<number>, options?: ClothOptions): Cloth;
    addDisc(radius: number, rings: number, options?: ClothOptions): Cloth;
    addTube(radius: number, topRadius: number, height: number, vertices: ArrayLike<number>, options?: ClothOptions): Cloth;
    /** An entry of "cloths" as in a scene file. */
    addClothJson(cloth: object | string): Cloth;

    addSphere(radius: number, options?: ColliderOptions): Collider;
    addBox(size: Triple, options?: ColliderOptions): Collider;
    /** About the y axis, its middle at the origin: radius below, radius above, distance of the centres. */
    addCapsule(radius: number, topRadius: number, height: number, options?: ColliderOptions): Collider;
    addCylinder(radius: number, height: number, options?: ColliderOptions): Collider;
    /** All below y = 0 of its own frame. */
    addPlane(options?: ColliderOptions): Collider;
    /** Ground: heights row by row from low z, each from low x; size and vertices along x and z. */
    addHeights(size: ArrayLike<number>, vertices: ArrayLike<number>, heights: ArrayLike<number>,
               options?: ColliderOptions): Collider;
    addMesh(mesh: { positions: ArrayLike<number>; triangles: ArrayLike<number> }, options?: ColliderOptions): Collider;
    addMeshFile(file: string, options?: ColliderOptions): Collider;

    /** The first thing along a ray, or null. */
    raycast(origin: Triple, direction: Triple, options?: RayOptions): Hit | null;
    debugLines(kinds: DebugKinds): DebugLines;

    /** All that moves: states, sleep, colliders, pins, attachments, grabs, time. A copy. */
    snapshot(): Uint8Array;
    /** Goes back: what follows is what followed then, bit for bit. The same objects must be in the world as then. */
    restore(snapshot: Uint8Array): void;
    /** Ends the world with all that is in it. */
    destroy(): void;
}

/**
 * A piece of cloth. Arrays are views of the engine's memory: nothing is copied. They are good until the next call that
 * changes the world; take them again after a step (that costs nothing), and copy what you want to keep.
 */
export class Cloth {
    readonly world: World;
    /** The same number for the same cloth as long as it lives; never used twice. */
    readonly id: bigint;
    readonly name: string;
    /** What was odd about it when it was made, one line each; "" when nothing. */
    readonly warnings: string;
    readonly vertexCount: number;
    /** 3 numbers per vertex [m]. */
    readonly positions: Float32Array;
    readonly velocities: Float32Array;
    /** Area-weighted unit normals. */
    readonly normals: Float32Array;
    /** 4 numbers per vertex: unit direction of the warp in the surface, and 1 or -1: the weft is that times
     *  cross(normal, warp). Needs a pattern; without one along the mesh's x axis at rest. */
    readonly tangents: Float32Array;
    /** Signed: the largest stretch (as a fraction) of the edges around each vertex; -0.01 is 1 % compressed. */
    readonly strain: Float32Array;
    /** 1 where a vertex touches a collider, another cloth or itself now. */
    readonly touching: Uint8Array;
    /** The same in double precision, as the engine holds it. */
    readonly exactPositions: Float64Array;
    /** 3 vertex numbers each. */
    readonly triangles: Int32Array;
    /** Pattern coordinates per vertex [m], warp along u; on a seam those of one of its sides. Null without a
     *  pattern. */
    readonly uv: Float32Array | null;
    /** The whole pattern: points, 2 numbers each, and for every triangle the 3 it uses. Null without one. */
    readonly pattern: { uv: Float64Array; triangles: Int32Array } | null;
    /** Vertices that are held now, by the scene, the program or a hand. */
    readonly held: Int32Array;
    /** Name or file of the fabric. */
    readonly fabric: string;
    readonly material: Material;
    readonly look: Look;
    readonly bounds: { low: [number, number, number]; high: [number, number, number] };
    readonly isAwake: boolean;

    /** The vertices of a named edge or corner of a generated mesh, such as "top". */
    group(name: string): Int32Array;
    setState(positions: ArrayLike<number>, velocities?: ArrayLike<number>): void;
    /** Turns about the origin, then moves, without sweeping through what lies between. */
    teleport(translation: Triple, rotation?: Quaternion, stop?: boolean): void;
    /** Back to where it was added. Also after it diverged. */
    reset(): void;
    pin(vertices: ArrayLike<number>): void;
    /** Moves pins over the next frame; 3 numbers per vertex [m]. */
    movePins(vertices: ArrayLike<number>, targets: ArrayLike<number>): void;
    /** Without an argument: lets all go. */
    unpin(vertices?: ArrayLike<number>): void;
    attach(vertices: ArrayLike<number>, position: Triple, rotation?: Quaternion): Attachment;
    /** Takes hold of a point of a triangle; `World.raycast` finds one. */
    grab(triangle: number, weights?: Triple): Grab;
    wake(): void;
    sleep(): void;
    remove(): void;
}

export class Attachment {
    readonly id: bigint;
    /** Moves the frame over the next step. */
    move(position: Triple, rotation?: Quaternion): void;
    remove(): void;
}
export class Grab {
    readonly id: bigint;
    /** Where the point is now [m]. */
    readonly position: [number, number, number];
    /** Takes the point there over the next frame, and holds it there. */
    move(target: Triple): void;
    /** Lets go: the cloth keeps its velocity, so that a moving hand throws it. */
    release(): void;
}
export type ShapeKind = 'sphere' | 'box' | 'capsule' | 'cylinder' | 'plane' | 'height' | 'mesh';
export class Collider {
    readonly world: World;
    readonly id: bigint;
    readonly kind: ShapeKind;
    readonly pose: Pose;
    /** To be drawn at `pose`; in world space where `isDeforming`. A plane is a square of 20 m. A copy. */
    surface(): { positions: Float32Array; triangles: Int32Array };
    /** Whether its vertices move, by `setVertices` or by the scene: then `surface` changes and its pose has no say. */
    readonly isDeforming: boolean;
    /** Moves over the next frame, pushing and dragging cloth on its path. */
    move(position: Triple, rotation?: Quaternion): void;
    teleport(position: Triple, rotation?: Quaternion): void;
    /** Moves the vertices of a mesh over the next frame, in world space: a body skinned elsewhere. */
    setVertices(points: ArrayLike<number>): void;
    remove(): void;
}

// ---------------------------------------------------------------------------------------------------- in a worker
// The same objects, whose methods answer by promises. Errors are the same SelvageErrors, as rejections.

type Promised<T> = T extends (...args: infer A) => infer R ? (...args: A) => Promise<Remote<R>> : never;
type Remote<T> = T extends World ? RemoteWorld : T extends Cloth ? RemoteCloth : T extends Collider ? RemoteCollider
    : T extends Grab ? RemoteGrab : T extends Attachment ? RemoteAttachment
    : T extends Hit | null ? Hit<RemoteCloth, RemoteCollider> | null : T;
type Methods<T, K extends keyof T> = { [M in K]: Promised<T[M]> };

export interface RemoteEngine {
    readonly version: string;
    readonly threaded: boolean;
    readonly maxThreads: number;
    readonly scenes: SceneInfo[];
    readonly fabrics: string[];
    readonly solvers: SolverInfo[];
    sceneText(name: string): Promise<string>;
    scene(name: string): Promise<any>;
    fabric(name: string): Promise<FabricFile>;
    prepareLook(look: string | Partial<Look>): Promise<PreparedLook>;
    createWorld(options?: WorldOptions): Promise<RemoteWorld>;
    loadScene(scene: string | object, options?: SceneOptions): Promise<RemoteWorld>;
    writeFile(path: string, contents: string | Uint8Array): Promise<void>;
    removeFile(path: string): Promise<void>;
    /** Ends the worker with all its worlds. */
    terminate(): void;
}

/** What frames carry beside positions and poses. */
export interface Watch {
    /** Default true. */
    normals?: boolean;
    /** Default false, as are those below. */
    tangents?: boolean;
    strain?: boolean;
    touching?: boolean;
    velocities?: boolean;
    contacts?: boolean;
    lines?: DebugKinds;
}

/** What a world showed after a frame. Its arrays are the receiver's until the next frame arrives. */
export interface Frame {
    time: number;
    statistics: Statistics;
    /** Only where `Watch.contacts` asks for them. */
    contacts: Contact<RemoteCloth, RemoteCollider>[];
    lines: DebugLines | null;
    /** Set when a cloth diverged in a frame or before. */
    error: SelvageError | null;
}

export interface RemoteWorld extends Methods<World, 'advance' | 'setWind' | 'setSolver' | 'setBudget' | 'addCloth'
    | 'addClothFile' | 'addGrid' | 'addDisc' | 'addTube' | 'addClothJson' | 'addSphere' | 'addBox' | 'addCapsule'
    | 'addCylinder' | 'addPlane' | 'addHeights' | 'addMesh' | 'addMeshFile' | 'raycast' | 'snapshot' | 'restore'> {
    readonly engine: RemoteEngine;
    /** Of the last frame that arrived. */
    readonly time: number;
    readonly frame: Frame;
    readonly cloths: RemoteCloth[];
    readonly colliders: RemoteCollider[];
    readonly playing: boolean;
    /** Called for every frame that arrives, when the cloths' arrays are new. */
    onframe: ((frame: Frame) => void) | null;
    /** So many frames at once; resolves when they have arrived here. */
    step(frames?: number): Promise<Frame>;
    /** Goes on by itself in real time; `speed` 0.5 is slow motion. Where steps cost more than that, time is slower. */
    play(speed?: number): void;
    pause(): void;
    watch(what: Watch): void;
    setGravity(gravity: Triple): Promise<void>;
    setAir(air: Partial<Air>): Promise<void>;
    getAir(): Promise<Air>;
    getGravity(): Promise<[number, number, number]>;
    getHash(): Promise<string>;
    cloth(name: string): RemoteCloth;
    destroy(): Promise<void>;
}

export interface RemoteCloth extends Methods<Cloth, 'group' | 'setState' | 'teleport' | 'reset' | 'pin' | 'movePins'
    | 'unpin' | 'attach' | 'grab' | 'wake' | 'sleep' | 'remove'> {
    readonly world: RemoteWorld;
    readonly id: bigint;
    readonly name: string;
    readonly warnings: string;
    readonly vertexCount: number;
    readonly fabric: string;
    readonly material: Material;
    readonly look: Look;
    readonly triangles: Int32Array;
    readonly uv: Float32Array | null;
    /** Of the last frame that arrived; what `watch` did not ask for is null. */
    readonly positions: Float32Array;
    readonly normals: Float32Array | null;
    readonly tangents: Float32Array | null;
    readonly strain: Float32Array | null;
    readonly touching: Uint8Array | null;
    readonly velocities: Float32Array | null;
    /** Vertices held now. */
    getHeld(): Promise<Int32Array>;
}
export interface RemoteCollider extends Methods<Collider, 'surface' | 'move' | 'teleport' | 'setVertices' | 'remove'> {
    readonly world: RemoteWorld;
    readonly id: bigint;
    readonly kind: ShapeKind;
    readonly isDeforming: boolean;
    /** Of the last frame that arrived. */
    readonly pose: Pose;
}
export interface RemoteGrab extends Methods<Grab, 'move' | 'release'> {
    readonly id: bigint;
}
export interface RemoteAttachment extends Methods<Attachment, 'move' | 'remove'> {
    readonly id: bigint;
}
