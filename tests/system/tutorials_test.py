#!/usr/bin/env python3
"""Triton's tutorials 01 to 11 under `warpledger profile`, unmodified: which run, whether their own checks hold, what they cost.

tutorials_test.py WARPLEDGER FOLDER [--python PYTHON] [--only NUMBER ...]   exit code 77: no such folder, or no torch

FOLDER is python/tutorials of a checkout of Triton, which the user has; nothing is fetched. The Python (WL_TORCH_PYTHON, or
build/torch) needs torch, and pandas, matplotlib, pytest and tabulate, which some tutorials import. Three tutorials compute
too much here: of these only the checks run, at the sizes below.
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

ROOT = Path(__file__).resolve().parents[2]
CALLS = ROOT / "tests/programs/torch/tutorial_calls.py"
# Tutorials that need another GPU than the default.
GPUS = {"09": "h100-sxm", "10": "b200", "11": "h100-sxm"}
# 06 runs attention of 4 x 32 heads over 16,384 tokens outside of its benchmark; 09 and 10 repeat products of
# 8,192 x 8,192 for 20,000 times without do_bench.
PARTS = {
    "06": [f"test_op(1, 2, 128, {head}, {causal}, False, '{mode}', 'triton-{kind}')"
           for head, causal, mode, kind in ((64, True, "fwd", "fp8"), (64, True, "bwd", "fp16"), (128, False, "bwd", "fp16"))],
    "09": ["validate(32, 32, 32, torch.float16)", "validate(512, 512, 512, torch.float16)"],
    "10": [f"validate_block_scaled(256, 256, 512, '{kind}')" for kind in ("nvfp4", "mxfp4", "mxfp8", "mixed")],
}
MOST_DIFFERENCE = 1e-6


def lay_out(tutorials, python, folder):
    """The folders of a checkout: 07 looks for libdevice beside its grandparent."""
    place = "import triton.backends.nvidia as n, os; print(os.path.dirname(n.__file__))"
    backend = subprocess.run([python, "-c", place], capture_output=True, text=True, check=True).stdout.strip()
    (folder / "python").mkdir()
    (folder / "python/tutorials").symlink_to(tutorials)
    (folder / "third_party/nvidia").mkdir(parents=True)
    (folder / "third_party/nvidia/backend").symlink_to(backend)
    return folder / "python/tutorials"


def run(binary, python, script, folder):
    number = script.name[:2]
    program = [CALLS, script, *PARTS[number]] if number in PARTS else [script]
    command = [binary, "profile", "--no-store", "--json", "--gpu", GPUS.get(number, "a100-80"), python, *program]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True, cwd=folder, check=False,
                          env={**os.environ, "MPLBACKEND": "Agg"})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fault_of(done):
    """What the tutorial's own checks, which raise or print, say."""
    if done.returncode != 0:
        return (done.stdout + done.stderr)[-3000:]
    differences = [float(one) for one in re.findall(r"maximum difference between torch and triton is (\S+)", done.stdout)]
    if "❌" in done.stdout or "differ\n" in done.stdout or any(not one <= MOST_DIFFERENCE for one in differences):
        return done.stdout[-3000:]
    return "nothing was profiled" if launches(done) == 0 else ""


def launches(done):
    start = re.search(r"^\[", done.stdout, re.M)
    try:
        return len(json.loads(done.stdout[start.start():])) if start else 0
    except ValueError:  # the tutorial prints a list itself
        return done.stdout.count('"kernel":')


def trials(done):
    return sum(int(one) for one in re.findall(r"(\d+) launches by autotuners", done.stderr))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("tutorials", nargs="?", default=os.environ.get("WL_TRITON_TUTORIALS", ""))
    parser.add_argument("--python", default=os.environ.get("WL_TORCH_PYTHON", str(ROOT / "build/torch/bin/python")))
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--logs", type=Path, help="a folder for what each prints")
    words = parser.parse_args()
    scripts = sorted(Path(words.tutorials).resolve().glob("[01][0-9]-*.py")) if words.tutorials else []
    if not scripts or not Path(words.python).exists():
        print("skipped: no folder with Triton's tutorials, or no Python with torch")
        return 77
    failed = 0
    print("tutorial                              GPU       extent       checks  profiles  trials  processor s")
    with tempfile.TemporaryDirectory() as name:
        folder = lay_out(scripts[0].parent, words.python, Path(name))
        for script in scripts:
            number = script.name[:2]
            if words.only and number not in words.only:
                continue
            done, seconds = run(Path(words.binary).resolve(), words.python, folder / script.name, name)
            fault = fault_of(done)
            failed += bool(fault)
            print(f"{script.stem:37} {GPUS.get(number, 'a100-80'):9} {'checks only' if number in PARTS else 'whole':12} "
                  f"{'WRONG' if fault else 'hold':6} {launches(done):9} {trials(done):7} {seconds:12.1f}", flush=True)
            if fault:
                print(fault)
            if words.logs:
                words.logs.mkdir(parents=True, exist_ok=True)
                (words.logs / f"{script.stem}.log").write_text(done.stdout + done.stderr)
    print("FAILED" if failed else "PASSED")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
