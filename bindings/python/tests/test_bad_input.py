"""Everything wrong is answered by an exception that says what was found, and nothing changes."""
import numpy as np
import pytest

import selvage

POINTS = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 1, 0]], dtype=float)
FACES = np.array([[0, 1, 2], [1, 3, 2]])


@pytest.fixture
def world():
    return selvage.World()


@pytest.fixture
def cloth(world):
    return world.add_grid((1, 1), (5, 5), pins="top")


@pytest.mark.parametrize("points, faces, error, text", [
    (POINTS.astype(complex), FACES, TypeError, "positions: found an array of dtype complex128; expected real numbers"),
    (np.array([["a", "b", "c"]]), FACES, TypeError, "positions: found an array of dtype <U1"),
    (POINTS.astype(bool), FACES, TypeError, "positions: found an array of dtype bool"),
    (np.array([None, None]), FACES, TypeError, "positions: found an array of dtype object"),
    ([[0, 0, 0], [1, 0]], FACES, (TypeError, ValueError), "positions"),
    (POINTS.T, FACES, ValueError, r"positions: found shape \(3, 4\); expected \(n, 3\); it may be transposed"),
    (POINTS.ravel(), FACES, ValueError, r"positions: found shape \(12,\); expected \(n, 3\); reshape"),
    (POINTS[None], FACES, ValueError, r"positions: found shape \(1, 4, 3\)"),
    (7.0, FACES, ValueError, r"positions: found shape \(\)"),
    (POINTS, FACES.astype(float), TypeError, "triangles: found an array of dtype float64; expected whole numbers"),
    (POINTS, FACES[:, :2], ValueError, r"triangles: found shape \(2, 2\); expected \(n, 3\)"),
    (POINTS, [[0, 1, 4]], ValueError, "4"),
    (POINTS, [[0, 1, -1]], ValueError, "-1"),
    (POINTS, [[0, 1, 2**40]], ValueError, "fit into 32 bits"),
    (POINTS, np.zeros((0, 3), dtype=int), ValueError, ""),
    (np.zeros((0, 3)), FACES, ValueError, ""),
    (np.where(POINTS == 1, np.nan, POINTS), FACES, ValueError, "vertex 1 is not finite"),
    (np.where(POINTS == 1, np.inf, POINTS), FACES, ValueError, "vertex 1 is not finite"),
])
def test_meshes_that_cannot_be(world, points, faces, error, text):
    with pytest.raises(error, match=text):
        world.add_cloth(points, faces)
    assert world.cloths == []
    with pytest.raises(error):
        world.add_mesh(points, faces)
    assert world.colliders == []


def test_memory_order_and_precision_do_not_matter():
    grid = selvage.World().add_grid((1, 1), (9, 9))
    points, faces = grid.positions.astype(np.float32), grid.triangles
    hashes = set()
    wide = np.zeros((len(points), 6), dtype=np.float32)
    wide[:, ::2] = points
    for x, t in ((points, faces), (np.asfortranarray(points), np.asfortranarray(faces)), (wide[:, ::2], faces),
                 (points.astype(np.float64).tolist(), faces.astype(np.uint16)), (points.astype(">f4"), faces)):
        world = selvage.World()
        world.add_cloth(x, t, pins=[0])
        world.step(3)
        hashes.add(world.state_hash)
    assert len(hashes) == 1


@pytest.mark.parametrize("options, text", [
    ({"rest_positions": POINTS[:3]}, "rest_positions: found 3 rows; expected 4"),
    ({"uv": POINTS[:3, :2]}, "uv: found 3 rows; expected 4"),
    ({"uv": POINTS}, r"uv: found shape \(4, 3\); expected \(n, 2\)"),
    ({"pins": [4]}, "4"),
    ({"pins": [-1]}, "-1"),
    ({"pins": "top"}, "top"),
    ({"pins": [[0, 1]]}, r"pins: found shape \(1, 2\)"),
    ({"fabric": "denim2"}, "denim"),
    ({"position": (0, 0)}, r"position: found shape \(2,\); expected three numbers"),
    ({"position": (0, np.nan, 0)}, "nan"),
    ({"rotation": (0, 0, 0, 0)}, ""),
    ({"rotation": (0, 0, 1)}, "quaternion"),
    ({"velocity": (1e9, 0, 0)}, "velocity"),
    ({"contact_distance": -1.0}, "contact_distance"),
])
def test_cloths_that_cannot_be(world, options, text):
    with pytest.raises(selvage.Error, match=text):
        world.add_cloth(POINTS, FACES, **options)
    assert world.cloths == []


