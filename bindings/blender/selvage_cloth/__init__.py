"""Selvage for Blender: select a mesh, press Drape, and get a baked cloth."""
bl_info = {
    "name": "Selvage cloth",
    "author": "The Selvage authors",
    "version": (0, 2, 0),
    "blender": (3, 4, 0),
    "location": "3D Viewport > Sidebar > Selvage",
    "description": "Drapes meshes with the Selvage cloth engine and bakes them to a mesh cache or to shape keys",
    "category": "Physics",
}

import bpy

from . import operators, panel, settings

CLASSES = (settings.SelvageClothSettings, operators.SELVAGE_OT_drape, operators.SELVAGE_OT_clear,
           panel.SELVAGE_PT_cloth)


def register():
    for cls in CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.selvage_cloth = bpy.props.PointerProperty(type=settings.SelvageClothSettings)


def unregister():
    del bpy.types.Object.selvage_cloth
    for cls in reversed(CLASSES):
        bpy.utils.unregister_class(cls)
