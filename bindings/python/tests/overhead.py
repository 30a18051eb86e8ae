"""What a step costs over the engine's own time, at 1089 vertices: the wall time of world.step() in Python against that
of the frame inside the engine, which statistics give. All that Python, the binding and the C interface add is in it."""
import statistics
import time

import selvage


def measure(frames=600):
    """(median time of a frame in the engine, median of what is added to it) [ms]."""
    world = selvage.World(sleeping=False)
    world.add_grid((1, 1), (33, 33), fabric="linen", pins="top-left,top-right")
    world.step(60)
    inside, added = [], []
    for _ in range(frames):
        begin = time.perf_counter()
        world.step()
        wall = 1e3 * (time.perf_counter() - begin)
        inside.append(world.statistics.frame_ms)
        added.append(wall - inside[-1])
    return statistics.median(inside), statistics.median(added)


if __name__ == "__main__":
    frame, added = measure()
    print(f"1089 vertices: {frame:.3f} ms per frame in the engine, {1e3 * added:.1f} us added "
          f"({100 * added / frame:.2f} %)")
