"""Every example runs to its end and writes its plot; with fewer frames than it shows."""
import os
import pathlib
import subprocess
import sys

import pytest

EXAMPLES = pathlib.Path(__file__).resolve().parent.parent / "examples"


@pytest.mark.parametrize("name", sorted(p.stem for p in EXAMPLES.glob("[!_]*.py")))
def test_an_example_writes_its_plot(name, tmp_path):
    pytest.importorskip("matplotlib")
    if name == "fit_bending":
        pytest.importorskip("scipy")
    subprocess.run([sys.executable, str(EXAMPLES / f"{name}.py"), str(tmp_path)], check=True,
                   env={**os.environ, "SELVAGE_QUICK": "1"})
    assert (tmp_path / f"{name}.png").stat().st_size > 10000
