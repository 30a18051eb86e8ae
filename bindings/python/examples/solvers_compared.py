"""Solvers on the same hanging sheet: how far it stretches, and what a frame costs."""
import numpy as np
from _plots import plt, quick, save

import selvage

FOR_STUDY = {"explicit", "harmonic-published"}  # they diverge at steps of this length

names, times, stretches = [], [], []
for solver in selvage.solvers():
    if solver.name in FOR_STUDY:
        continue
    world = selvage.World.from_scene("yard-hang", solver=solver.name, threads=0,
                                     set={"/cloths/0/mesh/grid/vertices": [17, 17]})
    frame_ms = []
    for _ in range(5 if quick else 180):
        world.step()
        frame_ms.append(world.statistics.frame_ms)
    names.append(solver.name)
    times.append(np.median(frame_ms))
    stretches.append(100 * world.statistics.max_stretch)

figure, (left, right) = plt.subplots(1, 2, figsize=(11, 4.5), sharey=True)
left.barh(names, stretches, color="tab:orange")
left.set(xlabel="largest stretch of an edge at the end [%]")
right.plot(times, names, "o")  # no bars: a logarithm has no zero
right.set(xlabel="median time of a frame [ms]", xscale="log")
for axis in (left, right):
    axis.grid(alpha=0.3, which="both", axis="x")
left.invert_yaxis()
figure.suptitle("yard-hang, 17 x 17 vertices, 3 s")
save(figure, "solvers_compared.png")
