"""Drape and Clear."""
import bpy

from . import bake, engine
from .meshes import MeshError


class SELVAGE_OT_drape(bpy.types.Operator):
    """Drape the active mesh over its colliders and bake the motion; Esc cancels"""
    bl_idname = "selvage.drape"
    bl_label = "Drape"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        """All at once: for scripts, and without a window."""
        if not self.start(context):
            return {"CANCELLED"}
        while self.work is not None:
            self.advance()
        return self.result

    def invoke(self, context, _event):
        if not self.start(context):
            return {"CANCELLED"}
        manager = context.window_manager
        manager.progress_begin(0, 100)
        self.timer = manager.event_timer_add(0.001, window=context.window)
        manager.modal_handler_add(self)
        return {"RUNNING_MODAL"}

    def modal(self, context, event):
        if event.type == "ESC":
            self.work.close()  # puts everything back, and removes what was written
            self.report({"INFO"}, "Selvage: cancelled; nothing has changed")
            return self.leave(context, {"CANCELLED"})
        if event.type == "TIMER":
            fraction, text = self.advance()
            if self.work is None:
                return self.leave(context, self.result)
            context.window_manager.progress_update(100 * fraction)
            context.workspace.status_text_set(f"Selvage: {text}, {100 * fraction:.0f} %; Esc cancels")
        return {"RUNNING_MODAL"}

    def leave(self, context, result):
        context.window_manager.event_timer_remove(self.timer)
        context.window_manager.progress_end()
        context.workspace.status_text_set(None)
        return result

    def start(self, context):
        try:
            self.bake = bake.Bake(context, context.object)
        except (MeshError, ImportError) as error:
            self.report({"ERROR"}, f"Selvage: {error}")
            return False
        self.work = self.bake.run()
        return True

    def advance(self):
        """One step of the work; `work` is None and `result` set when it has ended."""
        try:
            return next(self.work)
        except StopIteration:
            self.result = {"FINISHED"}
            self.report({"INFO"}, f"Selvage: baked {len(self.bake.baked)} frames to {self.bake.folder}")
        except (MeshError, OSError, engine.load().Error) as error:
            self.result = {"CANCELLED"}
            self.report({"ERROR"}, f"Selvage: {error}; nothing has changed")
        except ReferenceError:  # Blender's word for what is gone
            self.result = {"CANCELLED"}
            self.report({"ERROR"}, "Selvage: the object or a collider was deleted during the bake; nothing has changed")
        for note in self.bake.notes:
            self.report({"WARNING"}, f"Selvage: {note}")
        self.work = None
        return 1.0, ""


class SELVAGE_OT_clear(bpy.types.Operator):
    """Take the baked motion off the active mesh; files stay"""
    bl_idname = "selvage.clear"
    bl_label = "Clear"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return context.object is not None and context.object.type == "MESH"

    def execute(self, context):
        if not bake.clear(context.object):
            self.report({"WARNING"}, f'Selvage: "{context.object.name}" has no bake')
            return {"CANCELLED"}
        return {"FINISHED"}
