"""A hanging sheet in a steady wind: the angle at which it flies, for two fabrics."""
import numpy as np
from _plots import plt, quick, save

import selvage

SPEEDS = [0, 4] if quick else [0, 1, 2, 3, 4, 5, 6, 8, 10]


def angle(fabric, speed):
    """Mean angle from the vertical over the last second [degrees]."""
    world = selvage.World(threads=0, sleeping=False)
    world.set_wind((0, 0, speed))
    cloth = world.add_grid((0.5, 0.5), (17, 17), fabric=fabric, pins="top")
    top, below, angles = cloth.group("top"), cloth.group("bottom"), []
    world.run(0.1 if quick else 2.0)
    for _ in range(3 if quick else 60):
        world.step()
        down = cloth.positions[below].mean(axis=0) - cloth.positions[top].mean(axis=0)
        angles.append(np.degrees(np.arctan2(down[2], -down[1])))
    return np.mean(angles), np.std(angles)


figure, axis = plt.subplots(figsize=(7, 4.5))
for fabric in ("polyester-chiffon", "denim"):
    means, spreads = zip(*(angle(fabric, speed) for speed in SPEEDS))
    axis.errorbar(SPEEDS, means, yerr=spreads, marker="o", capsize=3,
                  label=f"{fabric}, {1e3 * selvage.fabric(fabric).density:.0f} g/m²")
axis.set(xlabel="wind [m/s]", ylabel="angle from the vertical [°]", title="Mean and spread over a second")
axis.grid(alpha=0.3)
axis.legend()
save(figure, "wind.png")
