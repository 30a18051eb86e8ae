"""The same square of several fabrics over a ball, drawn by the engine, and how much of the floor each covers."""
import numpy as np
from _plots import plt, quick, save

import selvage

FABRICS = ["silk-habotai", "cotton-jersey", "wool-suiting", "denim", "felt", "leather"]
LEVEL = (-np.sqrt(0.5), 0, 0, np.sqrt(0.5))


def covered(cloth):
    """Area of the cloth seen from above [m2], counted on a raster."""
    grid = np.zeros((400, 400), dtype=bool)
    x = cloth.positions[cloth.triangles]  # (m, 3, 3)
    for u in np.linspace(0, 1, 12):  # points of every triangle, dense enough for the raster
        for v in np.linspace(0, 1 - u, 12):
            p = (1 - u - v) * x[:, 0] + u * x[:, 1] + v * x[:, 2]
            at = ((p[:, [0, 2]] + 0.5) * 400).astype(int)
            grid[at[:, 0].clip(0, 399), at[:, 1].clip(0, 399)] = True
    return grid.sum() / 160000


figure, axes = plt.subplots(2, 3, figsize=(12, 7.4))
for axis, fabric in zip(axes.flat, FABRICS[:1] if quick else FABRICS):
    world = selvage.World(threads=0)
    world.add_sphere(0.15, position=(0, 0.3, 0), friction=0.5)
    world.add_plane()
    cloth = world.add_grid((0.6, 0.6), (31, 31), rotation=LEVEL, position=(0, 0.46, 0), fabric=fabric,
                           velocity_damping=1.0)
    world.run(0.2 if quick else 1.5)
    axis.imshow(world.render(480, 400, eye=(0.55, 0.75, 0.95), target=(0, 0.25, 0)))
    axis.set_title(f"{fabric}: {1e4 * covered(cloth):.0f} cm² of 3600 seen from above", fontsize=10)
    axis.axis("off")
save(figure, "fabrics_over_a_ball.png")
