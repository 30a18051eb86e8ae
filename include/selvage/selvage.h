/** @file selvage.h
 *  Selvage, a real-time cloth engine: the C interface. C++ programs may prefer selvage.hpp, a thin layer over this
 *  file.
 *
 *  Units and conventions
 *  - SI units: metres, seconds, kilograms, newtons. Angles in radians.
 *  - Coordinates are right-handed. No axis is special to the engine: gravity points wherever the world says.
 *    Generated meshes lie in the x-y plane and built-in scenes have y up.
 *  - Triangles are counter-clockwise seen from their front. Quaternions are x, y, z, w.
 *  - uv is the flat pattern of the cloth in metres: warp threads run along u, weft threads along v.
 *
 *  Handles
 *  - Worlds, cloths, colliders, attachments and grabs are named by 64-bit handles; 0 names nothing. A handle is never
 *    used twice: one whose object is gone is answered with SELVAGE_ERROR_HANDLE.
 *
 *  Errors
 *  - Every function that can fail returns a selvage_result. On failure nothing has changed, out-parameters are left as
 *    they were, and selvage_last_error() says what was found and what was expected. No C++ exception leaves the
 *    library.
 *
 *  Threads
 *  - Different worlds are independent: any thread may use any world.
 *  - One world is used by one thread at a time. A call that finds its world in use by another thread, or that is made
 *    from inside one of the world's own callbacks, changes nothing and returns SELVAGE_ERROR_BUSY.
 *  - Functions marked "reader" may run on several threads at once, but not beside a call that is no reader.
 *  - Results do not depend on the number of threads, on the compiler or on the machine.
 *
 *  Memory
 *  - Arrays given to the library are copied before the call returns.
 *  - Arrays handed out by the library belong to it. They stay valid and unchanged until the next call on the same world
 *    that is no reader.
 *  - A step allocates no memory, except in frames in which cloths meet, part, wake or fall asleep.
 */
#ifndef SELVAGE_SELVAGE_H
#define SELVAGE_SELVAGE_H

#include <stddef.h>
#include <stdint.h>

/** Marks what the library exports. On Windows a program that uses the shared library defines SELVAGE_SHARED, as the
 *  CMake package does for it. */
#if defined(_WIN32) && defined(SELVAGE_SHARED)
#ifdef SELVAGE_BUILDING
#define SELVAGE_API __declspec(dllexport)
#else
#define SELVAGE_API __declspec(dllimport)
#endif
#elif defined(__GNUC__)
#define SELVAGE_API __attribute__((visibility("default")))
#else
#define SELVAGE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The version this header belongs to; selvage_version() gives that of the library that is linked. */
#define SELVAGE_VERSION_MAJOR 0 /**< Of this header: the 0 of "0.2.0". */
#define SELVAGE_VERSION_MINOR 2 /**< Of this header: the 2 of "0.2.0". */
#define SELVAGE_VERSION_PATCH 0 /**< Of this header: the last number of "0.2.0". */

typedef uint64_t selvage_world;      /**< A world. */
typedef uint64_t selvage_cloth;      /**< A piece of cloth in a world. */
typedef uint64_t selvage_collider;   /**< Something that cloth cannot pass, in a world. */
typedef uint64_t selvage_attachment; /**< Vertices of a cloth that follow a moving frame. */
typedef uint64_t selvage_grab;       /**< A point of a cloth held by a hand. */

/** What a call returns. */
typedef enum selvage_result {
    SELVAGE_OK = 0,             /**< It worked. */
    SELVAGE_ERROR_ARGUMENT = 1, /**< An argument is null, not finite, out of range, or of the wrong count. */
    SELVAGE_ERROR_HANDLE = 2,   /**< A handle names nothing, or an object that is gone or of another kind. */
    SELVAGE_ERROR_BUSY = 3,     /**< The world is in use, by another thread or by the callback this call comes from. */
    SELVAGE_ERROR_DATA = 4,     /**< A mesh, fabric, scene or snapshot cannot be used. */
    SELVAGE_ERROR_FILE = 5,     /**< A file cannot be read. */
    SELVAGE_ERROR_DIVERGED = 6, /**< A cloth's motion stopped making sense; it is held at its last good frame. */
    SELVAGE_ERROR_MEMORY = 7,   /**< Not enough memory. */
    SELVAGE_ERROR_INTERNAL = 8  /**< A fault of the library itself; please report it. */
} selvage_result;

/** "0.2.0". The text lives as long as the program. Any thread. */
SELVAGE_API const char* selvage_version(void);

/** What the last failed call on this thread found wrong; "" when none failed. Valid until the next call on this
 *  thread. */
SELVAGE_API const char* selvage_last_error(void);

