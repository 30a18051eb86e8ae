"""A bake, frame by frame: reads the objects, writes a scene, simulates it and gives the result to the object."""
import json
import os
import pathlib
import re
import shutil
import tempfile

import bpy
import numpy as np

from . import engine, files, meshes, sewing
from .meshes import MeshError

MODIFIER = "Selvage"
KEYS = "Selvage "
SUBSTEPS = 4  # the usual number of the solver


class Body:
    """A collider: where its vertices are in every frame."""

    def __init__(self, obj, mesh):
        self.name = obj.name
        self.triangles = meshes.triangles_of(mesh)
        self.frames = []

    def add_frame(self, frame, points):
        if self.frames and len(points) != len(self.frames[0]):
            raise MeshError(f'"{self.name}" has {len(points)} vertices at frame {frame} and {len(self.frames[0])} '
                            "before; expected a collider that keeps its vertices")
        if not np.all(np.isfinite(points)):
            raise MeshError(f'"{self.name}" has vertices at frame {frame} whose places are not finite')
        self.frames.append(points.astype(np.float32))

    def moves(self):
        return any(not np.array_equal(frame, self.frames[0]) for frame in self.frames)


class Bake:
    """`run()` does the work in steps and yields (fraction done, text); `notes` are for the user. Nothing of the user's
    is changed before the last step."""

    def __init__(self, context, obj):
        if obj is None or obj.type != "MESH":
            raise MeshError(f'{"nothing" if obj is None else repr(obj.name)} is selected; expected a mesh')
        if obj.mode != "OBJECT":
            raise MeshError(f'"{obj.name}" is in {obj.mode.lower()} mode; expected object mode')
        self.selvage = engine.load()
        self.context, self.obj, self.chosen = context, obj, obj.selvage_cloth
        self.first, self.last = self.chosen.frame_start, self.chosen.frame_end
        if self.last <= self.first:
            raise MeshError(f"the bake goes from frame {self.first} to {self.last}; expected a later end")
        self.notes = []
        self.panels = meshes.read_panels(obj.data, obj.name)
        self.notes += self.panels.notes
        meshes.check_transform(obj, self.notes)
        self.pins = meshes.pinned(obj, self.chosen.pin_group, self.panels)
        self.seams = sewing.groups(len(self.panels.vertices), self.panels.sewing)
        sewing.welded(self.panels.triangles, self.seams, obj.name)  # complains before the work begins
        self.sewn_frames = min(self.chosen.sewing_frames, self.last - self.first) if len(self.panels.sewing) else 0
        self.folder = self.make_folder()
        self.base = re.sub(r"[^\w.-]+", "_", obj.name) or "cloth"
        render = context.scene.render
        self.fps = render.fps / render.fps_base
        self.steps_per_frame = max(1, int(np.ceil(60.0 / self.fps - 1e-9)))  # steps of a sixtieth of a second at most
        gravity = context.scene.gravity if context.scene.use_gravity else (0.0, 0.0, 0.0)
        self.gravity = np.array(gravity, dtype=np.float64)
        self.bodies, self.matrices, self.baked = {}, [], []

    def make_folder(self):
        chosen = self.chosen.folder
        if chosen.startswith("//") and not bpy.data.filepath:
            self.notes.append("the .blend file is not saved: the cache is in Blender's temporary folder, and gone with "
                              "it")
            chosen = os.path.join(bpy.app.tempdir, chosen[2:])
        folder = pathlib.Path(bpy.path.abspath(chosen))
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise MeshError(f"the folder {folder} cannot be made: {error.strerror}") from None
        if not os.access(folder, os.W_OK):
            raise MeshError(f"the folder {folder} cannot be written to")
        return folder

    # ------------------------------------------------------------------------------------------------------ reading

    def collider_objects(self):
        if self.chosen.colliders is None:
            return []
        found = []
        for obj in self.chosen.colliders.all_objects:
            if obj == self.obj:
                continue
            if obj.type == "MESH":
                found.append(obj)
            else:
                self.notes.append(f'collider "{obj.name}" is no mesh but {obj.type.lower()}; it is left out')
        if not found:
            self.notes.append(f'the collection "{self.chosen.colliders.name}" has no mesh for cloth to meet')
        return found

    def read_frames(self):
        """Where bodies and the object are in every frame, as modifiers and animation have them."""
        scene = self.context.scene
        colliders, before = self.collider_objects(), scene.frame_current
        try:
            for frame in range(self.first, self.last + 1):
                scene.frame_set(frame)
                graph = self.context.evaluated_depsgraph_get()
                self.matrices.append(np.array(self.obj.evaluated_get(graph).matrix_world, dtype=np.float64))
                for obj in colliders:
                    shown = obj.evaluated_get(graph)
                    mesh = shown.to_mesh()
                    if len(mesh.polygons) == 0:
                        raise MeshError(f'collider "{obj.name}" has no faces at frame {frame}')
                    body = self.bodies.setdefault(obj.name, Body(obj, mesh))
                    body.add_frame(frame, meshes.transformed(meshes.coordinates(mesh), shown.matrix_world))
                    shown.to_mesh_clear()
                yield frame
        finally:
            scene.frame_set(before)

    # ---------------------------------------------------------------------------------------------------- simulating

    def solver(self):
        return {"type": "multilevel", "quality": self.chosen.quality}

    def sew(self, points):
        """Draws panels together without their weight; yields after every frame, with where the vertices are."""
        world = self.selvage.World(gravity=(0, 0, 0), time_step=1.0 / (self.fps * self.steps_per_frame),
                                   settings={"quality": self.chosen.quality}, substeps=SUBSTEPS, threads=0)
        seams, targets = sewing.seam_targets(points, self.panels.sewing)
        cloth = world.add_cloth(points, self.panels.triangles, fabric=self.chosen.fabric, self_collision=False,
                                pins=np.union1d(seams, self.pins).astype(np.int32))
        colliders = [world.add_mesh(body.frames[0], body.triangles, friction=self.chosen.friction)
                     for body in self.bodies.values()]
        for frame in range(1, self.sewn_frames + 1):
            for k in range(1, self.steps_per_frame + 1):
                part = k / self.steps_per_frame
                for collider, body in zip(colliders, self.bodies.values()):
                    if body.moves():
                        before, after = body.frames[frame - 1], body.frames[frame]
                        collider.set_vertices(before + part * (after - before))
                t = (frame - 1 + part) / self.sewn_frames
                cloth.move_pins(seams, points[seams] + t * t * (3.0 - 2.0 * t) * (targets - points[seams]))
                world.step()
            yield cloth.positions.copy()

    def write_scene(self, folder, points, sewn, uv):
        """The scene from the first frame of draping on, as the command line program reads it. Returns the number that
        each vertex has there: vertices that are sewn together share one."""
        triangles, number = sewing.welded(self.panels.triangles, self.seams, self.obj.name)
        start = np.zeros((number.max() + 1, 3))
        start[number] = points if sewn is None else sewn
        cloth = {"name": self.obj.name, "mesh": {"file": f"{self.base}-cloth.obj"}, "weld": 0, "rest": "mesh",
                 "fabric": self.chosen.fabric, "self_collision": self.chosen.self_collision}
        if sewn is None:
            texture = meshes.texture_of(self.obj.data)
            files.write_obj(folder / f"{self.base}-cloth.obj", start, triangles, *texture)
        else:
            files.write_obj(folder / f"{self.base}-cloth.obj", start, triangles, uv, self.panels.triangles)
            cloth["rest"] = "uv"
        if self.pins:
            cloth["pins"] = [{"vertices": sorted({int(number[v]) for v in self.pins})}]
        colliders = []
        for k, body in enumerate(self.bodies.values()):
            name, frames = f"{self.base}-body-{k}", body.frames[self.sewn_frames:]
            files.write_obj(folder / f"{name}.obj", frames[0], body.triangles)
            mesh = {"file": f"{name}.obj"}
            if body.moves():
                files.write_pc2(folder / f"{name}.pc2", frames)
                mesh.update(frames=f"{name}.pc2", frames_per_second=self.fps)
            colliders.append({"mesh": mesh, "friction": self.chosen.friction})
        scene = {"name": self.obj.name, "gravity": self.gravity.tolist(),
                 "dt": 1.0 / (self.fps * self.steps_per_frame), "substeps": SUBSTEPS,
                 "seconds": (self.last - self.first - self.sewn_frames) / self.fps or 1.0 / self.fps,
                 "solver": self.solver(), "cloths": [cloth], "colliders": colliders}
        files.write_whole(folder / f"{self.base}-scene.json", json.dumps(scene, indent=1).encode())
        return number

    def run(self):
        frames = self.last - self.first
        for frame in self.read_frames():
            yield 0.2 * (frame - self.first) / frames, f"reading frame {frame}"
        points = meshes.transformed(meshes.coordinates(self.obj.data)[self.panels.vertices], self.matrices[0])
        whole = meshes.transformed(meshes.coordinates(self.obj.data), self.matrices[0])
        self.keep(whole, points)
        sewn = uv = None
        if self.sewn_frames:
            up = -self.gravity if self.gravity.any() else np.array([0.0, 0.0, 1.0])
            uv = sewing.pattern(points, self.panels.triangles, up / np.linalg.norm(up), self.obj.name)
            for done, sewn in enumerate(self.sew(points), 1):
                self.keep(whole, sewn)
                yield 0.2 + 0.8 * done / frames, f"sewing, frame {self.first + done}"
        work = pathlib.Path(tempfile.mkdtemp(prefix=".bake-", dir=self.folder))
        try:
            number = self.write_scene(work, points, sewn, uv)
            world = self.selvage.World.from_scene(work / f"{self.base}-scene.json", threads=0, sleeping=False)
            cloth = world.cloths[0]
            self.notes += [line for line in cloth.warnings.splitlines() if line]
            for done in range(self.sewn_frames + 1, frames + 1):
                world.step(self.steps_per_frame)
                self.keep(whole, cloth.positions[number])
                yield 0.2 + 0.8 * done / frames, f"draping, frame {self.first + done}"
            self.finish(work, f"{world.state_hash:016x}")
        finally:
            shutil.rmtree(work, ignore_errors=True)

    def keep(self, whole, simulated):
        """A frame of all vertices; those without a face stay where they are in the world."""
        everything = whole.copy()
        everything[self.panels.vertices] = simulated
        inverse = np.linalg.inv(self.matrices[len(self.baked)])
        self.baked.append(meshes.transformed(everything, inverse).astype(np.float32))

    # ------------------------------------------------------------------------------------------------------ finishing

    def finish(self, work, state_hash):
        """From here on the user's things change: files go to their places, and the object gets its motion."""
        if self.chosen.target == "PC2":
            files.write_pc2(work / f"{self.base}.pc2", self.baked, self.first)
        for file in work.iterdir():
            os.replace(file, self.folder / file.name)
        clear(self.obj)
        if self.chosen.target == "PC2":
            add_cache(self.obj, self.folder / f"{self.base}.pc2", self.first)
        else:
            add_shape_keys(self.obj, self.baked, self.first)
        self.chosen.state_hash = state_hash


