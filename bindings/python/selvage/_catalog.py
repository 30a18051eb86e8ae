"""What is built in: scenes, fabrics and solvers."""
from __future__ import annotations

import dataclasses
import json
import os
from typing import Any, Dict, List, Mapping, Optional, Union

from . import _selvage

SceneLike = Union[str, "os.PathLike[str]", Mapping[str, Any]]


@dataclasses.dataclass
class Material:
    """A fabric in SI units per area of cloth. Start from `fabric(name)` and change what you like."""

    density: float  #: Mass per area [kg/m2].
    thickness: float  #: [m].
    stretch_warp: float  #: Tension per width and strain along the warp [N/m].
    stretch_weft: float  #: The same along the weft [N/m].
    shear: float  #: Shear force per width and shear angle [N/m].
    bend_warp: float  #: Bending moment per width and curvature along the warp [N m].
    bend_weft: float  #: The same along the weft [N m].
    bend_bias: float  #: The same at 45 degrees [N m]; 0: follows from the other two.
    damping: float  #: Damping force per rate, in units of the elastic stiffness [s].
    friction: float  #: Coulomb coefficient, cloth on cloth.

    def _numbers(self) -> Dict[str, float]:
        numbers = {}
        for field in dataclasses.fields(self):
            value = getattr(self, field.name)
            if isinstance(value, bool) or not isinstance(value, (int, float)):
                raise TypeError(f"material.{field.name}: found {value!r}; expected a number")
            numbers[field.name] = float(value)
        return numbers


@dataclasses.dataclass(frozen=True)
class Solver:
    """A method of simulation."""

    name: str  #: The same in scene files, flags and documentation.
    summary: str  #: One line about it.
    settings: Dict[str, Any]  #: Its settings with their defaults, without "type".
    substeps: int  #: Solver steps per frame where nobody says otherwise.


def scenes() -> Dict[str, str]:
    """The built-in scenes: a line about each by its name."""
    return dict(_selvage.scenes())


def scene(scene: SceneLike, *, set: Optional[Mapping[str, Any]] = None) -> Dict[str, Any]:
    """A scene with every key spelled out, as a start for your own; `World.from_scene` takes it back.

    `scene` is a built-in name, the path of a scene file or a scene as a dictionary. `set` changes values in it by JSON
    pointer, as `--set` of the command line program does: `{"/air/wind/velocity": [8, 0, 0]}`."""
    loaded: Dict[str, Any] = json.loads(load(scene, set).json())
    return loaded


def fabrics() -> List[str]:
    """Names of the built-in fabrics."""
    return _selvage.fabrics()


def fabric(name: Union[str, "os.PathLike[str]"]) -> Material:
    """The numbers of a fabric, by built-in name or by the path of a fabric file."""
    return Material(**_selvage.fabric(os.fspath(name)))


def solvers() -> List[Solver]:
    """All solvers, in the order in which the program lists them."""
    found = []
    for name, summary, settings, substeps in _selvage.solvers():
        values = json.loads(settings)
        values.pop("type", None)
        found.append(Solver(name, summary, values, substeps))
    return found


def load(scene: SceneLike, set: Optional[Mapping[str, Any]] = None, solver: Optional[str] = None,
         dt: Optional[float] = None, directory: Union[str, "os.PathLike[str]"] = "") -> _selvage.Scene:
    """A scene with changes, in the order in which the program's flags apply: solver and step first, `set` last."""
    text = json.dumps(scene) if isinstance(scene, Mapping) else os.fspath(scene)
    overrides = []
    if solver is not None:
        plain = json.loads(_selvage.load_scene(text, [], os.fspath(directory)).json())
        if plain["solver"]["type"] != solver:
            overrides.append("/solver=" + json.dumps({"type": solver}))
    if dt is not None:
        overrides += [f"/dt={dt!r}", "/substeps=1"]
    for pointer, value in (set or {}).items():
        overrides.append(f"{pointer}={json.dumps(value)}")
    return _selvage.load_scene(text, overrides, os.fspath(directory))
