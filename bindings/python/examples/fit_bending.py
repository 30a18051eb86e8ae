"""Finds the bending stiffness of a strip from the silhouette of its drape over an edge.

The silhouette is made here: by another mesh with a stiffness that the fit does not know, and half a millimetre of noise.
In a laboratory it is a photograph's. The fit simulates the strip again and again and lets scipy search for the stiffness
whose silhouette is nearest."""
import numpy as np
from _plots import plt, quick, save
from scipy.optimize import minimize_scalar

import selvage

LENGTH, HELD, WIDTH = 0.25, 0.05, 0.04  # of the strip, of its part on the table [m]
LEVEL = (-np.sqrt(0.5), 0, 0, np.sqrt(0.5))
TRUE = 4.0e-5  # [N m]


def silhouette(stiffness, columns):
    """Side view of the strip at rest: places along it, shape (50, 2) [m]."""
    material = selvage.fabric("cotton-poplin")
    material.bend_warp = material.bend_weft = stiffness
    material.bend_bias = 0.0
    world = selvage.World(quality="high", threads=1, sleeping=False, velocity_damping=6.0)
    cloth = world.add_grid((LENGTH, WIDTH), (columns, 5), rotation=LEVEL, position=(LENGTH / 2, 0, 0),
                           material=material)
    cloth.pin(np.flatnonzero(cloth.positions[:, 0] <= HELD + 1e-9))
    world.run(0.3 if quick else 2.5)
    rows = cloth.positions.reshape(5, columns, 3).mean(axis=0)[:, :2]
    along = np.linspace(0, 1, columns)
    wanted = np.linspace(HELD / LENGTH, 1, 50)
    return np.stack([np.interp(wanted, along, rows[:, k]) for k in range(2)], axis=1)


noise = np.random.default_rng(7).normal(scale=0.0005, size=(50, 2))
measured = silhouette(TRUE, 61) + noise
tried = []


def distance(log_stiffness):
    """Root mean square distance between the two outlines [m]."""
    error = np.sqrt(((silhouette(10 ** log_stiffness, 51) - measured) ** 2).sum(axis=1).mean())
    tried.append((10 ** log_stiffness, error))
    return error


found = minimize_scalar(distance, bounds=(-6, -3), method="bounded", options={"xatol": 0.5 if quick else 0.005})
fitted = 10 ** found.x
print(f"true {TRUE:.3e} N m, fitted {fitted:.3e} N m ({100 * (fitted / TRUE - 1):+.1f} %), "
      f"{len(tried)} simulations, {1e3 * found.fun:.2f} mm from the silhouette")

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5))
left.plot(*(1e3 * measured).T, "k.", label=f"silhouette, {TRUE:.2e} N m and noise")
for stiffness, style in ((1e-6, "C0:"), (1e-3, "C1:")):
    left.plot(*(1e3 * silhouette(stiffness, 51)).T, style, label=f"{stiffness:.0e} N m")
left.plot(*(1e3 * silhouette(fitted, 51)).T, "C3", label=f"fit, {fitted:.2e} N m")
left.set(xlabel="from the wall [mm]", ylabel="height [mm]", title="A strip over an edge, from the side")
left.axis("equal")
left.legend(fontsize=8)
order = np.argsort([stiffness for stiffness, _ in tried])
stiffnesses, errors = np.array(tried)[order].T
right.loglog(stiffnesses, 1e3 * errors, "o-")
right.axvline(TRUE, color="k", linestyle=":", label="true")
right.set(xlabel="bending stiffness [N m]", ylabel="distance from the silhouette [mm]", title="What scipy tried")
right.grid(alpha=0.3, which="both")
right.legend()
save(figure, "fit_bending.png")
