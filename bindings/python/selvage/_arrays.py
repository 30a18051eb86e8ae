"""Turns what users hand in into arrays that the engine takes, and says plainly where that cannot be."""
from __future__ import annotations

from typing import Any, Optional, Tuple

import numpy as np
import numpy.typing as npt

from . import _selvage

Numbers = npt.NDArray[np.float64]
Indices = npt.NDArray[np.int32]
Triple = Tuple[float, float, float]
Quaternion = Tuple[float, float, float, float]


def _array(value: npt.ArrayLike, kinds: str, expected: str, what: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except ValueError:  # rows of different lengths
        raise _selvage.ArgumentError(f"{what}: found rows of different lengths; expected a plain array") from None
    if array.dtype.kind not in kinds and array.size > 0:
        raise TypeError(f"{what}: found an array of dtype {array.dtype}; expected {expected}")
    return array


def _check_shape(array: npt.NDArray[Any], columns: int, what: str) -> None:
    if array.ndim == 2 and array.shape[1] == columns:
        return
    hint = ""
    if array.ndim == 2 and array.shape[0] == columns:
        hint = "; it may be transposed"
    elif array.ndim == 1 and array.size % columns == 0 and array.size > 0:
        hint = f"; reshape(-1, {columns}) may be what is meant"
    raise _selvage.ArgumentError(f"{what}: found shape {array.shape}; expected (n, {columns}){hint}")


def rows(value: npt.ArrayLike, columns: int, what: str) -> Numbers:
    """Real numbers, so many per row. Any memory order will do: values are read by index."""
    array = _array(value, "fiu", "real numbers", what)
    _check_shape(array, columns, what)
    return np.ascontiguousarray(array, dtype=np.float64)


def optional_rows(value: Optional[npt.ArrayLike], columns: int, what: str) -> Optional[Numbers]:
    return None if value is None else rows(value, columns, what)


def _int32(array: npt.NDArray[Any], what: str) -> Indices:
    limit = np.iinfo(np.int32)
    if array.size > 0 and (array.min() < limit.min or array.max() > limit.max):
        raise _selvage.ArgumentError(
            f"{what}: found {array.min()} to {array.max()}; expected numbers that fit into 32 bits")
    return np.ascontiguousarray(array, dtype=np.int32)


def triangles(value: npt.ArrayLike, what: str = "triangles") -> Indices:
    array = _array(value, "iu", "whole numbers", what)
    _check_shape(array, 3, what)
    return _int32(array, what)


def vertices(value: npt.ArrayLike, what: str = "vertices") -> Indices:
    """A list of vertex numbers; a single one counts as a list."""
    array = np.atleast_1d(_array(value, "iu", "whole numbers", what))
    if array.ndim != 1:
        raise _selvage.ArgumentError(f"{what}: found shape {array.shape}; expected (n,)")
    return _int32(array, what)


def triple(value: npt.ArrayLike, what: str) -> Triple:
    array = _array(value, "fiu", "three real numbers", what)
    if array.shape != (3,):
        raise _selvage.ArgumentError(f"{what}: found shape {array.shape}; expected three numbers")
    return float(array[0]), float(array[1]), float(array[2])


def quaternion(value: npt.ArrayLike, what: str = "rotation") -> Quaternion:
    array = _array(value, "fiu", "four real numbers", what)
    if array.shape != (4,):
        raise _selvage.ArgumentError(f"{what}: found shape {array.shape}; expected a quaternion (x, y, z, w)")
    return float(array[0]), float(array[1]), float(array[2]), float(array[3])