/* ---------------------------------------------------------------------------------------------------------- fabrics */

/** A fabric in SI units per area of cloth. Fill it with selvage_fabric_material() and change what you like. */
typedef struct selvage_material {
    size_t struct_size;  /**< sizeof(selvage_material). */
    double density;      /**< Mass per area [kg/m2]. */
    double thickness;    /**< [m]. */
    double stretch_warp; /**< Tension per width and strain along the warp [N/m]. */
    double stretch_weft; /**< The same along the weft [N/m]. */
    double shear;        /**< Shear force per width and shear angle [N/m]. */
    double bend_warp;    /**< Bending moment per width and curvature along the warp [N m]. */
    double bend_weft;    /**< The same along the weft [N m]. */
    double bend_bias;    /**< The same at 45 degrees [N m]; 0: follows from the other two. */
    double damping;      /**< Damping force per rate, in units of the elastic stiffness [s]. */
    double friction;     /**< Coulomb coefficient, cloth on cloth. */
} selvage_material;

/** Number of built-in fabrics. Any thread. */
SELVAGE_API size_t selvage_fabric_count(void);
/** Name of a built-in fabric, index 0 to selvage_fabric_count() - 1; null beyond. Lives as long as the program. */
SELVAGE_API const char* selvage_fabric_name(size_t index);
/** The numbers of a fabric, by built-in name or by the path of a fabric file. `material->struct_size` must be set. */
SELVAGE_API selvage_result selvage_fabric_material(const char* fabric, selvage_material* material);

/* ------------------------------------------------------------------------------------------------------------ world */

/** One task of a loop that the engine wants to run. */
typedef void (*selvage_task)(void* context, int index);

/** Runs task(context, i) once for every i in [0, count), on any threads, and returns when all are done. The engine
 *  calls it from the thread that called selvage_world_step(), never from inside a task. */
typedef void (*selvage_parallel_for)(void* user, int count, selvage_task task, void* context);

/** How much work a frame may cost. */
typedef enum selvage_quality {
    SELVAGE_QUALITY_LOW = 0,      /**< Games. */
    SELVAGE_QUALITY_STANDARD = 1, /**< Previews. */
    SELVAGE_QUALITY_HIGH = 2      /**< Film. */
} selvage_quality;

/** How a world is made. Start from selvage_world_desc_default(). */
typedef struct selvage_world_desc {
    size_t struct_size; /**< sizeof(selvage_world_desc). */
    double gravity[3];  /**< [m/s2]. Default (0, -9.81, 0). */
    double time_step;   /**< Length of a frame, the step of selvage_world_step() [s]. Default 1/60. */
    const char* solver; /**< "multilevel", "xpbd", ...; null: "multilevel". selvage_solver_name() lists them. */
    const char* solver_settings; /**< Settings of that solver as a JSON object; null: its defaults. */
    selvage_quality quality;     /**< For solvers that have one, unless the settings say otherwise. Default low. */
    int substeps;                /**< Solver steps per frame; 0: the solver's usual number. */
    int threads;                 /**< Threads the world may use, the caller's included; 0: one per core. Default 1. */
    /** The caller's job system; null: threads of the world's own. `threads` then says how many tasks to make of a
     *  loop. */
    selvage_parallel_for parallel_for;
    void* parallel_user;   /**< Handed to parallel_for. */
    int sleeping;          /**< 1: cloth at rest is put to sleep (default); 0: never. */
    double sleep_distance; /**< Cloth is at rest when no vertex has moved farther than this ... [m]. Default 0.001. */
    double sleep_time;     /**< ... for this long [s]. Default 1. */
    /** Velocity fades at this rate [1/s]: that of a free point by exp(-rate t), in short steps. Default 0. */
    double velocity_damping;
    /** Time that a frame should keep to [ms]; 0: as long as it takes (default). Over it frames do less work, in this
     *  order: 1 to 4, the solver takes fewer small steps, with xpbd and multilevel; 5, frames are left out: cloth
     *  is slower than time. No level lets cloth pass through anything. selvage_statistics says which one was used. With
     *  a budget results depend on the speed of the machine. */
    double budget_ms;
} selvage_world_desc;

/** Fills in the defaults; `struct_size` is sizeof(selvage_world_desc). Any thread. */
SELVAGE_API void selvage_world_desc_init(selvage_world_desc* desc, size_t struct_size);
/** The defaults. */
static inline selvage_world_desc selvage_world_desc_default(void) {
    selvage_world_desc desc;
    selvage_world_desc_init(&desc, sizeof desc);
    return desc;
}

