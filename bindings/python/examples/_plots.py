"""Where the examples put their plots: the folder given as first argument, else out/python. `quick` makes tests short."""
import os
import pathlib
import sys

import matplotlib

matplotlib.use("Agg")  # no display needed
import matplotlib.pyplot as plt

quick = os.environ.get("SELVAGE_QUICK") == "1"


def save(figure, name):
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "out/python")
    folder.mkdir(parents=True, exist_ok=True)
    figure.tight_layout()
    figure.savefig(folder / name, dpi=110)
    plt.close(figure)
    print("wrote", folder / name)
