#!/usr/bin/env python3
"""Helion's and TileLang's autotuners under `warpledger profile`: one modeled launch for each configuration.

tuners_test.py WARPLEDGER [--python PYTHON] [--only NAME ...]   exit code 77: the Python (or WL_TUNERS_PYTHON) has neither
The programs are tests/programs/torch/tuner_*.py; each checks its answers itself. TileLang compiles with nvcc, from the PATH.
"""
import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

PROGRAMS = Path(__file__).resolve().parents[1] / "programs/torch"
# Of each tuner: the launches that a report shows, and the configurations of its trials.
SHOWN = {"helion": {"": 2, "benchmark": 7}, "tilelang": {"": 1, "benchmark": 4}}
TRIALS = {"helion": ("block_sizes: [64], num_warps: 2", "block_sizes: [256], num_warps: 4", "block_sizes: [1024], num_warps: 8"),
          "tilelang": ("rows: 64, columns: 64, depth: 32, stages: 2", "rows: 128, columns: 64, depth: 32, stages: 2",
                       "rows: 32, columns: 32, depth: 32, stages: 1")}


def run(binary, python, name, options=(), words=()):
    """In a folder of its own, where TileLang leaves a log."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    command = [binary, "profile", "--no-store", "--json", "--gpu", "a100-80", *options, python, PROGRAMS / f"tuner_{name}.py", *words]
    with tempfile.TemporaryDirectory() as folder:
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=1800, check=False,
                              cwd=folder)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = re.search(r"^\[$", done.stdout, re.M)
    profiles = json.loads(done.stdout[start.start():]) if start else []
    return done, profiles, after.ru_utime - before.ru_utime


def launches(profiles):
    counts = {}
    for one in profiles:
        purpose = one["launches"].get("purpose", "")
        counts[purpose] = counts.get(purpose, 0) + one["launches"].get("count", 1)
    return counts


def judge(binary, python, name):
    """Trials and checks are counted, and shown with their configurations only where that is asked."""
    done, profiles, seconds = run(binary, python, name)
    assert "PASSED" in done.stdout, (done.stdout + done.stderr)[-3000:]
    assert re.search(r"\d+ launches by autotuners are not shown", done.stderr), done.stderr
    assert launches(profiles) == SHOWN[name], launches(profiles)
    shown = launches(run(binary, python, name, ["--trials"], ["listed"])[1])
    for config in TRIALS[name]:
        assert shown.get(f"trial {config}") == 1, shown
    times = re.search(r"modeled ms.*", done.stdout)
    return f"{len(profiles):3} profiles  {seconds:6.1f} s CPU  {times.group()}"


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("--python", type=os.path.abspath, default=os.environ.get("WL_TUNERS_PYTHON", sys.executable))
    parser.add_argument("--only", nargs="*", default=list(TRIALS))
    words = parser.parse_args()
    found = [name for name in words.only
             if subprocess.run([words.python, "-c", f"import torch, {name}"], capture_output=True, check=False).returncode == 0]
    if not found:
        print("skipped: neither Helion nor TileLang")
        return 77
    failed = 0
    for name in found:
        try:
            print(f"{name:10} right  {judge(words.binary, words.python, name)}", flush=True)
        except AssertionError as wrong:
            failed += 1
            print(f"{name:10} WRONG\n{wrong}", flush=True)
    print("FAILED" if failed else "PASSED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