/** Number of solvers. Any thread. */
SELVAGE_API size_t selvage_solver_count(void);
/** Name of a solver, index 0 to selvage_solver_count() - 1; null beyond. Lives as long as the program. */
SELVAGE_API const char* selvage_solver_name(size_t index);
/** One line about a solver; null beyond the last. Lives as long as the program. */
SELVAGE_API const char* selvage_solver_summary(size_t index);

/** Makes an empty world. `desc` may be null for the defaults. The caller destroys it. Any thread. */
SELVAGE_API selvage_result selvage_world_create(const selvage_world_desc* desc, selvage_world* world);

/** Makes a world from a scene: a built-in name ("flag"), the path of a scene file, or the text of one, which starts
 *  with "{". Gravity, air, damping, time step, substeps and solver are the scene's; threads, parallel_for and sleeping
 *  are those of `desc`, which may be null. Its budget is used where the scene has none. The state hash after any
 *  number of frames is that of the command line program for the same scene. Pins and colliders of the scene move as
 *  the scene says until the program moves them. */
SELVAGE_API selvage_result selvage_world_create_from_scene(const char* scene, const selvage_world_desc* desc,
                                                           selvage_world* world);

/** Destroys a world with all that is in it. Ends the threads of its own. */
SELVAGE_API selvage_result selvage_world_destroy(selvage_world world);

/** Advances by one frame of `time_step`. Colliders, attachments and grabs that were moved since the last frame go
 *  there in a straight line over the frame. Under a budget a frame may be left out: nothing moves, time stands still,
 *  and what was moved goes there in the next one. Returns SELVAGE_ERROR_DIVERGED when a cloth diverged in this frame or
 *  before: that cloth is held at its last good frame until selvage_cloth_reset(); the others have advanced. */
SELVAGE_API selvage_result selvage_world_step(selvage_world world);

/** What selvage_world_advance() did. */
typedef struct selvage_advance {
    size_t struct_size; /**< sizeof(selvage_advance). */
    int steps;          /**< Frames simulated. */
    double alpha;       /**< Fraction of a frame that is left over, in [0, 1): for blending towards the next one. */
    double dropped;     /**< Time given up because `max_steps` was reached, or for a budget [s]. */
} selvage_advance;

/** For a game loop: adds `seconds` to an accumulator and takes as many frames out of it as fit, at most `max_steps`.
 *  `out` may be null. */
SELVAGE_API selvage_result selvage_world_advance(selvage_world world, double seconds, int max_steps,
                                                 selvage_advance* out);

/** Simulated time [s]: frames so far times the time step. Reader. */
SELVAGE_API selvage_result selvage_world_time(selvage_world world, double* seconds);

/** Sets gravity [m/s2] and wakes all cloth. */
SELVAGE_API selvage_result selvage_world_set_gravity(selvage_world world, const double gravity[3]);

/** The air. Start from selvage_air_default(). */
typedef struct selvage_air {
    size_t struct_size; /**< sizeof(selvage_air). */
    double density;     /**< [kg/m3]; 0: no air. Default 1.2. */
    double drag;        /**< Drag coefficient of a plate across the flow. Default 1.2. */
    double lift;        /**< Lift coefficient. Default 0.6. */
    double wind[3];     /**< Mean wind [m/s]. Default 0. */
    double gust;        /**< RMS of gusts as a fraction of the mean wind speed. Default 0. */
    double gust_length; /**< Size of gusts [m]. Default 1. */
    int seed;           /**< The same seed gives the same gusts. Default 1. */
} selvage_air;

/** Fills in the defaults; `struct_size` is sizeof(selvage_air). Any thread. */
SELVAGE_API void selvage_air_init(selvage_air* air, size_t struct_size);
/** Still air near the ground. A world starts without air. */
static inline selvage_air selvage_air_default(void) {
    selvage_air air;
    selvage_air_init(&air, sizeof air);
    return air;
}

/** The gravity in force [m/s2]. Reader. */
SELVAGE_API selvage_result selvage_world_gravity(selvage_world world, double gravity[3]);
/** The air in force. `air->struct_size` must be set. Reader. */
SELVAGE_API selvage_result selvage_world_air(selvage_world world, selvage_air* air);

/** Replaces the air and wakes all cloth. */
SELVAGE_API selvage_result selvage_world_set_air(selvage_world world, const selvage_air* air);

/** Replaces the solver between frames; all cloth keeps its state. Arguments as in selvage_world_desc; `substeps` 0:
 *  as usual. */
SELVAGE_API selvage_result selvage_world_set_solver(selvage_world world, const char* solver, const char* settings,
                                                    selvage_quality quality, int substeps);

/** Sets the time that a frame should keep to [ms], from the next one on, as `budget_ms` of selvage_world_desc;
 *  0: none. */
SELVAGE_API selvage_result selvage_world_set_budget(selvage_world world, double ms);

