#!/usr/bin/env python3
"""Every SASS memory instruction of real kernels is explained, and spills are ptxas's own figures.

    witness_test.py WARPLEDGER [--all] [FILE.ptx ...]

Inputs: kernels/ and its validation/, tests/programs, tests/cuda, tests/data/ptx; the kernels of Triton
where a Python with Triton 3.9 is at hand (this one, or WL_TRITON_PYTHON); tests/cutlass where CUTLASS's
headers are (WL_CUTLASS_INCLUDE, or the wheel nvidia-cutlass of this Python). For each module
`warpledger ptx witness --json` must leave nothing unexplained, and the bytes of spills (for device
functions: with what they save of their callers) must be those that `ptxas -v` prints.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from ptx_round_trip import SKIPPED, architectures_of, run, target_of, triton_kernels

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = ["75", "80", "86", "89", "90a", "100a", "120a"]


def ptxas_spills(ptxas, ptx):
    """(stores, loads) by function, as `ptxas -v` prints them."""
    command = [ptxas, "-v", "-arch", target_of(ptx), ptx, "-o", ptx.with_suffix(".v.cubin")]
    text = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stderr
    found = re.findall(r"Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads", text)
    return {name: (int(stores), int(loads)) for name, stores, loads in found}


def check(binary, ptxas, ptx):
    """(SASS memory instructions, functions whose spills agree, of them with spills)"""
    report = json.loads(run([binary, "ptx", "witness", ptx, "--json"]))
    # A PTX instruction without SASS is reported by name; a SASS instruction without a class is a fault.
    dropped = [remark for remark in report.get("remarks", []) if remark.endswith("has no SASS")]
    faults = [remark for remark in report.get("remarks", []) if remark not in dropped]
    if faults:
        raise RuntimeError("; ".join(faults[:3]))
    if dropped:
        print(f"{ptx.name}: {len(dropped)} PTX instructions have no SASS and no reason was found: {dropped[0]}")
    expected = ptxas_spills(ptxas, ptx)
    tables = {table["title"]: table["rows"] for table in report["tables"]}
    agree = spilling = 0
    for row in tables["functions"]:
        name = row["function"].split("$")[-1]
        if name not in expected:
            continue
        own = (row["spill_store_bytes"] + row["save_store_bytes"], row["spill_load_bytes"] + row["save_load_bytes"])
        if own != expected[name]:
            raise RuntimeError(f"{name} spills {own}, ptxas says {expected[name]}")
        agree += 1
        spilling += own != (0, 0)
    return sum(row["sass_memory_instructions"] for row in tables["kernels"]), agree, spilling


def cutlass_include():
    if "WL_CUTLASS_INCLUDE" in os.environ:
        return pathlib.Path(os.environ["WL_CUTLASS_INCLUDE"])
    where = "import importlib.util as u; print(u.find_spec('cutlass_library').submodule_search_locations[0])"
    found = subprocess.run([sys.executable, "-c", where], capture_output=True, text=True)
    include = pathlib.Path(found.stdout.strip()) / "source/include"
    return include if found.returncode == 0 and include.exists() else None


def nvcc_case(binary, folder, source, sm, options=()):
    ptx = folder / f"{source.parent.name}.{source.stem}.{sm}.ptx"
    run(["nvcc", "-std=c++17", "-ptx", "-lineinfo", *options, f"-arch=sm_{sm}", "-o", ptx, source])
    return check(binary, "ptxas", ptx)


def nvcc_cases(everything):
    sources = [source for folder in ("kernels", "kernels/validation", "tests/programs", "tests/cuda")
               for source in sorted((ROOT / folder).glob("*.cu"))]
    for i, source in enumerate(sources):
        architectures = architectures_of(source, ARCHITECTURES)
        for sm in architectures if everything else [architectures[i % len(architectures)]]:
            yield source, sm, ()
    include = cutlass_include()
    if include is None:
        print("CUTLASS's headers are not found: its kernels are not tried")
        return
    for source in sorted((ROOT / "tests/cutlass").glob("*.cu")):
        yield source, source.stem.split("_sm")[-1], ("--expt-relaxed-constexpr", f"-I{include}")


def jobs_of(arguments, folder):
    files = arguments.files or sorted((ROOT / "tests/data/ptx").glob("*.ptx"))
    newest = None
    (folder / "triton").mkdir()
    triton = [] if arguments.files else list(triton_kernels(folder / "triton"))
    for ptxas, ptx in triton:
        newest = ptxas
        yield f"triton {ptx.name}", check, (arguments.binary, ptxas, ptx)
    for ptx in map(pathlib.Path, files):
        version = float(re.search(r"\.version (\S+)", ptx.read_text())[1])
        if version > 9.0 and newest is None:
            print(f"{ptx.name}: PTX {version} needs a newer ptxas")
            continue
        copy = pathlib.Path(shutil.copy(ptx, folder))
        yield ptx.name, check, (arguments.binary, newest if version > 9.0 else "ptxas", copy)
    if not arguments.files:
        for source, sm, options in nvcc_cases(arguments.all):
            yield f"{source.name} sm_{sm}", nvcc_case, (arguments.binary, folder, source, sm, options)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true", default="WL_NIGHTLY" in os.environ)
    arguments = parser.parse_args()
    missing = [tool for tool in ("nvcc", "ptxas") if shutil.which(tool) is None]
    if missing:
        print(f"{', '.join(missing)} not found")
        sys.exit(1 if "WL_REQUIRE_TOOLKIT" in os.environ else SKIPPED)
    failures, count, totals = [], 0, [0, 0, 0]
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(2) as pool:
        jobs = [(job, pool.submit(function, *rest)) for job, function, rest in jobs_of(arguments, pathlib.Path(name))]
        for job, future in jobs:
            count += 1
            try:
                totals = [a + b for a, b in zip(totals, future.result())]
            except (RuntimeError, subprocess.CalledProcessError) as fault:
                failures.append(f"{job}: {fault}")
    print("\n".join(failures))
    print(f"{count - len(failures)} of {count} modules: {totals[0]:,} SASS memory instructions explained; spills of "
          f"{totals[1]} functions are ptxas's, {totals[2]} of them spill")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
