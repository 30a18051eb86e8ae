"""Where the command line program is, for tests that compare with it."""
import json
import os
import pathlib
import subprocess

import pytest


@pytest.fixture(scope="session")
def program():
    path = os.environ.get("SELVAGE_PROGRAM")
    if not path or not pathlib.Path(path).exists():
        pytest.skip("SELVAGE_PROGRAM names no program to compare with")
    return path


@pytest.fixture
def report(program, tmp_path):
    """report("flag", "--seconds", "0.5"): what `selvage run` reports."""
    def run(*arguments):
        file = tmp_path / "report.json"
        subprocess.run([program, "run", *arguments, "--quiet", "--report", str(file)], check=True)
        return json.loads(file.read_text())
    return run
