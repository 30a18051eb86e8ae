"""Finds the Python package `selvage`: installed for Blender's Python, or in the folder `python` beside this file."""
import pathlib
import sys

BUNDLED = pathlib.Path(__file__).parent / "python"


def load():
    """The package; raises ImportError with what to do where it is missing."""
    try:
        import selvage
    except ImportError:
        if not BUNDLED.is_dir():
            raise ImportError("the Python package selvage is missing; install its wheel for Blender's Python, or the "
                              "add-on as scripts/blender_addon packs it") from None
        sys.path.append(str(BUNDLED))
        import selvage
    return selvage


def fabrics():
    try:
        return load().fabrics()
    except ImportError:
        return []