/** What the last frame cost and did. */
typedef struct selvage_statistics {
    size_t struct_size;    /**< sizeof(selvage_statistics). */
    int64_t frames;        /**< Simulated since the world was made. */
    double time;           /**< Simulated [s]. */
    int32_t cloths;        /**< In the world. */
    int32_t awake_cloths;  /**< Of them, those simulated in the last frame. */
    int32_t islands;       /**< Groups of cloths that are simulated together because they may touch. */
    int32_t awake_islands; /**< Of them, those simulated in the last frame. */
    int64_t vertices;      /**< Of all cloths. */
    int64_t triangles;     /**< Of all cloths. */
    int64_t contacts;      /**< Pairs that pushed each other in the last frame, counted in every substep. */
    int64_t limited;       /**< Vertices whose displacement was shortened to keep surfaces apart, likewise. */
    double frame_ms;       /**< Wall time of the last frame [ms]. */
    double solver_ms;      /**< Of it, summed over islands: the solver. */
    double contact_ms;     /**< Of it, summed over islands: contact. */
    double max_stretch;    /**< Largest stretch of a mesh edge now, as a fraction; measured when asked for. */
    int32_t budget_level;  /**< Under a budget: 0, the last frame did all its work; 1 to 4, less; 5, it was left out. */
    int32_t lowest_budget_level; /**< The largest of these numbers since the budget was set. */
    double dropped_seconds;      /**< Time of all frames that were left out [s]. */
} selvage_statistics;

/** Reader. `statistics->struct_size` must be set. Costs a pass over all edges for max_stretch. */
SELVAGE_API selvage_result selvage_world_statistics(selvage_world world, selvage_statistics* statistics);

/** A hash of time, positions and velocities of all cloths in the order they were added: equal on every platform for
 *  equal runs. Reader. */
SELVAGE_API selvage_result selvage_world_state_hash(selvage_world world, uint64_t* hash);

/* ------------------------------------------------------------------------------------------------------------ cloth */

/** Meshes that the library can make itself. */
typedef enum selvage_generator {
    /** The mesh comes from arrays or from a file. */
    SELVAGE_GENERATOR_NONE = 0,
    /** Rectangle in the x-y plane about the origin: size[0] x size[1], resolution[0] x resolution[1] vertices. Edges
     *  "left", "right", "top", "bottom"; corners "top-left", "top-right", "bottom-left", "bottom-right". */
    SELVAGE_GENERATOR_GRID = 1,
    /** Disc of radius size[0] in the x-y plane, resolution[0] rings. Edge "rim". */
    SELVAGE_GENERATOR_DISC = 2,
    /** Open tube about the y axis: radius size[0] at the bottom and size[1] at the top, height size[2], resolution[0]
     *  vertices around and resolution[1] along. Edges "top", "bottom". */
    SELVAGE_GENERATOR_TUBE = 3
} selvage_generator;

/** A piece of cloth. Start from selvage_cloth_desc_default(). Its mesh comes from exactly one of: arrays (positions
 *  and triangles), a file, a generator. */
typedef struct selvage_cloth_desc {
    size_t struct_size;           /**< sizeof(selvage_cloth_desc). */
    const char* name;             /**< For messages; null: made up. */
    const double* positions;      /**< Where the vertices start: 3 numbers each [m]. */
    size_t vertex_count;          /**< Of `positions`, `rest_positions` and `uv`. */
    const int32_t* triangles;     /**< 3 vertex indices each. */
    size_t triangle_count;        /**< Of `triangles`. */
    const double* rest_positions; /**< The shape without stress [m]; null: `positions`. */
    const double* uv; /**< Flat pattern, 2 numbers per vertex [m]; null: thread directions follow the mesh. */
    const char* file; /**< .obj, .ply or .glb. */
    selvage_generator generator; /**< A mesh the library makes. */
    double size[3];              /**< Of the generator. */
    int32_t resolution[2];       /**< Of the generator. */
    double position[3];          /**< Where the mesh's origin goes [m]. */
    double rotation[4];          /**< How the mesh is turned first; a quaternion x, y, z, w. Default (0, 0, 0, 1). */
    const char* fabric;          /**< Built-in name or file; null: "cotton-poplin". */
    const selvage_material* material; /**< Numbers instead of a fabric; null: those of `fabric`. */
    const int32_t* pins;              /**< Vertices held where they start. */
    size_t pin_count;                 /**< Of `pins`. */
    /** Edges and corners of generated meshes to pin, such as "top-left,top-right"; null: none. */
    const char* pin_groups;
    int self_collision; /**< 1: keeps off itself and other cloth (default); 0: off neither, unless the other asks. */
    double contact_distance; /**< Minimum distance between layers [m]; 0: from the fabric's thickness and the mesh. */
    double velocity[3];      /**< At the start [m/s]. */
    void* user_data;         /**< Handed back by selvage_cloth_user_data(). */
    double velocity_damping; /**< Velocity fades at this rate, added to the world's [1/s]. Default 0. */
} selvage_cloth_desc;

