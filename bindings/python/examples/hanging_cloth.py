"""A sheet held by two corners: what it does over time, recorded by a callback, and a picture of its end."""
import numpy as np
from _plots import plt, quick, save

import selvage

world = selvage.World(threads=0)
world.air = selvage.Air()
cloth = world.add_grid((1.0, 1.0), (33, 33), rotation=(-np.sqrt(0.5), 0, 0, np.sqrt(0.5)), fabric="linen",
                       pins="top-left,top-right")
mass = selvage.fabric("linen").density / len(cloth.positions)  # of one square metre, shared by the vertices [kg]
times, kinetic, lowest, stretch = [], [], [], []


@world.on_step
def record(world):
    times.append(world.time)
    kinetic.append(0.5 * mass * (cloth.velocities ** 2).sum())
    lowest.append(cloth.positions[:, 1].min())
    stretch.append(100 * world.statistics.max_stretch)


world.run(0.5 if quick else 5.0)

figure, axes = plt.subplots(2, 2, figsize=(10, 7))
for axis, values, label in ((axes[0, 0], kinetic, "kinetic energy [J]"), (axes[0, 1], lowest, "lowest point [m]"),
                            (axes[1, 0], stretch, "largest stretch [%]")):
    axis.plot(times, values)
    axis.set(xlabel="time [s]", ylabel=label)
    axis.grid(alpha=0.3)
axes[1, 1].imshow(world.render(480, 320))
axes[1, 1].set_title(f"after {world.time:.1f} s")
axes[1, 1].axis("off")
save(figure, "hanging_cloth.png")
