#!/usr/bin/env python3
"""Programs that nvcc 12 built, under libcudart.so.12: cuda12_test.py WARPLEDGER   exit code 77: no nvcc 12 here

nvcc 12 is looked for in $CUDA12_HOME and /usr/local/cuda-12*.
"""
import os
import sys
from pathlib import Path

from door_test import HERE, judge

# Those that say nothing in CUDA 13's forms.
PROGRAMS = ["vector_add", "reduction_shuffle", "transpose", "streams_events", "grid_sync", "managed_memory",
            "graph_capture", "launch_forms", "device_printf", "tile_reduce", "graph_fork_join", "bad_pointers",
            "driver_memory", "textures", "surfaces", "ipc"]


def find_nvcc_12():
    homes = [os.environ.get("CUDA12_HOME", "/usr/local/cuda-12"), *sorted(map(str, Path("/usr/local").glob("cuda-12*")))]
    return next((f"{home}/bin/nvcc" for home in homes if Path(f"{home}/bin/nvcc").exists()), None)


def main():
    binary = Path(sys.argv[1]).resolve()
    nvcc = find_nvcc_12()
    library = binary.parent.parent / "lib/warpledger/libcudart.so.12"
    if nvcc is None or not library.exists():
        print("skipped: no nvcc 12, or no libcudart.so.12")
        return 77
    folder = binary.parent.parent / "door_programs_12"
    folder.mkdir(exist_ok=True)
    os.environ["WARPLEDGER_STORE"] = str(folder / "store.sqlite")
    good = True
    for source in [*sorted(HERE.glob("cuda12/*.cu")), *(HERE / "programs" / f"{name}.cu" for name in PROGRAMS)]:
        name, right, launches, seconds, said = judge(str(binary), nvcc, source, folder)
        good &= right
        print(f"{name:28} {'ok' if right else 'FAILED'} {launches:4} launches {seconds:6.1f} s\n{said}".rstrip())
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
