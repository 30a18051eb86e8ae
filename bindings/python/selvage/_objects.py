"""What lives in a world: cloths, colliders, and the hands that hold cloth."""
from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Optional, Tuple

import numpy.typing as npt

from . import _arrays, _selvage
from ._arrays import Indices, Numbers, Quaternion, Triple

if TYPE_CHECKING:
    from ._world import World

UPRIGHT: Quaternion = (0.0, 0.0, 0.0, 1.0)


class _Named:
    """A name for something in a world: two of them are equal when they name the same thing."""

    def __init__(self, world: World, handle: int) -> None:
        self._world = world  # a world lives as long as somebody holds something in it
        self._handle = handle

    @property
    def world(self) -> World:
        """The world it is in."""
        return self._world

    @property
    def handle(self) -> int:
        """Its number in the C interface."""
        return self._handle

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Named) and self._handle == other._handle

    def __hash__(self) -> int:
        return hash(self._handle)


class Attachment(_Named):
    """Vertices of a cloth that follow a frame which the program moves, such as a bone."""

    def move(self, position: npt.ArrayLike, rotation: npt.ArrayLike = UPRIGHT) -> None:
        """Moves the frame over the next step."""
        _selvage.attachment_move(self._handle, _arrays.triple(position, "position"), _arrays.quaternion(rotation))

    def remove(self) -> None:
        """Lets the vertices go."""
        _selvage.attachment_destroy(self._handle)


class Grab(_Named):
    """A point of a cloth held by a hand."""

    def move(self, target: npt.ArrayLike) -> None:
        """Takes the point to `target` over the next frame [m], and holds it there."""
        _selvage.grab_move(self._handle, _arrays.triple(target, "target"))

    @property
    def position(self) -> Triple:
        """Where the point is now [m]."""
        return _selvage.grab_position(self._handle)

    def release(self) -> None:
        """Lets go."""
        _selvage.grab_release(self._handle)


class Cloth(_Named):
    """A piece of cloth in a world. Made by the `add_...` methods of a world.

    Arrays that it gives are views of the engine's own memory: nothing is copied, and they cannot be written. They show
    the cloth as it is until cloths are added, removed, restored, or come near each other; then the engine may move it
    elsewhere, and the view keeps what it showed last. Take a view again after a step, and copy what you want to keep.
    A view keeps its memory alive, so it is safe to hold one beyond the end of its cloth or world."""

    @property
    def name(self) -> str:
        """As it was given, or made up."""
        return _selvage.cloth_name(self._handle)

    @property
    def warnings(self) -> str:
        """What was odd about it when it was made, one line each; empty when nothing."""
        return _selvage.cloth_warnings(self._handle)

    @property
    def positions(self) -> Numbers:
        """Of every vertex, shape (n, 3) [m]. A view."""
        return _selvage.cloth_positions(self._handle)

    @property
    def velocities(self) -> Numbers:
        """Of every vertex, shape (n, 3) [m/s]. A view."""
        return _selvage.cloth_velocities(self._handle)

    @property
    def normals(self) -> Numbers:
        """Area-weighted unit normals of every vertex, shape (n, 3), computed once per frame when asked for. A view."""
        return _selvage.cloth_normals(self._handle)

    @property
    def triangles(self) -> Indices:
        """Vertex numbers, shape (m, 3), as the engine uses them: degenerate and repeated ones are left out. A view."""
        return _selvage.cloth_triangles(self._handle)

    @property
    def pattern(self) -> Optional[Tuple[Numbers, Indices]]:
        """The flat pattern: points (k, 2) [m] and the three of every triangle (m, 3); None without one. Views."""
        return _selvage.cloth_pattern(self._handle)

    @property
    def bounds(self) -> Tuple[Triple, Triple]:
        """Low and high corner of the box around the cloth now [m]."""
        return _selvage.cloth_bounds(self._handle)

    @property
    def is_awake(self) -> bool:
        """Whether it is simulated; cloth at rest sleeps."""
        return _selvage.cloth_is_awake(self._handle)

    def group(self, name: str) -> Indices:
        """The vertices of a named edge or corner of a generated mesh, such as "top"."""
        return _selvage.cloth_group(self._handle, name)

    def set_state(self, positions: npt.ArrayLike, velocities: Optional[npt.ArrayLike] = None) -> None:
        """Replaces all positions [m], and velocities [m/s] unless None. Wakes the cloth."""
        x = _arrays.rows(positions, 3, "positions")
        v = _arrays.optional_rows(velocities, 3, "velocities")
        if v is not None and len(v) != len(x):
            raise _selvage.ArgumentError(f"velocities: found {len(v)} rows; expected {len(x)}, as many as positions")
        _selvage.cloth_set_state(self._handle, x, v)

    def teleport(self, translation: npt.ArrayLike, rotation: npt.ArrayLike = UPRIGHT, *, stop: bool = False) -> None:
        """Turns the cloth about the origin and then moves it, with its pins, without sweeping through what lies
        between. Velocities are turned, or set to 0 with `stop`."""
        _selvage.cloth_teleport(self._handle, _arrays.quaternion(rotation),
                                _arrays.triple(translation, "translation"), stop)

    def reset(self) -> None:
        """Puts the cloth back to where it was added. Also after it diverged."""
        _selvage.cloth_reset(self._handle)

    def pin(self, vertices: npt.ArrayLike) -> None:
        """Pins vertices where they are."""
        _selvage.cloth_pin(self._handle, _arrays.vertices(vertices))

    def move_pins(self, vertices: npt.ArrayLike, targets: npt.ArrayLike) -> None:
        """Moves vertices to `targets` [m] over the next frame and holds them there; those not pinned yet become so."""
        numbers, places = _arrays.vertices(vertices), _arrays.rows(targets, 3, "targets")
        if len(numbers) != len(places):
            raise _selvage.ArgumentError(
                f"targets: found {len(places)} rows; expected {len(numbers)}, one for each vertex")
        _selvage.cloth_move_pins(self._handle, numbers, places)

    def unpin(self, vertices: Optional[npt.ArrayLike] = None) -> None:
        """Lets pinned vertices go; None: all of them."""
        _selvage.cloth_unpin(self._handle, None if vertices is None else _arrays.vertices(vertices))

    def attach(self, vertices: npt.ArrayLike, position: npt.ArrayLike,
               rotation: npt.ArrayLike = UPRIGHT) -> Attachment:
        """Attaches vertices to a frame that the program moves; it is at `position` with `rotation` now."""
        handle = _selvage.cloth_attach(self._handle, _arrays.vertices(vertices),
                                       _arrays.triple(position, "position"), _arrays.quaternion(rotation))
        return Attachment(self._world, handle)

    def grab(self, triangle: int, weights: npt.ArrayLike = (1 / 3, 1 / 3, 1 / 3)) -> Grab:
        """Takes hold of the point of a triangle given by its weights, which sum to 1; `World.pick` finds one."""
        handle = _selvage.cloth_grab(self._handle, int(_arrays.vertices(triangle, "triangle")[0]),
                                     _arrays.triple(weights, "weights"))
        return Grab(self._world, handle)

    def wake(self) -> None:
        """Wakes the cloth."""
        _selvage.cloth_wake(self._handle)

    def sleep(self) -> None:
        """Puts the cloth to sleep, with all that touches it: it costs next to nothing until it wakes."""
        _selvage.cloth_sleep(self._handle)

    def remove(self) -> None:
        """Removes the cloth with its attachments and grabs."""
        _selvage.cloth_destroy(self._handle)


