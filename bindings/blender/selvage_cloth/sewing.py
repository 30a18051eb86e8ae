"""Sewing edges: panels are drawn together along them, and joined where they meet."""
import numpy as np

from .meshes import MeshError

FLAT = 0.02  # of a panel's size: what it may bulge and still be cut from flat cloth


def groups(count, pairs):
    """The number of each vertex's group: those that pairs connect share the lowest number among them."""
    label = np.arange(count)
    while True:
        low = np.minimum(label[pairs[:, 0]], label[pairs[:, 1]])
        before = label.copy()
        np.minimum.at(label, pairs[:, 0], low)
        np.minimum.at(label, pairs[:, 1], low)
        label = label[label]  # a shortcut through what is known already
        if np.array_equal(label, before):
            return label


def seam_targets(points, sewing):
    """(vertices, where they meet): every vertex of a seam goes to the middle of those it is sewn to."""
    label = groups(len(points), sewing)
    sewn = np.unique(sewing)
    sums = np.zeros_like(points)
    np.add.at(sums, label[sewn], points[sewn])
    count = np.bincount(label[sewn], minlength=len(points))
    return sewn, sums[label[sewn]] / count[label[sewn]][:, None]


def welded(triangles, label, name):
    """Triangles of the joined panels, and for each vertex its number there."""
    _, number = np.unique(label, return_inverse=True)
    joined = number[triangles]
    closed = (joined[:, 0] == joined[:, 1]) | (joined[:, 1] == joined[:, 2]) | (joined[:, 2] == joined[:, 0])
    if closed.any():
        raise MeshError(f'"{name}": sewing edges would join two corners of {int(closed.sum())} faces; expected them to '
                        "lead from the border of one panel to that of another")
    return joined, number


def pattern(points, triangles, up, name):
    """The flat pattern (n, 2) of panels that lie flat: warp along the direction that is nearest to `up`."""
    edges = np.concatenate([triangles[:, :2], triangles[:, 1:]])
    label = groups(len(points), edges)
    uv, left = np.zeros((len(points), 2)), 0.0
    for panel in np.unique(label):
        at = np.flatnonzero(label == panel)
        centred = points[at] - points[at].mean(axis=0)
        _, sizes, axes = np.linalg.svd(centred, full_matrices=False)
        normal = axes[2]
        extent = np.abs(centred).max()
        if np.abs(centred @ normal).max() > FLAT * extent:
            raise MeshError(f'"{name}": the panel of vertex {int(at[0])} is not flat (it bulges by '
                            f"{100 * np.abs(centred @ normal).max() / extent:.0f} % of its size); expected flat panels "
                            "to sew")
        along = up - (up @ normal) * normal
        if np.linalg.norm(along) < 0.1:  # it lies level
            along = axes[0]
        along /= np.linalg.norm(along)
        flat = np.stack([centred @ along, centred @ np.cross(normal, along)], axis=1)
        flat -= flat.min(axis=0)
        uv[at] = flat + [left, 0.0]
        left += flat[:, 0].max() + 0.1  # panels beside each other
    return uv
