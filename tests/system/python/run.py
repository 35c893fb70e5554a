#!/usr/bin/env python3
"""`pip install .` with the libraries of a build folder, then the tests of the package:  run.py BUILD_FOLDER [pytest ...]

The venv is tools/install-python's; only the module is compiled, and again only when it changed.
"""
import os
import pathlib
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[3]


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    venv = ROOT / "build" / "python"
    subprocess.run([ROOT / "tools/install-python", venv], check=True)
    environment = {**os.environ, "WARPLEDGER_FROM": str(build), "VIRTUAL_ENV": str(venv), "CMAKE_GENERATOR": "Ninja",
                   "CXX": "c++", "PATH": f"{venv / 'bin'}:{os.environ['PATH']}", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    python = venv / "bin/python"
    subprocess.run([python, "-m", "pip", "install", "-q", ".", "--no-deps", "--no-build-isolation", "--force-reinstall",
                    "-C", f"build-dir={build / 'python'}", "-C", "cmake.build-type=Debug",
                    "-C", "cmake.define.CMAKE_CXX_FLAGS_DEBUG=-O1 -g0"], cwd=ROOT, env=environment, check=True)
    del environment["WARPLEDGER_FROM"]
    tests = sys.argv[2:] or [ROOT / "tests/system/python"]
    done = subprocess.run([python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", ROOT / "tests/system/python",
                           "--ignore", ROOT / "tests/system/python/sample_project", *tests], cwd=ROOT / "tests/system/python",
                          env=environment)
    return done.returncode


if __name__ == "__main__":
    sys.exit(main())
