#!/usr/bin/env python3
"""Programs under the doors: unmodified sources, built with nvcc -cudart shared, run to the right answer.

door_test.py WARPLEDGER [--all] [--table] [--only NAME ...]   exit code 77: no nvcc here
Without --all a subset that CI has time for. --table prints what docs/doors.md shows.
"""
import argparse
import concurrent.futures
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).resolve().parent / "door"
QUICK = ["vector_add", "reduction_shuffle", "transpose", "streams_events", "grid_sync", "managed_memory",
         "separate_compilation", "graph_capture", "launch_forms", "device_printf"]
# What a planted fault must be called, and where it is.
PLANTED = {"bank_conflict": (0, "bank conflict", "bank_conflict.cu:6"),
           "uncoalesced": (0, "uncoalesced|sectors", "uncoalesced.cu:7"),
           "out_of_bounds": (2, "out-of-bounds", "out_of_bounds.cu:6"),
           "endless": (2, "did not end in 2 s", "endless.cu:1")}


def find_nvcc():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")


def build(nvcc, source, folder):
    """The program of a source; its flags stand in its first line."""
    text = source.read_text()
    flags = re.findall(r"^// nvcc: (.*)", text)
    flags = [str(source.parent / f) if f.endswith(".cu") else f for f in (flags[0].split() if flags else [])]
    name = hashlib.sha256((text + (source.parent / "check.h").read_text()
                           if (source.parent / "check.h").exists() else text).encode()).hexdigest()[:16]
    program = folder / f"{source.stem}-{name}"
    link = folder / source.stem
    if not program.exists():
        subprocess.run([nvcc, "-cudart", "shared", "-arch=sm_80", "-lineinfo", *flags, str(source), "-o", str(link)],
                       check=True, capture_output=True, text=True)
        shutil.copy(link, program)
    return program


def profile(binary, program, *options):
    start = time.time()
    done = subprocess.run([binary, "profile", "--gpu", "a100-80", *options, str(program)], capture_output=True,
                          text=True, timeout=600)
    return done, time.time() - start


def judge(binary, nvcc, source, folder):
    try:
        program = build(nvcc, source, folder)
    except subprocess.CalledProcessError as error:
        return source.stem, False, 0, 0.0, error.stderr[-300:]
    if source.parent.name == "planted":
        code, what, where = PLANTED[source.stem]
        done, seconds = profile(binary, program, "--timeout", "2")
        said = done.stdout + done.stderr
        right = done.returncode == code and re.search(what, said) and where in said
    else:
        done, seconds = profile(binary, program)
        right = done.returncode == 0 and re.search("^PASSED$", done.stdout, re.M)
    launches = done.stdout.count("Context 1, Stream 7")
    right = bool(right) and (launches > 0 or source.stem in ("out_of_bounds", "endless"))
    return source.stem, right, launches, seconds, "" if right else (done.stdout[-200:] + done.stderr[-400:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    options = parser.parse_args()
    nvcc = find_nvcc()
    doors = Path(options.binary).resolve().parent.parent / "lib" / "warpledger" / "libcudart.so.13"
    if nvcc is None or not doors.exists():
        print("skipped: no nvcc, or no doors")
        return 77
    sources = [s for s in sorted((HERE / "programs").glob("*.cu")) if not s.stem.endswith("_part")]
    sources += [HERE / "planted" / f"{name}.cu" for name in PLANTED]
    if options.only:
        sources = [s for s in sources if s.stem in options.only]
    elif not options.all:
        sources = [s for s in sources if s.stem in QUICK or s.stem in PLANTED]
    folder = doors.parent.parent.parent / "door_programs"
    folder.mkdir(exist_ok=True)
    good = True
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for name, right, launches, seconds, said in pool.map(
                lambda source: judge(options.binary, nvcc, source, folder), sources):
            good &= right
            if options.table:
                print(f"| {name} | {launches} | {'right' if right else 'WRONG'} |")
            else:
                print(f"{name:28} {'ok' if right else 'FAILED'} {launches:4} launches {seconds:6.1f} s")
            if said:
                print(said)
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
