"""Worlds of cloths and colliders."""
from __future__ import annotations

import dataclasses
import json
import os
import weakref
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Tuple, Type, TypeVar, Union

import numpy as np
import numpy.typing as npt

from . import _arrays, _catalog, _selvage
from ._arrays import Indices, Numbers, Quaternion, Triple
from ._objects import UPRIGHT, Cloth, Collider, Contact, Hit

Callback = Callable[["World"], None]
SomeCallback = TypeVar("SomeCallback", bound=Callback)
ORIGIN: Triple = (0.0, 0.0, 0.0)
_QUALITIES = ("low", "standard", "high")
_GRID, _DISC, _TUBE = 1, 2, 3
_SPHERE, _BOX, _CAPSULE, _CYLINDER, _PLANE, _HEIGHT, _MESH = range(7)


@dataclasses.dataclass(frozen=True)
class Statistics:
    """What the last frame cost and did."""

    frames: int  #: Simulated since the world was made.
    time: float  #: Simulated [s].
    cloths: int  #: In the world.
    awake_cloths: int  #: Of them, those simulated in the last frame.
    islands: int  #: Groups of cloths that are simulated together because they may touch.
    awake_islands: int  #: Of them, those simulated in the last frame.
    vertices: int  #: Of all cloths.
    triangles: int  #: Of all cloths.
    contacts: int  #: Pairs that pushed each other in the last frame, counted in every substep.
    limited: int  #: Vertices whose displacement was shortened to keep surfaces apart, likewise.
    frame_ms: float  #: Wall time of the last frame [ms].
    solver_ms: float  #: Of it, summed over islands: the solver.
    contact_ms: float  #: Of it, summed over islands: contact.
    max_stretch: float  #: Largest stretch of a mesh edge now, as a fraction.
    budget_level: int  #: Under a budget: 0, the last frame did all its work; 1 to 4, less; 5, it was left out.
    lowest_budget_level: int  #: The largest of these numbers since the budget was set.
    dropped_seconds: float  #: Time of all frames that were left out [s].


@dataclasses.dataclass
class Air:
    """The air of a world."""

    density: float = 1.2  #: [kg/m3]; 0: no air.
    drag: float = 1.2  #: Drag coefficient of a plate across the flow.
    lift: float = 0.6  #: Lift coefficient.
    wind: Triple = ORIGIN  #: Mean wind [m/s].
    gust: float = 0.0  #: RMS of gusts as a fraction of the mean wind speed.
    gust_length: float = 1.0  #: Size of gusts [m].
    seed: int = 1  #: The same seed gives the same gusts.


@dataclasses.dataclass(frozen=True)
class Advance:
    """What `World.advance` did."""

    steps: int  #: Frames simulated.
    alpha: float  #: Fraction of a frame that is left over, in [0, 1).
    dropped: float  #: Time given up because the most steps were reached, or for a budget [s].


def _quality(name: str) -> int:
    if name not in _QUALITIES:
        raise _selvage.ArgumentError(f"quality: found {name!r}; expected one of: {', '.join(_QUALITIES)}")
    return _QUALITIES.index(name)


def _settings_text(settings: Optional[Mapping[str, Any]]) -> Optional[str]:
    return None if settings is None else json.dumps(settings)


def _close(handle: int) -> None:
    try:
        _selvage.world_destroy(handle)
    except _selvage.Error:
        pass  # already closed


_World = TypeVar("_World", bound="World")


