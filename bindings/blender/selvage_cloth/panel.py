"""The panel in the sidebar of the 3D viewport."""
import bpy

from . import engine


class SELVAGE_PT_cloth(bpy.types.Panel):
    bl_label = "Selvage cloth"
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Selvage"

    def draw(self, context):
        layout = self.layout
        layout.use_property_split = True
        obj = context.object
        if obj is None or obj.type != "MESH":
            layout.label(text="Select a mesh", icon="INFO")
            return
        try:
            engine.load()
        except ImportError as error:
            for line in str(error).split("; "):
                layout.label(text=line, icon="ERROR")
            return
        chosen = obj.selvage_cloth
        layout.prop(chosen, "fabric")
        layout.prop_search(chosen, "pin_group", obj, "vertex_groups")
        layout.prop(chosen, "colliders")
        layout.prop(chosen, "friction")
        layout.prop(chosen, "self_collision")
        layout.prop(chosen, "quality")
        frames = layout.column(align=True)
        frames.prop(chosen, "frame_start")
        frames.prop(chosen, "frame_end")
        layout.prop(chosen, "sewing_frames")
        layout.prop(chosen, "target")
        layout.prop(chosen, "folder")
        row = layout.row(align=True)
        row.operator("selvage.drape", icon="MOD_CLOTH")
        row.operator("selvage.clear", text="", icon="X")
        if chosen.state_hash:
            layout.label(text=f"Baked: {chosen.state_hash}")
