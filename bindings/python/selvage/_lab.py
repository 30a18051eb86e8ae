"""How far runs stray from references, and from answers known beforehand."""
from __future__ import annotations

from typing import Any, Callable, Dict, List, Mapping, Optional

from . import _catalog, _selvage

Progress = Callable[[float], None]


def compare(scene: _catalog.SceneLike, *, dt: float, reference_dt: float = 1 / 30000, check: float = 1 / 30,
            count: int = 18, solver: Optional[str] = None, set: Optional[Mapping[str, Any]] = None, threads: int = 0,
            progress: Optional[Progress] = None) -> Dict[str, Any]:
    """How far a run with steps of `dt` strays from the same run with tiny steps, as `selvage compare` says it.

    Returns `{"solver", "dt", "reference_dt", "checkpoints": [{"index", "time", "E", "S"}, ...]}`, with `count` check
    points `check` seconds apart. `progress` is called with the fraction done. Ctrl-C ends it."""
    if not isinstance(count, int) or not 1 <= count <= 1_000_000:
        raise _selvage.ArgumentError(f"count: found {count!r}; expected 1 to 1000000")
    for name, value in (("dt", dt), ("reference_dt", reference_dt), ("check", check)):
        if not 0.0 < value < 1e6:
            raise _selvage.ArgumentError(f"{name}: found {value!r}; expected a time above 0 [s]")
    loaded = _catalog.load(scene, set, solver)
    return _selvage.compare(loaded, dt, reference_dt, check, count, threads, progress)


def checks() -> List[str]:
    """Names of the checks that `validate` knows."""
    return _selvage.checks()


def validate(only: Optional[str] = None, *, progress: Optional[Progress] = None) -> List[Dict[str, Any]]:
    """Answers known in closed form against ours, as `selvage validate` gives them.

    Returns rows `{"name", "expected", "got", "error", "tolerance", "unit", "pass"}`. `only` is the name of a check, or
    of one row (check/solver). All of them take minutes. `progress` is called with the fraction done."""
    return _selvage.validate(only or "", progress)
