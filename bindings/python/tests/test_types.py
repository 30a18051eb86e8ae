"""Stubs, annotations and docstrings agree with the module."""
import ast
import inspect
import os
import pathlib
import re
import subprocess
import sys

import pytest

import selvage
from selvage import _selvage

HERE = pathlib.Path(__file__).parent
PACKAGE = pathlib.Path(selvage.__file__).parent


def mypy(*arguments):
    pytest.importorskip("mypy")
    environment = {**os.environ, "MYPYPATH": str(PACKAGE.parent)}
    return subprocess.run([sys.executable, "-m", *arguments], capture_output=True, text=True, env=environment,
                          cwd=PACKAGE.parent)


def test_the_package_passes_mypy_strictly(tmp_path):
    done = mypy("mypy", "--strict", "--cache-dir", str(tmp_path), "-p", "selvage")
    assert done.returncode == 0, done.stdout + done.stderr


def test_stubs_agree_with_the_module(tmp_path):
    done = mypy("mypy.stubtest", "selvage._selvage", "--allowlist", str(HERE / "stubtest_allowed.txt"))
    assert done.returncode == 0, done.stdout + done.stderr


def test_arguments_of_the_stub_are_those_of_the_module():
    """stubtest cannot see the arguments of compiled functions: their complaint about wrong ones lists them."""
    tree = ast.parse((PACKAGE / "_selvage.pyi").read_text())
    functions = {node.name: [argument.arg for argument in node.args.args]
                 for node in tree.body if isinstance(node, ast.FunctionDef)}
    present = {name for name in dir(_selvage)
               if not name.startswith("_") and not isinstance(getattr(_selvage, name), type)}
    assert present == set(functions)
    for name, arguments in functions.items():
        with pytest.raises(TypeError) as caught:
            getattr(_selvage, name)(*[object()] * 40)
        listed = re.search(r"1\. \((.*)\)", str(caught.value))[1]
        assert re.findall(r"(?:^|, )(\w+): ", listed) == arguments, name


def test_everything_public_has_a_docstring():
    missing = []
    for name in selvage.__all__:
        thing = getattr(selvage, name)
        if not inspect.getdoc(thing):
            missing.append(name)
        if inspect.isclass(thing):
            missing += [f"{name}.{key}" for key, member in vars(thing).items()
                        if not key.startswith("_") and (callable(member) or isinstance(member, property))
                        and not inspect.getdoc(member)]
    assert missing == []


def test_the_example_of_the_package_runs():
    text = inspect.getdoc(selvage)
    code = "\n".join(line[4:] for line in text.splitlines() if line.startswith("    "))
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=PACKAGE.parent)
    assert done.returncode == 0 and re.search(r"[0-9a-f]{16}$", done.stdout.strip()), done.stderr
