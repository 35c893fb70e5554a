#!/usr/bin/env python3
"""The two row-maximum kernels of kernels/wmma_row_max.cu: right values, what ptxas gives them, and which takes longer.

    row_max_test.py WARPLEDGER

The paper's Table 3 says 1,024 bytes of shared memory and one barrier against none of both. Its 7x and 6.5x in latency are not
asked for: they hold more than the kernel (docs/layout.md).
"""
import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
SOURCE = ROOT / "kernels/wmma_row_max.cu"
SIDE = 16
KERNELS = {"row_max_shared": (1024, 1), "row_max_registers": (0, 0)}  # bytes of shared memory, barriers


def inputs(folder):
    draw = random.Random(3)
    a, b = ([float(draw.randint(-11, 11)) for _ in range(SIDE * SIDE)] for _ in range(2))
    for name, values in (("a", a), ("b", b)):
        (folder / name).write_bytes(struct.pack(f"<{len(values)}e", *values))
    most = [max(sum(a[r * SIDE + k] * b[c * SIDE + k] for k in range(SIDE)) for c in range(SIDE)) for r in range(SIDE)]
    (folder / "most").write_bytes(struct.pack(f"<{SIDE}f", *most))


def launch(binary, command, kernel, folder, *more):
    run = [binary, command, str(SOURCE), "--kernel", kernel, "--grid", "1", "--block", "32", "--arg", f"f16[256]:@{folder / 'a'}",
           "--arg", f"f16[256]:@{folder / 'b'}", "--arg", "f32[16]:zero", *more]
    done = subprocess.run(run, capture_output=True, text=True)
    if "no-toolkit" in done.stderr:
        print(done.stderr)
        sys.exit(77)
    if done.returncode:
        sys.exit(f"{' '.join(run)}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    binary, wrong = sys.argv[1], []
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        inputs(folder)
        for gpu, arch in (("h100-sxm", "sm_90"), ("rtx5080", "sm_120")):
            seconds = {}
            for kernel, expected in KERNELS.items():
                launch(binary, "run", kernel, folder, "--arch", arch, "--check", f"arg3={folder / 'most'}")
                profile = json.loads(launch(binary, "profile", kernel, folder, "--gpu", gpu, "--json"))
                resources, timing = profile["resources"], profile["timing"]
                found = (resources["static_shared_bytes"], round(timing["path_barriers"]))
                if found != expected:
                    wrong.append(f"{kernel} on {gpu}: {found}, not {expected}")
                seconds[kernel] = timing["elapsed_cycles"] / timing["sm_hertz"]
                print(f"{gpu} {kernel}: {resources['registers']} registers, {found[0]} bytes, {found[1]} barriers, "
                      f"{1e6 * seconds[kernel]:.2f} us, a warp alone {timing['path_cycles']:.0f} cycles")
            if seconds["row_max_shared"] <= seconds["row_max_registers"]:
                wrong.append(f"{gpu}: the way through shared memory is not slower")
    for line in wrong:
        print("FAIL", line)
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