def test_words_and_types_that_are_wrong(world, cloth):
    with pytest.raises(TypeError):
        world.add_cloth(POINTS, FACES, pins=[0.5])
    with pytest.raises(TypeError):
        world.add_cloth(POINTS, FACES, colour="red")
    with pytest.raises(TypeError, match="material.density: found 'heavy'; expected a number"):
        material = selvage.fabric("denim")
        material.density = "heavy"
        world.add_cloth(POINTS, FACES, material=material)
    with pytest.raises(selvage.Error, match="solver"):
        selvage.World(solver="xpdb")
    with pytest.raises(selvage.Error, match="quality: found 'best'; expected one of: low"):
        selvage.World(quality="best")
    with pytest.raises(selvage.Error, match="sweeps"):
        selvage.World(solver="implicit-jacobi", settings={"sweeps": "many"})
    for wrong in ({"time_step": 0.0}, {"time_step": float("nan")}, {"threads": -1}, {"substeps": -2},
                  {"gravity": (0, float("inf"), 0)}, {"budget_ms": -1.0}):
        with pytest.raises(selvage.Error):
            selvage.World(**wrong)
    with pytest.raises(selvage.Error, match="denim"):
        selvage.fabric("denmi")
    with pytest.raises(TypeError):
        selvage.fabric(3)
    with pytest.raises(selvage.Error, match='no cloth is named "dress"'):
        world.cloth("dress")
    with pytest.raises(selvage.Error, match="frames: found -1"):
        world.step(-1)
    with pytest.raises(TypeError):
        world.step(1.5)
    with pytest.raises(selvage.Error, match="seconds"):
        world.run(float("nan"))


def test_scenes_that_cannot_be(tmp_path):
    for scene, text in (("flagg", "flag"), ("", "empty"), ({"cloths": 3}, "cloths"),
                        ({**selvage.scene("flag"), "dtt": 1}, "dtt.*dt"), (tmp_path / "none.json", "none.json")):
        with pytest.raises(selvage.Error, match=text):
            selvage.World.from_scene(scene)
    with pytest.raises(selvage.Error, match="/gravty"):
        selvage.World.from_scene("flag", set={"/gravty": [0, 0, 0]})
    with pytest.raises(selvage.Error, match="xpdb"):
        selvage.World.from_scene("flag", solver="xpdb")
    with pytest.raises(TypeError):
        selvage.World.from_scene(7)
    with pytest.raises(selvage.Error, match="count"):
        selvage.compare("flag", dt=1 / 60, count=0)
    with pytest.raises(selvage.Error, match="dt: found -1"):
        selvage.compare("flag", dt=-1)