class World:
    """A world of cloths and colliders, advanced frame by frame. Units are SI; coordinates are right-handed.

    One thread at a time uses a world; a second one gets a `BusyError`. Different worlds are independent, and a step
    lets other Python threads run."""

    def __init__(self, *, gravity: npt.ArrayLike = (0.0, -9.81, 0.0), time_step: float = 1 / 60,
                 solver: str = "multilevel", settings: Optional[Mapping[str, Any]] = None, quality: str = "low",
                 substeps: int = 0, velocity_damping: float = 0.0, threads: int = 1, sleeping: bool = True,
                 sleep_distance: float = 0.001, sleep_time: float = 1.0, budget_ms: float = 0.0) -> None:
        """An empty world. `settings` are those of the solver (see `solvers`), `substeps` its steps per frame (0: the
        usual number), `threads` 0 takes one per core and never changes results. `budget_ms` is the time that a frame
        should keep to by doing less; 0: any."""
        handle = _selvage.world_create(
            _arrays.triple(gravity, "gravity"), time_step, solver, _settings_text(settings), _quality(quality),
            substeps, velocity_damping, threads, sleeping, sleep_distance, sleep_time, budget_ms)
        self._own(handle, None)

    @classmethod
    def from_scene(cls: Type[_World], scene: _catalog.SceneLike, *, set: Optional[Mapping[str, Any]] = None,
                   solver: Optional[str] = None, dt: Optional[float] = None,
                   directory: Union[str, "os.PathLike[str]"] = "", threads: int = 1, sleeping: bool = False,
                   sleep_distance: float = 0.001, sleep_time: float = 1.0, budget_ms: float = 0.0) -> _World:
        """A world from a scene: a built-in name, the path of a scene file, or a scene as a dictionary, whose files are
        looked for in `directory`. `set`, `solver` and `dt` change it as the flags of `selvage run` do. The state hash
        after any number of frames is that of the command line program, unless `sleeping` lets cloth at rest sleep."""
        loaded = _catalog.load(scene, set, solver, dt, directory)
        world = cls.__new__(cls)
        world._own(_selvage.world_from_scene(loaded, threads, sleeping, sleep_distance, sleep_time, budget_ms), loaded)
        return world

    def _own(self, handle: int, scene: Optional[_selvage.Scene]) -> None:
        self._handle = handle
        self._scene = scene
        self._picture: Optional[_selvage.Picture] = None
        self._callbacks: List[Callback] = []
        self._in_callback = False
        self._finalizer = weakref.finalize(self, _close, handle)

    def close(self) -> None:
        """Ends the world now, with all that is in it. Views of its cloths stay as they are."""
        self._refuse_in_callback("close")
        _selvage.world_destroy(self._handle)
        self._finalizer.detach()

    def __enter__(self: _World) -> _World:
        return self

    def __exit__(self, *exception: object) -> None:
        if self._finalizer.detach() is not None:
            _close(self._handle)

    @property
    def handle(self) -> int:
        """Its number in the C interface."""
        return self._handle

    # ------------------------------------------------------------------------------------------------------- time

    def step(self, frames: int = 1) -> None:
        """Advances by so many frames, and calls the callbacks after each. Raises `DivergedError` when a cloth
        diverged; the others have advanced."""
        self._refuse_in_callback("step")
        if frames < 0:
            raise _selvage.ArgumentError(f"frames: found {frames}; expected 0 or more")
        for _ in range(frames):
            _selvage.world_step(self._handle)
            if self._callbacks:
                self._call_back()

    def run(self, seconds: float) -> None:
        """Advances frame by frame until so many seconds have been simulated from now on."""
        self._refuse_in_callback("run")
        if not 0.0 <= seconds <= 1e6:
            raise _selvage.ArgumentError(f"seconds: found {seconds!r}; expected 0 to 1e6")
        end = self.time + seconds
        while self.time < end - 1e-9:
            self.step()

    def advance(self, seconds: float, max_steps: int = 4) -> Advance:
        """For a loop of another rate: adds `seconds` to an accumulator and takes as many frames out of it as fit, at
        most `max_steps`. Callbacks are called once, after them."""
        self._refuse_in_callback("advance")
        done = Advance(*_selvage.world_advance(self._handle, seconds, max_steps))
        if self._callbacks and done.steps > 0:
            self._call_back()
        return done

    def on_step(self, callback: SomeCallback) -> SomeCallback:
        """Has `callback(world)` called after every frame; may be used as a decorator. It may read the world and move
        things in it, but not step or close it. What it raises ends the step that called it."""
        if not callable(callback):
            raise TypeError(f"callback: found {callback!r}; expected something to call")
        self._callbacks.append(callback)
        return callback

    def remove_callback(self, callback: Callback) -> None:
        """Ends the calls of a callback."""
        if callback not in self._callbacks:
            raise _selvage.ArgumentError(f"callback: found {callback!r}; expected one that on_step was given")
        self._callbacks.remove(callback)

    def _call_back(self) -> None:
        self._in_callback = True
        try:
            for callback in tuple(self._callbacks):
                callback(self)
        finally:
            self._in_callback = False

    def _refuse_in_callback(self, call: str) -> None:
        if self._in_callback:
            raise _selvage.BusyError(f"{call}() was called from a callback of the same world; expected it after the "
                                     "step that called back has ended")

    @property
    def time(self) -> float:
        """Simulated [s]."""
        return _selvage.world_time(self._handle)

    # ------------------------------------------------------------------------------------------------ surroundings

    @property
    def gravity(self) -> Triple:
        """[m/s2]. Setting it wakes all cloth."""
        return _selvage.world_gravity(self._handle)

    @gravity.setter
    def gravity(self, gravity: npt.ArrayLike) -> None:
        _selvage.world_set_gravity(self._handle, _arrays.triple(gravity, "gravity"))

    @property
    def air(self) -> Air:
        """A copy of the air in force; a world starts without any. Setting it wakes all cloth."""
        return Air(**_selvage.world_air(self._handle))

    @air.setter
    def air(self, air: Air) -> None:
        _selvage.world_set_air(self._handle, air.density, air.drag, air.lift, _arrays.triple(air.wind, "wind"),
                               air.gust, air.gust_length, air.seed)

    def set_wind(self, velocity: npt.ArrayLike) -> None:
        """Changes the mean wind [m/s]. A world without air gets that near the ground."""
        air = self.air
        if air.density <= 0.0:
            air = Air()
        air.wind = _arrays.triple(velocity, "velocity")
        self.air = air

    def set_solver(self, solver: str, *, settings: Optional[Mapping[str, Any]] = None, quality: str = "low",
                   substeps: int = 0) -> None:
        """Replaces the solver between frames; all cloth keeps its state."""
        _selvage.world_set_solver(self._handle, solver, _settings_text(settings), _quality(quality), substeps)

    def set_budget(self, ms: float) -> None:
        """Sets the time that a frame should keep to [ms]; 0: none. Results depend on the machine's speed then."""
        _selvage.world_set_budget(self._handle, ms)

    # -------------------------------------------------------------------------------------------------- what is in

    @property
    def cloths(self) -> List[Cloth]:
        """In the order they were added."""
        return [Cloth(self, handle) for handle in _selvage.world_cloths(self._handle)]

    @property
    def colliders(self) -> List[Collider]:
        """In the order they were added."""
        return [Collider(self, handle) for handle in _selvage.world_colliders(self._handle)]

    def cloth(self, name: str) -> Cloth:
        """The first cloth of that name."""
        return Cloth(self, _selvage.world_find_cloth(self._handle, name))

    def add_cloth(self, positions: npt.ArrayLike, triangles: npt.ArrayLike, *,
                  rest_positions: Optional[npt.ArrayLike] = None, uv: Optional[npt.ArrayLike] = None,
                  **common: Any) -> Cloth:
        """Adds a mesh in memory: `positions` (n, 3) [m] and `triangles` (m, 3). `rest_positions` (n, 3) is the shape
        without stress, `uv` (n, 2) the flat pattern [m], warp along u.

        What all cloths take: `position` [m] and `rotation`, a quaternion (x, y, z, w), place the mesh; `fabric` is a
        built-in name or a file, `material` numbers instead of it; `pins` are vertices held where they start, or names
        of edges and corners of a generated mesh such as "top-left,top-right"; `self_collision`, `contact_distance`
        [m], `velocity` [m/s], `velocity_damping` [1/s] and `name`."""
        points, faces = _arrays.rows(positions, 3, "positions"), _arrays.triangles(triangles)
        rest, pattern = _arrays.optional_rows(rest_positions, 3, "rest_positions"), _arrays.optional_rows(uv, 2, "uv")
        for what, rows in (("rest_positions", rest), ("uv", pattern)):
            if rows is not None and len(rows) != len(points):
                raise _selvage.ArgumentError(
                    f"{what}: found {len(rows)} rows; expected {len(points)}, as many as positions")
        return self._add(points, faces, rest, pattern, None, 0, ORIGIN, (0, 0), **common)

    def add_cloth_file(self, file: Union[str, "os.PathLike[str]"], **common: Any) -> Cloth:
        """Adds a mesh from an .obj, .ply or .glb file. For the rest see `add_cloth`."""
        return self._add(None, None, None, None, os.fspath(file), 0, ORIGIN, (0, 0), **common)

    def add_grid(self, size: Tuple[float, float], vertices: Tuple[int, int], **common: Any) -> Cloth:
        """Adds a rectangle in the x-y plane about the origin. Edges "left", "right", "top", "bottom"; corners
        "top-left" and so on. For the rest see `add_cloth`."""
        return self._add(None, None, None, None, None, _GRID, (size[0], size[1], 0.0), tuple(vertices), **common)

    def add_disc(self, radius: float, rings: int, **common: Any) -> Cloth:
        """Adds a disc in the x-y plane. Edge "rim". For the rest see `add_cloth`."""
        return self._add(None, None, None, None, None, _DISC, (radius, 0.0, 0.0), (rings, 1), **common)

    def add_tube(self, radius: float, top_radius: float, height: float, vertices: Tuple[int, int],
                 **common: Any) -> Cloth:
        """Adds an open tube about the y axis, with so many vertices around and along. Edges "top", "bottom". For the
        rest see `add_cloth`."""
        return self._add(None, None, None, None, None, _TUBE, (radius, top_radius, height), tuple(vertices), **common)

    def add_cloth_json(self, cloth: Mapping[str, Any], directory: Union[str, "os.PathLike[str]"] = ".") -> Cloth:
        """Adds an entry of "cloths" as in a scene file; its files are looked for in `directory`."""
        return Cloth(self, _selvage.cloth_from_json(self._handle, json.dumps(cloth), os.fspath(directory)))

    def _add(self, points: Optional[Numbers], faces: Optional[Indices], rest: Optional[Numbers],
             pattern: Optional[Numbers], file: Optional[str], generator: int, size: Triple,
             resolution: Tuple[int, ...], *, position: npt.ArrayLike = ORIGIN, rotation: npt.ArrayLike = UPRIGHT,
             name: Optional[str] = None, fabric: str = "cotton-poplin", material: Optional[_catalog.Material] = None,
             pins: Union[None, str, npt.ArrayLike] = None, self_collision: bool = True,
             contact_distance: float = 0.0, velocity: npt.ArrayLike = ORIGIN,
             velocity_damping: float = 0.0) -> Cloth:
        groups = pins if isinstance(pins, str) else None
        numbers = None if pins is None or groups is not None else _arrays.vertices(pins, "pins")
        handle = _selvage.cloth_create(
            self._handle, points, faces, rest, pattern, file, generator, size, resolution,
            _arrays.triple(position, "position"), _arrays.quaternion(rotation), name, fabric,
            None if material is None else material._numbers(), numbers, groups, self_collision, contact_distance,
            _arrays.triple(velocity, "velocity"), velocity_damping)
        return Cloth(self, handle)

    def add_sphere(self, radius: float, **common: Any) -> Collider:
        """Adds a ball. What all colliders take: `position` [m], `rotation`, a quaternion (x, y, z, w), `friction`, and
        `thickness`, the minimum distance from its surface to the cloth's vertices [m]."""
        return self._add_collider(_SPHERE, (radius, 0.0, 0.0), **common)

    def add_box(self, size: Triple, **common: Any) -> Collider:
        """Adds a box by its edge lengths [m]. For the rest see `add_sphere`."""
        return self._add_collider(_BOX, _arrays.triple(size, "size"), **common)

    def add_capsule(self, radius: float, top_radius: float, length: float, **common: Any) -> Collider:
        """Adds two balls and what lies between them; `length` is the distance of their centres along y [m]. For the
        rest see `add_sphere`."""
        return self._add_collider(_CAPSULE, (radius, top_radius, length), **common)

    def add_cylinder(self, radius: float, height: float, **common: Any) -> Collider:
        """Adds a cylinder along y. For the rest see `add_sphere`."""
        return self._add_collider(_CYLINDER, (radius, height, 0.0), **common)

    def add_plane(self, **common: Any) -> Collider:
        """Adds all below y = 0 of its own frame. For the rest see `add_sphere`."""
        return self._add_collider(_PLANE, ORIGIN, **common)

    def add_ground(self, heights: npt.ArrayLike, size: Tuple[float, float], **common: Any) -> Collider:
        """Adds all below a grid of heights [m], one row for each z and one column for each x, over `size` along x and
        z. For the rest see `add_sphere`."""
        array = np.asarray(heights)
        if array.ndim != 2:
            raise _selvage.ArgumentError(f"heights: found shape {array.shape}; expected rows and columns")
        return self._add_collider(_HEIGHT, (size[0], size[1], 0.0),
                                  heights=_arrays.rows(array, array.shape[1], "heights"), **common)

    def add_mesh(self, vertices: npt.ArrayLike, triangles: npt.ArrayLike, **common: Any) -> Collider:
        """Adds triangles, a solid when closed, else a surface with two sides: `vertices` (n, 3) in its own frame [m],
        `triangles` (m, 3). For the rest see `add_sphere`."""
        return self._add_collider(_MESH, ORIGIN, vertices=_arrays.rows(vertices, 3, "vertices"),
                                  triangles=_arrays.triangles(triangles), **common)

    def add_mesh_file(self, file: Union[str, "os.PathLike[str]"], **common: Any) -> Collider:
        """Adds triangles from an .obj, .ply or .glb file. For the rest see `add_sphere`."""
        return self._add_collider(_MESH, ORIGIN, file=os.fspath(file), **common)

    def _add_collider(self, shape: int, size: Triple, *, vertices: Optional[Numbers] = None,
                      triangles: Optional[Indices] = None, file: Optional[str] = None,
                      heights: Optional[Numbers] = None, position: npt.ArrayLike = ORIGIN,
                      rotation: npt.ArrayLike = UPRIGHT, friction: float = 0.4, thickness: float = 0.002) -> Collider:
        handle = _selvage.collider_create(self._handle, shape, size, vertices, triangles, file, heights,
                                          _arrays.triple(position, "position"), _arrays.quaternion(rotation),
                                          friction, thickness)
        return Collider(self, handle)

    # ----------------------------------------------------------------------------------------------------- looking

    @property
    def statistics(self) -> Statistics:
        """What the last frame cost and did. Costs a pass over all edges."""
        return Statistics(**_selvage.world_statistics(self._handle))

    @property
    def state_hash(self) -> int:
        """Of time, positions and velocities: equal on every platform for equal runs. `f"{hash:016x}"` is what reports
        of the program show."""
        return _selvage.world_hash(self._handle)

    def pick(self, origin: npt.ArrayLike, direction: npt.ArrayLike, *, max_distance: float = 1e3, cloths: bool = True,
             colliders: bool = True) -> Optional[Hit]:
        """The first thing along a ray, up to `max_distance` away; None when there is nothing."""
        found = _selvage.world_raycast(self._handle, _arrays.triple(origin, "origin"),
                                       _arrays.triple(direction, "direction"), max_distance,
                                       (1 if cloths else 0) | (2 if colliders else 0))
        if found is None:
            return None
        cloth, collider, triangle, weights, point, distance = found
        return Hit(Cloth(self, cloth) if cloth else None, Collider(self, collider) if collider else None, triangle,
                   weights, point, distance)

    @property
    def contacts(self) -> List[Contact]:
        """What touches what in the last frame."""
        phases = ("begin", "stay", "end")
        return [Contact(phases[phase], Cloth(self, cloth), Cloth(self, other) if other else None,
                        Collider(self, collider) if collider else None, points, point, normal)
                for phase, cloth, other, collider, points, point, normal
                in _selvage.world_contact_events(self._handle)]

    def snapshot(self) -> bytes:
        """All that moves: states, sleep, colliders, pins, attachments, grabs, time."""
        return _selvage.world_snapshot(self._handle)

    def restore(self, snapshot: bytes) -> None:
        """Goes back to a snapshot of this world, or of one made the same way: what follows is what followed then, bit
        for bit. The same objects must be in it as then."""
        self._refuse_in_callback("restore")
        _selvage.world_restore(self._handle, snapshot)

    def render(self, width: int = 1280, height: int = 720, *, eye: Optional[npt.ArrayLike] = None,
               target: Optional[npt.ArrayLike] = None, fov_deg: float = 40.0, environment: Optional[str] = None,
               show: Sequence[str] = ()) -> npt.NDArray[np.uint8]:
        """A picture of the world as it is now, without a display: an array (height, width, 4) of bytes, red, green,
        blue and opaque.

        `eye` and `target` place the camera [m]; without them it is the scene's, or one that has all in view.
        `environment` is "studio", "sky" or a Radiance picture (.hdr). `show` may hold "wireframe", "strain",
        "contacts", "normals", "particles"."""
        if not (16 <= width <= 8192 and 16 <= height <= 8192):
            raise _selvage.ArgumentError(f"size: found {width} x {height}; expected 16 x 16 to 8192 x 8192")
        if isinstance(show, str):
            show = (show,)
        for name in show:
            if name not in _selvage.overlays():
                raise _selvage.ArgumentError(
                    f"show: found {name!r}; expected one of: {', '.join(_selvage.overlays())}")
        if (eye is None) != (target is None):
            raise _selvage.ArgumentError("eye and target: found one of them; expected both or none")
        places = [None if at is None else _arrays.triple(at, name) for name, at in (("eye", eye), ("target", target))]
        if eye is not None and (not np.all(np.isfinite(places)) or places[0] == places[1]):  # type: ignore[arg-type]
            raise _selvage.ArgumentError("eye and target: expected two different places with finite numbers")
        if not 1.0 <= fov_deg <= 170.0:
            raise _selvage.ArgumentError(f"fov_deg: found {fov_deg}; expected 1 to 170")
        if environment not in (None, "studio", "sky"):
            environment = os.path.abspath(str(environment))
        if self._picture is None:
            self._picture = _selvage.Picture(self._scene)
        return self._picture.draw(self._handle, width, height, places[0], places[1], fov_deg, environment, list(show))
