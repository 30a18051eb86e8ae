"""What a user chooses for a cloth; saved with the object in the .blend file."""
import bpy

from . import engine

QUALITIES = [("low", "Low", "Fast, for looking"), ("default", "Standard", "For previews"),
             ("high", "High", "For final frames")]
TARGETS = [("PC2", "Mesh cache", "A .pc2 file that a Mesh Cache modifier plays"),
           ("SHAPE_KEYS", "Shape keys", "A shape key per frame, kept in the .blend file")]
_fabric_items = []  # Blender keeps no copy of the texts of a list that a function gives


def fabric_items(_settings, _context):
    if not _fabric_items:
        _fabric_items.extend((name, name.replace("-", " ").capitalize(), "") for name in engine.fabrics())
    return _fabric_items or [("cotton-poplin", "Cotton poplin", "")]


class SelvageClothSettings(bpy.types.PropertyGroup):
    fabric: bpy.props.EnumProperty(name="Fabric", items=fabric_items, description="How heavy, stiff and rough it is")
    pin_group: bpy.props.StringProperty(
        name="Pins", description="Vertex group that stays where it is; vertices with a weight of at least 0.5 count")
    colliders: bpy.props.PointerProperty(
        name="Colliders", type=bpy.types.Collection,
        description="Collection whose meshes cloth cannot pass; they may move and deform")
    friction: bpy.props.FloatProperty(name="Friction", default=0.4, min=0.0, max=10.0, description="On colliders")
    quality: bpy.props.EnumProperty(name="Quality", items=QUALITIES, default="default")
    self_collision: bpy.props.BoolProperty(name="Self collision", default=True,
                                           description="Keep the cloth off itself")
    frame_start: bpy.props.IntProperty(name="From", default=1)
    frame_end: bpy.props.IntProperty(name="To", default=60)
    sewing_frames: bpy.props.IntProperty(
        name="Sewing", default=20, min=1,
        description="Frames in which sewing edges, those without a face, draw panels together before they drape")
    target: bpy.props.EnumProperty(name="Bake to", items=TARGETS, default="PC2")
    folder: bpy.props.StringProperty(name="Folder", subtype="DIR_PATH", default="//selvage",
                                     description="Where scene and cache are written")
    state_hash: bpy.props.StringProperty(name="State hash", description="Of the last bake: equal for equal bakes")
