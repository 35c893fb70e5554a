#!/usr/bin/env python3
"""The engine beside PoCL and Oclgrind, in one run: a Markdown table of ns per warp and step of k, and ratios.

    bench/side_by_side.py [BUILD FOLDER, build/release] [--size 1024] [--oclgrind-size 64]

fp32 matmul three ways: kernels/matmul.cu as PTX through bench_engine, bench/opencl/matmul.cl through bench_opencl.
One core each, processor time, the best of some runs (Oclgrind: one). Every mode that bench_engine
knows has a row. PoCL and Oclgrind are optional (docs/performance.md says how to install them): absent ones are said.
"""
import argparse
import json
import os
import pathlib
import platform
import shutil
import subprocess
import sys

KERNELS = {"matmul_naive": "naive 16 x 16", "matmul_tiled": "tiled 16 x 16",
           "matmul_register_tiled": "register-tiled 64 x 64"}
ROOT = pathlib.Path(__file__).resolve().parent.parent


def warp_steps(size):
    return size ** 3 / 32


def engine_rows(build, size, repetitions):
    """Mode -> kernel -> ns per warp and step of k."""
    out = subprocess.run([build / "bench/bench_engine", f"--benchmark_filter=^matmul_.*/{size}(/|$)",
                          "--benchmark_format=json", f"--benchmark_repetitions={repetitions}"],
                         cwd=ROOT, capture_output=True, text=True, check=True).stdout
    rows = {}
    for run in json.loads(out)["benchmarks"]:
        kernel, mode = run["name"].split("/")[:2]
        if run.get("run_type") == "aggregate" or "ns/warp-k" not in run:
            continue
        row = rows.setdefault(mode, {})
        row[kernel] = min(row.get(kernel, float("inf")), run["ns/warp-k"])
    return rows


def opencl_row(command, size, runs, env=None):
    out = subprocess.run([*command, str(size), str(runs)], cwd=ROOT, capture_output=True, text=True, check=True,
                         env={**os.environ, **(env or {})}).stdout
    row = {}
    for line in out.splitlines():
        kernel, extent, seconds, error = line.split(",")
        if float(error) > 1e-4:
            sys.exit(f"{kernel}: off by {error}")
        row[kernel] = float(seconds) / warp_steps(int(extent)) * 1e9
    return row


def print_table(rows):
    bare = rows["bare"]
    print("| ns per warp and step of k (times bare) | " + " | ".join(KERNELS.values()) + " |")
    print("|---" * (len(KERNELS) + 1) + "|")
    for name, row in rows.items():
        cells = [f"{row[k]:,.3g} ({row[k] / bare[k]:,.3g}x)" if k in row else "-" for k in KERNELS]
        print(f"| {name} | " + " | ".join(cells) + " |")


def cpu_name():
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":")[1].strip()
    return platform.processor()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", nargs="?", default=ROOT / "build/release", type=pathlib.Path)
    parser.add_argument("--size", type=int, default=1024)
    parser.add_argument("--oclgrind-size", type=int, default=64)
    parser.add_argument("--repetitions", type=int, default=3, help="of bench_engine, the best of which counts")
    options = parser.parse_args()
    build = options.build.resolve()
    rows = engine_rows(build, options.size, options.repetitions)
    driver = build / "bench/bench_opencl"
    if not driver.exists():
        print("no OpenCL: neither PoCL nor Oclgrind is measured", file=sys.stderr)
    else:
        one_core = {"POCL_MAX_PTHREAD_COUNT": "1", "POCL_CPU_MAX_CU_COUNT": "1"}
        rows["PoCL"] = opencl_row([driver], options.size, 3, one_core)
        if shutil.which("oclgrind"):
            rows[f"Oclgrind, {options.oclgrind_size} cubed"] = opencl_row(
                ["oclgrind", "--num-threads", "1", driver], options.oclgrind_size, 1)
    print(f"{cpu_name()}, load average {os.getloadavg()[0]:.1f}, {options.size} cubed\n")
    print_table(rows)


if __name__ == "__main__":
    main()