/** Fills in the defaults; `struct_size` is sizeof(selvage_cloth_desc). Any thread. */
SELVAGE_API void selvage_cloth_desc_init(selvage_cloth_desc* desc, size_t struct_size);
/** The defaults: no mesh yet. */
static inline selvage_cloth_desc selvage_cloth_desc_default(void) {
    selvage_cloth_desc desc;
    selvage_cloth_desc_init(&desc, sizeof desc);
    return desc;
}

/** Adds a cloth. Cloths that it does not touch go on bit for bit as they would have without it. */
SELVAGE_API selvage_result selvage_cloth_create(selvage_world world, const selvage_cloth_desc* desc,
                                                selvage_cloth* cloth);
/** Adds a cloth given as in a scene file: one entry of "cloths", as JSON text. Files are looked for in `directory`;
 *  null: the working directory. */
SELVAGE_API selvage_result selvage_cloth_create_from_json(selvage_world world, const char* json, const char* directory,
                                                          selvage_cloth* cloth);
/** Removes a cloth with its attachments and grabs. */
SELVAGE_API selvage_result selvage_cloth_destroy(selvage_cloth cloth);

/** The world's cloths in the order they were added. `cloths` may be null when `capacity` is 0; `count` is their
 *  whole number. Reader. */
SELVAGE_API selvage_result selvage_world_cloths(selvage_world world, selvage_cloth* cloths, size_t capacity,
                                                size_t* count);
/** The first cloth of that name; fails when there is none. Reader. */
SELVAGE_API selvage_result selvage_world_find_cloth(selvage_world world, const char* name, selvage_cloth* cloth);
/** Valid until the cloth is destroyed. Reader. */
SELVAGE_API selvage_result selvage_cloth_name(selvage_cloth cloth, const char** name);
/** What was given when the cloth was made. Reader. */
SELVAGE_API selvage_result selvage_cloth_user_data(selvage_cloth cloth, void** user_data);
/** What was odd about the cloth when it was made (dropped triangles, a tangled start), one line each; "" when
 *  nothing. Reader. */
SELVAGE_API selvage_result selvage_cloth_warnings(selvage_cloth cloth, const char** text);

/** Positions, 3 doubles per vertex [m]. No copy is made. Reader. */
SELVAGE_API selvage_result selvage_cloth_positions(selvage_cloth cloth, const double** xyz, size_t* vertex_count);
/** Velocities, 3 doubles per vertex [m/s]. No copy is made. Reader. */
SELVAGE_API selvage_result selvage_cloth_velocities(selvage_cloth cloth, const double** xyz, size_t* vertex_count);
/** Positions as floats, rounded once per frame when asked for. Reader. */
SELVAGE_API selvage_result selvage_cloth_positions_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count);
/** Velocities as floats, rounded once per frame when asked for. Reader. */
SELVAGE_API selvage_result selvage_cloth_velocities_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count);
/** Area-weighted unit normals, computed once per frame when asked for; 0 where no triangle touches a vertex. Reader. */
SELVAGE_API selvage_result selvage_cloth_normals(selvage_cloth cloth, const double** xyz, size_t* vertex_count);
/** The same as floats. Reader. */
SELVAGE_API selvage_result selvage_cloth_normals_f(selvage_cloth cloth, const float** xyz, size_t* vertex_count);
/** Triangles, 3 vertex indices each, as the engine uses them: degenerate and repeated ones of the input are left
 *  out. Reader. */
SELVAGE_API selvage_result selvage_cloth_triangles(selvage_cloth cloth, const int32_t** triangles,
                                                   size_t* triangle_count);
/** Pattern coordinates, 2 doubles each [m], and for every triangle the 3 it uses. Both are null when the mesh has
 *  none. Reader. */
SELVAGE_API selvage_result selvage_cloth_uv(selvage_cloth cloth, const double** uv, size_t* uv_count,
                                            const int32_t** uv_triangles);
/** The vertices of a named edge or corner of a generated mesh, such as "top"; fails when it has no group of that name.
 *  Reader. */
SELVAGE_API selvage_result selvage_cloth_group(selvage_cloth cloth, const char* name, const int32_t** vertices,
                                               size_t* count);
/** Box around the cloth now [m]. Reader. */
SELVAGE_API selvage_result selvage_cloth_bounds(selvage_cloth cloth, double low[3], double high[3]);

