#!/usr/bin/env python3
"""CUTLASS's own host code and kernels with the drop-in CUDA libraries compute the right values.

cutlass_test.py WARPLEDGER   exit code 77: no nvcc, or no CUTLASS headers (WL_CUTLASS_INCLUDE, or the wheel nvidia-cutlass
of this Python)
"""
import itertools
import pathlib
import subprocess
import sys
import tempfile

from compiled_cases import cutlass_include
from door_test import find_nvcc

PROGRAMS = pathlib.Path(__file__).resolve().parents[1] / "programs/cutlass/programs"
CASES = {"run_sm80.cu": ("80", "a100-80"), "run_sm90a.cu": ("90a", "h100-sxm"), "run_sm100a.cu": ("100a", "b200")}
# A small product, and one along whose K every stage of the pipelines comes around more than once.
SIZES = {"small": [], "1,024 cubed": ["-DGEMM_SIZE=1024"]}


def main():
    nvcc, include = find_nvcc(), cutlass_include()
    if nvcc is None or include is None:
        print("no nvcc, or CUTLASS's headers are not found")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for (name, (arch, gpu)), (size, macros) in itertools.product(CASES.items(), SIZES.items()):
            program = pathlib.Path(folder) / name.removesuffix(".cu")
            subprocess.run([nvcc, "-cudart", "shared", "-std=c++17", "--expt-relaxed-constexpr", "-gencode",
                            f"arch=compute_{arch},code=compute_{arch}", *macros, f"-I{include}",
                            f"-I{include.parent / 'tools/util/include'}", str(PROGRAMS / name), "-o", str(program)],
                           check=True)
            done = subprocess.run([sys.argv[1], "profile", "--gpu", gpu, "--no-sass", str(program)],
                                  capture_output=True, text=True)
            right = done.returncode == 0 and "PASSED" in done.stdout
            failed += not right
            print(f"{name}, {size}: {'right' if right else 'WRONG'}")
            if not right:
                print(done.stdout[-1500:] + done.stderr[-1500:])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
