"""Real-time cloth: worlds of cloths and colliders, simulated by the Selvage engine.

    import selvage

    world = selvage.World()
    world.add_sphere(0.25, position=(0, -0.4, 0))
    cloth = world.add_grid((1, 1), (33, 33), fabric="linen", pins="top-left,top-right")
    world.run(2.0)
    print(cloth.positions.mean(axis=0), f"{world.state_hash:016x}")

Units are SI: metres, seconds, kilograms. Coordinates are right-handed. Results do not depend on threads or machines."""
from ._catalog import Material, Solver, fabric, fabrics, scene, scenes, solvers
from ._lab import checks, compare, validate
from ._objects import Attachment, Cloth, Collider, Contact, Grab, Hit
from ._selvage import (ArgumentError, BusyError, DataError, DivergedError, Error, FileError, HandleError, InternalError,
                       OutOfMemoryError)
from ._selvage import version as _version
from ._world import Advance, Air, Statistics, World

__version__ = _version()

__all__ = [
    "Advance", "Air", "ArgumentError", "Attachment", "BusyError", "Cloth", "Collider", "Contact", "DataError",
    "DivergedError", "Error", "FileError", "Grab", "HandleError", "Hit", "InternalError", "Material",
    "OutOfMemoryError", "Solver", "Statistics", "World", "checks", "compare", "fabric", "fabrics", "scene", "scenes",
    "solvers", "validate"
]