class Collider(_Named):
    """Something that cloth cannot pass. Made by the `add_...` methods of a world."""

    @property
    def pose(self) -> Tuple[Triple, Quaternion]:
        """Where it is now: position [m] and rotation, a quaternion x, y, z, w."""
        return _selvage.collider_pose(self._handle)

    def move(self, position: npt.ArrayLike, rotation: npt.ArrayLike = UPRIGHT) -> None:
        """Moves to a new pose over the next frame, pushing and dragging cloth on its path."""
        _selvage.collider_move(self._handle, _arrays.triple(position, "position"), _arrays.quaternion(rotation))

    def teleport(self, position: npt.ArrayLike, rotation: npt.ArrayLike = UPRIGHT) -> None:
        """Goes somewhere else at once, without sweeping through what lies between."""
        _selvage.collider_teleport(self._handle, _arrays.triple(position, "position"), _arrays.quaternion(rotation))

    def set_vertices(self, points: npt.ArrayLike) -> None:
        """Moves the vertices of a mesh over the next frame, in world space, shape (n, 3) [m]: a body skinned
        elsewhere. From then on its pose has no say."""
        _selvage.collider_set_vertices(self._handle, _arrays.rows(points, 3, "points"))

    def remove(self) -> None:
        """Removes the collider and wakes cloth near it."""
        _selvage.collider_destroy(self._handle)


@dataclasses.dataclass(frozen=True)
class Hit:
    """What a ray met first."""

    cloth: Optional[Cloth]  #: None when it met a collider.
    collider: Optional[Collider]  #: None when it met cloth.
    triangle: int  #: Of the cloth; -1 for a collider.
    weights: Triple  #: Of the triangle's corners.
    point: Triple  #: [m].
    distance: float  #: From the ray's origin [m].


@dataclasses.dataclass(frozen=True)
class Contact:
    """A cloth and what it touches in the last frame. One per pair, however many points touch."""

    phase: str  #: "begin", "stay" or "end".
    cloth: Cloth  #: Of two cloths the one that was added first.
    other: Optional[Cloth]  #: The other cloth, or the same one when it touches itself; None for a collider.
    collider: Optional[Collider]  #: None for cloth.
    points: int  #: Places that touch now.
    point: Triple  #: Mean of them [m].
    normal: Triple  #: Mean direction in which the first cloth is pushed; unit length, or 0.
