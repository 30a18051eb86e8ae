"""Run by Blender with a window: presses Drape as a user does, cancels one bake by Esc, and saves pictures.

    blender --factory-startup --enable-event-simulate --python window.py -- ADDON_FOLDER PICTURES"""
import os
import pathlib
import sys
import traceback

import bpy
import numpy as np

ADDON, PICTURES = sys.argv[sys.argv.index("--") + 1:]
sys.path.insert(0, ADDON)
import selvage_cloth  # noqa: E402


def build():
    selvage_cloth.register()
    for obj in list(bpy.data.objects):
        bpy.data.objects.remove(obj)
    bodies = bpy.data.collections.new("bodies")
    bpy.context.scene.collection.children.link(bodies)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.3, segments=48, ring_count=24)
    ball = bpy.context.object
    ball.users_collection[0].objects.unlink(ball)
    bodies.objects.link(ball)
    bpy.ops.mesh.primitive_grid_add(x_subdivisions=50, y_subdivisions=50, size=1.2, location=(0, 0, 0.35))
    cloth = bpy.context.object
    cloth.name = "Tablecloth"
    for face in cloth.data.polygons:
        face.use_smooth = True
    chosen = cloth.selvage_cloth
    chosen.fabric, chosen.colliders, chosen.frame_end, chosen.quality = "linen", bodies, 30, "low"
    return cloth


def view():
    window = bpy.context.window_manager.windows[0]
    area = next(area for area in window.screen.areas if area.type == "VIEW_3D")
    return window, area, next(region for region in area.regions if region.type == "WINDOW")


def show_sidebar():
    window, area, _ = view()
    space = area.spaces.active
    space.show_region_ui = True
    space.shading.type = "SOLID"
    space.region_3d.view_distance = 2.6
    space.region_3d.view_location = (0, 0, 0.05)


def press_drape():
    window, area, region = view()
    with bpy.context.temp_override(window=window, area=area, region=region):
        assert bpy.ops.selvage.drape("INVOKE_DEFAULT") == {"RUNNING_MODAL"}


def picture(name):
    window, area, region = view()
    with bpy.context.temp_override(window=window, area=area, region=region):
        bpy.ops.screen.screenshot(filepath=str(pathlib.Path(PICTURES) / name))


def work():
    """Yields how long to wait before the next act."""
    cloth = build()
    show_sidebar()
    yield 1.0
    window = view()[0]
    sidebar = next(region for region in view()[1].regions if region.type == "UI")
    x, y = sidebar.x + sidebar.width - 12, sidebar.y + sidebar.height - 170  # the fourth tab
    window.event_simulate(type="MOUSEMOVE", value="NOTHING", x=x, y=y)
    yield 0.3
    window.event_simulate(type="LEFTMOUSE", value="PRESS", x=x, y=y)
    window.event_simulate(type="LEFTMOUSE", value="RELEASE", x=x, y=y)
    yield 1.0
    press_drape()
    yield 0.3
    window.event_simulate(type="ESC", value="PRESS", x=window.width // 2, y=window.height // 2)
    yield 0.5
    assert not cloth.modifiers and cloth.selvage_cloth.state_hash == "", "Esc has not cancelled"
    press_drape()
    for tick in range(600):
        yield 0.1
        if tick == 12:
            picture("blender-progress.png")
        if cloth.modifiers:
            break
    assert cloth.modifiers["Selvage"].type == "MESH_CACHE"
    bpy.context.scene.frame_set(30)
    yield 1.0
    picture("blender-drape.png")
    cloth = bpy.data.objects["Tablecloth"]
    print("drawn: cancelled by Esc, then baked", cloth.selvage_cloth.state_hash)


acts = None


def act():
    global acts
    try:
        if acts is None:
            acts = work()
        return next(acts)
    except StopIteration:
        code = 0
    except Exception:
        traceback.print_exc()
        code = 1
    sys.stdout.flush()
    os._exit(code)


bpy.context.preferences.view.show_splash = False
bpy.app.timers.register(act, first_interval=1.5)
