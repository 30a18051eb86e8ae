"""The files of a bake: meshes, vertex caches and the scene, as the command line program reads them too."""
import os
import struct

import numpy as np


def write_whole(path, data):
    """The file appears whole or not at all."""
    part = f"{path}.part"
    try:
        with open(part, "wb") as file:
            file.write(data)
        os.replace(part, path)
    except OSError:
        if os.path.exists(part):
            os.remove(part)
        raise


def write_obj(path, points, triangles, uv=None, uv_triangles=None):
    """`uv` are points of the flat pattern, `uv_triangles` the three that every triangle uses."""
    lines = ["v %.17g %.17g %.17g\n" % tuple(p) for p in np.asarray(points, dtype=np.float64)]
    faces = np.asarray(triangles) + 1
    if uv is None:
        lines += ["f %d %d %d\n" % tuple(t) for t in faces]
    else:
        lines += ["vt %.17g %.17g\n" % tuple(p) for p in uv]
        lines += ["f %d/%d %d/%d %d/%d\n" % (a, i, b, j, c, k)
                  for (a, b, c), (i, j, k) in zip(faces, np.asarray(uv_triangles) + 1)]
    write_whole(path, "".join(lines).encode())


def write_pc2(path, frames, first_frame=0.0):
    """`frames` are arrays (n, 3), one for each frame."""
    data = np.asarray(frames, dtype="<f4")
    header = struct.pack("<12siiffi", b"POINTCACHE2\0", 1, data.shape[1], float(first_frame), 1.0, data.shape[0])
    write_whole(path, header + data.tobytes())


def read_pc2(path):
    with open(path, "rb") as file:
        _, _, points, _, _, frames = struct.unpack("<12siiffi", file.read(32))
        return np.frombuffer(file.read(), dtype="<f4").reshape(frames, points, 3)