/** Replaces all positions, and velocities unless null; counts must match. Wakes the cloth. */
SELVAGE_API selvage_result selvage_cloth_set_state(selvage_cloth cloth, const double* positions,
                                                   const double* velocities, size_t vertex_count);
/** Moves a cloth with its pins and attachments rigidly, without sweeping through what lies between: first turned
 *  about the origin by a quaternion, then moved [m]. Velocities are turned, or set to 0 when `stop` is 1. */
SELVAGE_API selvage_result selvage_cloth_teleport(selvage_cloth cloth, const double rotation[4],
                                                  const double translation[3], int stop);
/** Puts a cloth back to where it was added, at rest, or with the velocity it was given. Also after it diverged. */
SELVAGE_API selvage_result selvage_cloth_reset(selvage_cloth cloth);

/** Pins vertices where they are. A vertex already pinned stays pinned where it was. */
SELVAGE_API selvage_result selvage_cloth_pin(selvage_cloth cloth, const int32_t* vertices, size_t count);
/** Moves pins of the program to new places over the next frame, 3 numbers per vertex [m]; vertices not pinned yet
 *  become so. */
SELVAGE_API selvage_result selvage_cloth_move_pins(selvage_cloth cloth, const int32_t* vertices, const double* targets,
                                                   size_t count);
/** Lets pinned vertices go, those that a scene or a description pinned included; `vertices` null: all of them. */
SELVAGE_API selvage_result selvage_cloth_unpin(selvage_cloth cloth, const int32_t* vertices, size_t count);

/** Attaches vertices to a frame that the program moves, such as a bone: they keep their places relative to it. The
 *  frame starts at `position` with `rotation` (a quaternion x, y, z, w). */
SELVAGE_API selvage_result selvage_cloth_attach(selvage_cloth cloth, const int32_t* vertices, size_t count,
                                                const double position[3], const double rotation[4],
                                                selvage_attachment* attachment);
/** Attaches vertices to a mesh collider or a character, as a waistband is: each keeps its place on the triangle of the skin
 *  that is nearest to it now, and turns with it. They go along when the skin is moved or put somewhere else. Destroying
 *  the collider lets them go. */
SELVAGE_API selvage_result selvage_cloth_attach_to_skin(selvage_cloth cloth, const int32_t* vertices, size_t count,
                                                        selvage_collider collider, selvage_attachment* attachment);
/** Moves the frame over the next step; fails for an attachment to a skin. */
SELVAGE_API selvage_result selvage_attachment_move(selvage_attachment attachment, const double position[3],
                                                   const double rotation[4]);
/** Lets the vertices go. */
SELVAGE_API selvage_result selvage_attachment_destroy(selvage_attachment attachment);

/** Takes hold of the point of a triangle given by its weights, which are not negative and sum to 1. */
SELVAGE_API selvage_result selvage_cloth_grab(selvage_cloth cloth, int32_t triangle, const double weights[3],
                                              selvage_grab* grab);
/** Takes the point to `target` over the next frame [m], and holds it there. */
SELVAGE_API selvage_result selvage_grab_move(selvage_grab grab, const double target[3]);
/** Where the grabbed point is now [m]. Reader. */
SELVAGE_API selvage_result selvage_grab_position(selvage_grab grab, double point[3]);
/** Lets go. */
SELVAGE_API selvage_result selvage_grab_release(selvage_grab grab);

/** Wakes a cloth. Contact, grabs, moved pins, changes of wind and gravity and moving colliders nearby do so by
 *  themselves. */
SELVAGE_API selvage_result selvage_cloth_wake(selvage_cloth cloth);
/** Puts a cloth to sleep, with all that touches it: it costs next to nothing until it wakes. */
SELVAGE_API selvage_result selvage_cloth_sleep(selvage_cloth cloth);
/** 1 when the cloth is awake. Reader. */
SELVAGE_API selvage_result selvage_cloth_is_awake(selvage_cloth cloth, int* awake);

/* -------------------------------------------------------------------------------------------------------- colliders */

/** Kinds of colliders. */
typedef enum selvage_shape {
    /** size[0]: radius. */
    SELVAGE_SHAPE_SPHERE = 0,
    /** size: edge lengths. */
    SELVAGE_SHAPE_BOX = 1,
    /** About the y axis: size[0] radius below, size[1] radius above, size[2] distance of centres. */
    SELVAGE_SHAPE_CAPSULE = 2,
    /** About the y axis: size[0] radius, size[1] height. */
    SELVAGE_SHAPE_CYLINDER = 3,
    /** All below y = 0 of its own frame is solid. */
    SELVAGE_SHAPE_PLANE = 4,
    /** All below a grid of heights; size[0] x size[1] along x and z, `resolution` vertices. */
    SELVAGE_SHAPE_HEIGHT = 5,
    /** Triangles: a solid when closed, else a surface with two sides. */
    SELVAGE_SHAPE_MESH = 6
} selvage_shape;

