"""Blender's meshes as arrays, with complaints that name what is wrong and where."""
import dataclasses

import numpy as np


class MeshError(Exception):
    """A mesh that cannot be draped."""


@dataclasses.dataclass
class Panels:
    """What is simulated of a mesh: the vertices that belong to faces, in the order of the mesh."""

    vertices: np.ndarray  #: Of the mesh, in the order in which they are simulated.
    triangles: np.ndarray  #: (m, 3) into `vertices`.
    sewing: np.ndarray  #: (k, 2) into `vertices`: pairs to be drawn together.
    vertex_count: int  #: Of the mesh.
    notes: list  #: What the user should know.


def coordinates(mesh):
    points = np.empty(3 * len(mesh.vertices), dtype=np.float32)
    mesh.vertices.foreach_get("co", points)
    return points.reshape(-1, 3)


def transformed(points, matrix):
    """Points by a matrix of Blender's, in double precision; unchanged, to the last bit, by one that does nothing."""
    m = np.array(matrix, dtype=np.float64)
    points = np.asarray(points, dtype=np.float64)
    if np.array_equal(m, np.eye(4)):
        return points
    return points @ m[:3, :3].T + m[:3, 3]


def triangles_of(mesh):
    mesh.calc_loop_triangles()
    corners = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("vertices", corners)
    return corners.reshape(-1, 3)


def texture_of(mesh):
    """Points of the active UV map and the three that every triangle uses, or (None, None): it says how threads run."""
    layer = mesh.uv_layers.active
    if layer is None:
        return None, None
    uv = np.empty(2 * len(layer.data), dtype=np.float32)
    layer.data.foreach_get("uv", uv)
    mesh.calc_loop_triangles()
    loops = np.empty(3 * len(mesh.loop_triangles), dtype=np.int32)
    mesh.loop_triangles.foreach_get("loops", loops)
    vertices = np.empty(len(mesh.loops), dtype=np.int32)
    mesh.loops.foreach_get("vertex_index", vertices)
    # Corners of one vertex at one place are one point: else every edge would be a seam.
    corners = np.column_stack([vertices, uv.reshape(-1, 2)])
    unique, number = np.unique(corners, axis=0, return_inverse=True)
    return unique[:, 1:], number[loops].reshape(-1, 3)


def read_panels(mesh, name):
    """Faces to simulate and edges to sew; n-gons are divided. Raises MeshError where nothing sensible can be done."""
    if len(mesh.polygons) == 0:
        raise MeshError(f'"{name}" has no faces; expected a mesh to drape')
    notes = []
    sides = np.empty(len(mesh.polygons), dtype=np.int32)
    mesh.polygons.foreach_get("loop_total", sides)
    if ngons := int((sides > 4).sum()):
        worst = int(sides.argmax())
        notes.append(f'"{name}": {ngons} faces have more than 4 corners (face {worst} has {sides[worst]}); they are '
                     "divided into triangles, which fold along their diagonals; remesh for an even drape")
    triangles = triangles_of(mesh)
    used = np.zeros(len(mesh.vertices), dtype=bool)
    used[triangles] = True
    edges = np.empty(2 * len(mesh.edges), dtype=np.int32)
    mesh.edges.foreach_get("vertices", edges)
    loose_flag = np.empty(len(mesh.edges), dtype=bool)
    mesh.edges.foreach_get("is_loose", loose_flag)
    loose = np.flatnonzero(loose_flag)
    sewing = edges.reshape(-1, 2)[loose]
    astray = ~used[sewing].all(axis=1)
    if astray.any():
        edge = int(loose[np.flatnonzero(astray)[0]])
        ends = tuple(int(v) for v in edges.reshape(-1, 2)[edge])
        raise MeshError(f'"{name}": {int(astray.sum())} loose edges lead to vertices without a face (the first is edge '
                        f"{edge}, vertices {ends[0]} and {ends[1]}); expected edges without faces to sew panels "
                        "together; delete the others with Mesh > Clean Up > Delete Loose")
    in_edges = np.zeros(len(mesh.vertices), dtype=bool)
    in_edges[edges] = True
    if alone := int((~used & ~in_edges).sum()):
        notes.append(f'"{name}": {alone} vertices belong to no face; they stay where they are')
    vertices = np.flatnonzero(used)
    number = np.full(len(mesh.vertices), -1, dtype=np.int32)
    number[vertices] = np.arange(len(vertices), dtype=np.int32)
    return Panels(vertices, number[triangles], number[sewing], len(mesh.vertices), notes)


def pinned(obj, group_name, panels):
    """Simulated vertices whose weight in the group is at least a half."""
    if not group_name:
        return []
    group = obj.vertex_groups.get(group_name)
    if group is None:
        names = ", ".join(g.name for g in obj.vertex_groups) or "none"
        raise MeshError(f'"{obj.name}" has no vertex group "{group_name}"; it has: {names}')
    held = []
    for number, vertex in enumerate(panels.vertices):
        for entry in obj.data.vertices[int(vertex)].groups:
            if entry.group == group.index and entry.weight >= 0.5:
                held.append(number)
    if not held:
        raise MeshError(f'no vertex of "{obj.name}" has a weight of 0.5 or more in the group "{group_name}"; assign '
                        "some, or clear the field")
    return held


def check_transform(obj, notes):
    matrix = np.array(obj.matrix_world, dtype=np.float64)[:3, :3]
    if abs(np.linalg.det(matrix)) < 1e-12:
        raise MeshError(f'"{obj.name}" is scaled to nothing along an axis; expected a size')
    scale = obj.matrix_world.to_scale()
    if max(abs(s - 1.0) for s in scale) > 1e-4:
        notes.append(f'"{obj.name}" has a scale of ({scale[0]:.3g}, {scale[1]:.3g}, {scale[2]:.3g}) that is not applied; '
                     "it is draped at the size that it has in the scene")
