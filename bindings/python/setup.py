"""Builds the extension module by CMake, from the sources that this folder is part of.

SELVAGE_BUILD_DIR names a CMake build folder to use, such as build/release; else one is made, which takes some minutes."""
import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def version():
    return re.search(r'project\(selvage VERSION ([\d.]+)', (ROOT / 'CMakeLists.txt').read_text())[1]


class BuildByCMake(build_ext):
    def build_extension(self, ext):
        given = os.environ.get('SELVAGE_BUILD_DIR')
        build = pathlib.Path(given or self.build_temp).resolve()
        if not given:
            generator = ['-G', 'Ninja'] if shutil.which('ninja') else []
            self.run_step(['cmake', *generator, '-S', str(ROOT), '-B', str(build), '-DCMAKE_BUILD_TYPE=Release',
                           '-DSELVAGE_TESTS=OFF', '-DSELVAGE_VIEWER=OFF', '-DSELVAGE_CUDA=OFF', '-DSELVAGE_PYTHON=ON',
                           f'-DPython_EXECUTABLE={sys.executable}'])
        self.run_step(['cmake', '--build', str(build), '--target', 'selvage_python'])
        target = pathlib.Path(self.get_ext_fullpath(ext.name))
        made = build / 'python' / 'selvage' / target.name
        if not made.is_file():
            raise SystemExit(f'{build} has no {made.name}: it was made for another Python than {sys.executable}')
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(made, target)

    def run_step(self, command):
        print('==', *command, flush=True)
        subprocess.run(command, check=True)


setup(version=version(), ext_modules=[Extension('selvage._selvage', sources=[])],
      cmdclass={'build_ext': BuildByCMake})