/** A collider. Start from selvage_collider_desc_default(). */
typedef struct selvage_collider_desc {
    size_t struct_size;       /**< sizeof(selvage_collider_desc). */
    selvage_shape shape;      /**< Default: sphere. */
    double size[3];           /**< As the shape says [m]. Default 0.25 each. */
    const double* vertices;   /**< Of a mesh, in its own frame: 3 numbers each [m]. */
    size_t vertex_count;      /**< Of `vertices`. */
    const int32_t* triangles; /**< Of a mesh: 3 indices each. */
    size_t triangle_count;    /**< Of `triangles`. */
    const char* file;         /**< Of a mesh instead of arrays: .obj, .ply or .glb. */
    const double* heights;    /**< Row by row from low z, each from low x [m]. */
    int32_t resolution[2];    /**< Of the heights along x and z. */
    double position[3];       /**< [m]. */
    double rotation[4];       /**< A quaternion x, y, z, w. Default (0, 0, 0, 1). */
    double friction;          /**< Coulomb coefficient against any cloth. Default 0.4. */
    double thickness;         /**< Minimum distance from its surface to the cloth's vertices [m]. Default 0.002. */
    void* user_data;          /**< Handed back by selvage_collider_user_data(). */
} selvage_collider_desc;

/** Fills in the defaults; `struct_size` is sizeof(selvage_collider_desc). Any thread. */
SELVAGE_API void selvage_collider_desc_init(selvage_collider_desc* desc, size_t struct_size);
/** The defaults. */
static inline selvage_collider_desc selvage_collider_desc_default(void) {
    selvage_collider_desc desc;
    selvage_collider_desc_init(&desc, sizeof desc);
    return desc;
}

/** Adds a collider and wakes cloth near it. */
SELVAGE_API selvage_result selvage_collider_create(selvage_world world, const selvage_collider_desc* desc,
                                                   selvage_collider* collider);
/** Adds a collider given as in a scene file: one entry of "colliders", as JSON text, such as a skinned character that
 *  plays an animation of its file, {"character": {"file": "hero.glb", "motion": "Run"}}. It moves as the entry says, in
 *  the world's time, until the program moves it. Files are looked for in `directory`; null: the working directory. */
SELVAGE_API selvage_result selvage_collider_create_from_json(selvage_world world, const char* json,
                                                             const char* directory, selvage_collider* collider);
/** Removes a collider and wakes cloth near it; what is attached to its skin is let go. */
SELVAGE_API selvage_result selvage_collider_destroy(selvage_collider collider);
/** The world's colliders in the order they were added; as selvage_world_cloths(). Reader. */
SELVAGE_API selvage_result selvage_world_colliders(selvage_world world, selvage_collider* colliders, size_t capacity,
                                                   size_t* count);
/** What was given when the collider was made. Reader. */
SELVAGE_API selvage_result selvage_collider_user_data(selvage_collider collider, void** user_data);
/** Moves a collider to a new pose over the next frame, pushing and dragging cloth on its path. */
SELVAGE_API selvage_result selvage_collider_move(selvage_collider collider, const double position[3],
                                                 const double rotation[4]);
/** Puts a collider somewhere else at once, without sweeping through what lies between. */
SELVAGE_API selvage_result selvage_collider_teleport(selvage_collider collider, const double position[3],
                                                     const double rotation[4]);
/** Moves the vertices of a mesh collider over the next frame, in world space, 3 numbers each [m]: a character
 *  skinned elsewhere. From then on its pose has no say. */
SELVAGE_API selvage_result selvage_collider_set_vertices(selvage_collider collider, const double* xyz,
                                                         size_t vertex_count);
/** The same from floats. */
SELVAGE_API selvage_result selvage_collider_set_vertices_f(selvage_collider collider, const float* xyz,
                                                           size_t vertex_count);
/** Where the vertices of a mesh or a character are now, 3 doubles each, in world space [m]. Valid until the next change of
 *  the world. Reader. */
SELVAGE_API selvage_result selvage_collider_vertices(selvage_collider collider, const double** xyz,
                                                     size_t* vertex_count);
/** Its triangles, 3 vertex indices each. Valid until the collider is destroyed. Reader. */
SELVAGE_API selvage_result selvage_collider_triangles(selvage_collider collider, const int32_t** triangles,
                                                      size_t* triangle_count);
/** Where a collider is now. Reader. */
SELVAGE_API selvage_result selvage_collider_pose(selvage_collider collider, double position[3], double rotation[4]);

/* ---------------------------------------------------------------------------------------------------------- queries */

