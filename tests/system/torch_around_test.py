#!/usr/bin/env python3
"""Benchmarks, autotuners, torch.compile, profilers, NVRTC and worker processes in PyTorch programs under `warpledger profile`.

torch_around_test.py WARPLEDGER [--python PYTHON] [--only NAME ...]   exit code 77: no such Python has torch
The programs are tests/programs/torch/*.py; each checks its answers itself. WL_TORCH_PYTHON names the Python too.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "programs/torch"
NAMES = ("bench_read_size", "bench_product", "bench_autotune", "around_nvrtc", "around_profiler", "around_workers", "compile_modes",
         "around_inline")


def run(binary, python, name, *options):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([binary, "profile", "--no-store", "--json", *options, python, str(PROGRAMS / f"{name}.py")],
                          capture_output=True, text=True, timeout=3600, check=False)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = re.search(r"^\[", done.stdout, re.M)
    profiles = json.loads(done.stdout[start.start():]) if start else []
    return done, profiles, after.ru_utime - before.ru_utime


def purposes(profiles):
    return [one["launches"].get("purpose", "") for one in profiles]


def judge_autotune(binary, python, done, profiles):
    """Trials are counted, and shown with their configurations only where that is asked."""
    assert re.search(r"3 launches by autotuners are not shown", done.stderr), done.stderr
    assert not any(one.startswith("trial") for one in purposes(profiles)), purposes(profiles)
    shown = [one for one in purposes(run(binary, python, "bench_autotune", "--trials")[1]) if one.startswith("trial")]
    assert len(shown) == 3 and "BLOCK: 64" in shown[0] and "num_warps: 8" in shown[2], shown


def judge_profiler(_binary, _python, done, _profiles):
    assert done.stderr.count("see no GPU activity here") == 1, done.stderr


JUDGES = {"bench_autotune": judge_autotune, "around_profiler": judge_profiler}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--python", default=os.environ.get("WL_TORCH_PYTHON", sys.executable))
    parser.add_argument("--only", nargs="*", default=NAMES)
    words = parser.parse_args()
    if subprocess.run([words.python, "-c", "import torch, triton"], capture_output=True, check=False).returncode != 0:
        print("skipped: no torch")
        return 77
    failed = 0
    for name in words.only:
        done, profiles, seconds = run(words.binary, words.python, name)
        fault = "" if "PASSED" in done.stdout else done.stderr[-2000:]
        try:
            if not fault and name in JUDGES:
                JUDGES[name](words.binary, words.python, done, profiles)
        except AssertionError as wrong:
            fault = str(wrong)
        print(f"{name:20} {'WRONG' if fault else 'right'}  {len(profiles):3} profiles  {seconds:6.1f} s CPU", flush=True)
        if fault:
            failed += 1
            print(fault)
    print("FAILED" if failed else "PASSED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