def test_states_pins_and_hands_that_cannot_be(world, cloth):
    before = world.state_hash
    x = cloth.positions
    bad = [
        lambda: cloth.set_state(x[:3]),
        lambda: cloth.set_state(x, x[:3]),
        lambda: cloth.set_state(np.full_like(x, np.nan)),
        lambda: cloth.set_state(x.T),
        lambda: cloth.pin([25]),
        lambda: cloth.pin([-1]),
        lambda: cloth.pin(list(range(25)) * 2),
        lambda: cloth.move_pins([0, 1], x[:1]),
        lambda: cloth.move_pins([0], [[np.inf, 0, 0]]),
        lambda: cloth.unpin([99]),
        lambda: cloth.attach([], (0, 0, 0)),
        lambda: cloth.attach([0], (0, 0, 0), (0, 0, 0, 0)),
        lambda: cloth.grab(32),
        lambda: cloth.grab(0, (1, 1, 1)),
        lambda: cloth.group("hem"),
        lambda: cloth.teleport((np.nan, 0, 0)),
        lambda: world.pick((0, 0, 0), (0, 0, 0)),
        lambda: world.render(8, 8),
        lambda: world.render(64, 64, eye=(0, 0, 0)),
        lambda: world.render(64, 64, eye=(0, 0, 0), target=(0, 0, 0)),
        lambda: world.render(64, 64, show=["nothing"]),
        lambda: world.render(64, 64, environment="none.hdr"),
        lambda: world.add_sphere(-1.0),
        lambda: world.add_ground([0, 1], (1, 1)),
        lambda: world.add_ground([[0, np.nan], [0, 0]], (1, 1)),
        lambda: world.add_cloth_file("none.obj"),
        lambda: world.add_cloth_json({"mesh": {"gird": {}}}),
        lambda: selvage.World().render(64, 64),
    ]
    for call in bad:
        with pytest.raises(selvage.Error) as caught:
            call()
        assert str(caught.value)
    assert world.state_hash == before and world.cloths == [cloth] and world.colliders == []
    with pytest.raises(TypeError):
        cloth.grab(0.5)
    with pytest.raises(TypeError):
        cloth.pin(["a"])


def test_what_is_gone_is_answered(world, cloth):
    ball = world.add_sphere(0.1, position=(9, 0, 0))
    grab, bone = cloth.grab(0), cloth.attach([0], (0, 0, 0))
    cloth.remove()
    ball.remove()
    for call in (lambda: cloth.positions, lambda: cloth.velocities, lambda: cloth.normals, lambda: cloth.triangles,
                 lambda: cloth.pattern, lambda: cloth.name, cloth.remove, cloth.wake, lambda: cloth.pin([0]),
                 lambda: grab.position, grab.release, bone.remove, lambda: ball.pose, ball.remove):
        with pytest.raises(selvage.HandleError, match="gone"):
            call()
    world.close()
    for call in (world.step, lambda: world.time, lambda: world.cloths, world.close, world.snapshot,
                 lambda: world.add_sphere(1.0), lambda: world.render(64, 64)):
        with pytest.raises(selvage.HandleError):
            call()
    with selvage.World() as short:
        short.step()
    with pytest.raises(selvage.HandleError):
        short.step()


def test_divergence_is_raised_and_reset_mends_it():
    world = selvage.World(solver="explicit", substeps=1)
    cloth = world.add_grid((1, 1), (17, 17), pins="top")
    with pytest.raises(selvage.DivergedError) as caught:
        world.step(200)
    assert isinstance(caught.value, ArithmeticError) and np.all(np.isfinite(cloth.positions))
    cloth.reset()
    world.set_solver("multilevel")
    world.step(3)


def test_handles_never_crash_the_module():
    """The extension itself, without the package's checks around it."""
    from selvage import _selvage
    import random
    numbers = random.Random(3)
    calls = [getattr(_selvage, name) for name in dir(_selvage)
             if name.split("_")[0] in ("world", "cloth", "collider", "grab", "attachment")]
    world = selvage.World()
    cloth = world.add_grid((1, 1), (3, 3))
    alive = [world.handle, cloth.handle, world.add_sphere(1.0, position=(9, 9, 9)).handle]
    for _ in range(2000):
        call = numbers.choice(calls)
        arguments = [numbers.choice([*alive, *alive, 0, 1, -1, 2**63, 1.5, None, "x", b"", (0, 0, 0), (0, 0, 0, 1),
                                     True, np.zeros((3, 3)), np.zeros((0,), dtype=np.int32), np.zeros((2, 3), order="F")])
                     for _ in range(numbers.randrange(4))]
        try:
            call(*arguments)
        except (TypeError, ValueError, IndexError, selvage.Error):
            pass