/** What a ray met first. */
typedef struct selvage_hit {
    size_t struct_size;        /**< sizeof(selvage_hit). */
    selvage_cloth cloth;       /**< 0 when it met a collider. */
    selvage_collider collider; /**< 0 when it met cloth. */
    int32_t triangle;          /**< Of the cloth; -1 for a collider. */
    double weights[3];         /**< Of the triangle's corners. */
    double point[3];           /**< [m]. */
    double distance;           /**< From the ray's origin [m]. */
} selvage_hit;

/** What a ray looks for. */
enum {
    SELVAGE_RAY_CLOTH = 1,     /**< Cloths. */
    SELVAGE_RAY_COLLIDERS = 2, /**< Colliders. */
    SELVAGE_RAY_ALL = 3        /**< Both. */
};

/** The first thing along a ray, up to `max_distance` away. `direction` need not be of unit length. `found` is 0 and
 *  `hit` unchanged when there is nothing. `flags` is a sum of SELVAGE_RAY_... Reader. */
SELVAGE_API selvage_result selvage_world_raycast(selvage_world world, const double origin[3], const double direction[3],
                                                 double max_distance, unsigned flags, selvage_hit* hit, int* found);

/** What happened to a contact in the last frame. */
typedef enum selvage_contact_phase {
    SELVAGE_CONTACT_BEGIN = 0, /**< They touch now, and did not a frame ago. */
    SELVAGE_CONTACT_STAY = 1,  /**< They go on touching. */
    SELVAGE_CONTACT_END = 2    /**< They touched a frame ago, and do not now. */
} selvage_contact_phase;

/** A cloth and what it touches. One event per pair, however many points touch. */
typedef struct selvage_contact_event {
    selvage_contact_phase phase; /**< Whether it begins, goes on or ends. */
    selvage_cloth cloth;         /**< The cloth; of two cloths the one that was added first. */
    selvage_cloth other_cloth;   /**< The other cloth, or the same one when it touches itself; 0 for a collider. */
    selvage_collider collider;   /**< The collider; 0 for cloth. */
    int32_t points;              /**< Places that touch now. */
    double point[3];             /**< Mean of them [m]. */
    double normal[3];            /**< Mean direction in which the first cloth is pushed; unit length, or 0. */
} selvage_contact_event;

/** The events of the last frame. What sleeps goes on touching what it touched. Reader. */
SELVAGE_API selvage_result selvage_world_contact_events(selvage_world world, const selvage_contact_event** events,
                                                        size_t* count);

/** What selvage_world_debug_lines() draws. */
enum {
    SELVAGE_DEBUG_EDGES = 1,      /**< Edges of the cloths, coloured by stretch. */
    SELVAGE_DEBUG_PINS = 2,       /**< Crosses at held vertices. */
    SELVAGE_DEBUG_CONTACTS = 4,   /**< Normals where cloth is pushed. */
    SELVAGE_DEBUG_BOUNDS = 8,     /**< Boxes around islands; grey when asleep. */
    SELVAGE_DEBUG_COLLIDERS = 16, /**< Outlines of colliders. */
    SELVAGE_DEBUG_VELOCITIES = 32 /**< Velocities, a hundredth of a second long. */
};

/** A line to draw. */
typedef struct selvage_debug_line {
    float from[3];  /**< World space [m]. */
    float to[3];    /**< World space [m]. */
    uint32_t color; /**< 0xRRGGBB. */
} selvage_debug_line;

/** Fills `lines` with up to `capacity` lines; `count` is how many there are in all. `lines` may be null when
 *  `capacity` is 0. Reader. */
SELVAGE_API selvage_result selvage_world_debug_lines(selvage_world world, unsigned flags, selvage_debug_line* lines,
                                                     size_t capacity, size_t* count);

/* -------------------------------------------------------------------------------------------------------- snapshots */

/** Bytes that a snapshot of the world takes now. Reader. */
SELVAGE_API selvage_result selvage_world_snapshot_size(selvage_world world, size_t* bytes);
/** Saves all that moves: states, sleep, colliders, pins, attachments, grabs, time. `bytes` is how many were written.
 *  Allocates nothing. Reader. */
SELVAGE_API selvage_result selvage_world_snapshot(selvage_world world, void* buffer, size_t capacity, size_t* bytes);
/** Goes back to a snapshot of this world: what follows is what followed then, bit for bit. The same objects must be
 *  in it as then. A snapshot may also be restored into a world made the same way in another process or on another
 *  platform. */
SELVAGE_API selvage_result selvage_world_restore(selvage_world world, const void* buffer, size_t bytes);

#ifdef __cplusplus
}
#endif

#endif /* SELVAGE_SELVAGE_H */