def add_cache(obj, path, first):
    modifier = obj.modifiers.new(MODIFIER, "MESH_CACHE")
    modifier.cache_format = "PC2"
    saved = bpy.data.filepath and pathlib.Path(bpy.data.filepath).parent in path.parents
    modifier.filepath = bpy.path.relpath(str(path)) if saved else str(path)
    modifier.frame_start = first
    modifier.forward_axis, modifier.up_axis = "POS_Y", "POS_Z"
    modifier.interpolation = "NONE"
    while obj.modifiers[0] != modifier:  # what smooths or thickens the cloth comes after it
        obj.modifiers.move(obj.modifiers.find(MODIFIER), obj.modifiers.find(MODIFIER) - 1)


def add_shape_keys(obj, baked, first):
    if obj.data.shape_keys is None:
        obj.shape_key_add(name="Basis", from_mix=False)
    for k, points in enumerate(baked):
        key = obj.shape_key_add(name=f"{KEYS}{first + k}", from_mix=False)
        key.data.foreach_set("co", points.ravel())
        for frame, value in ((first + k - 1, 0.0), (first + k, 1.0), (first + k + 1, 0.0)):
            if first <= frame < first + len(baked):
                key.value = value
                key.keyframe_insert("value", frame=frame)


def clear(obj):
    """Takes a bake off an object; files stay. Returns whether there was one."""
    modifier = obj.modifiers.get(MODIFIER)
    if modifier is not None:
        obj.modifiers.remove(modifier)
    keys = obj.data.shape_keys
    ours = [key for key in keys.key_blocks if key.name.startswith(KEYS)] if keys else []
    if ours and keys.animation_data and keys.animation_data.action:
        curves = keys.animation_data.action.fcurves
        for curve in [c for c in curves if c.data_path.startswith(f'key_blocks["{KEYS}')]:
            curves.remove(curve)
    for key in ours:
        obj.shape_key_remove(key)
    if keys and len(obj.data.shape_keys.key_blocks) == 1 and ours:
        obj.shape_key_clear()
    obj.selvage_cloth.state_hash = ""
    return modifier is not None or bool(ours)
