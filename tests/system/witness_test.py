#!/usr/bin/env python3
"""Every SASS memory instruction of real kernels is explained, and spills are ptxas's own figures.

    witness_test.py WARPLEDGER [--all] [FILE.ptx ...]

Inputs: kernels/ and its validation/, tests/programs, tests/inputs/cuda (without --all, or WL_NIGHTLY=1, every third
source, each for one architecture), tests/inputs/ptx; the kernels of Triton
where a Python with Triton 3.9 is at hand (this one, or WL_TRITON_PYTHON); tests/programs/cutlass where CUTLASS's
headers are (WL_CUTLASS_INCLUDE, or the wheel nvidia-cutlass of this Python). For each module
`warpledger ptx sass --json` must leave nothing unexplained, and the bytes of spills (for device
functions: with what they save of their callers) must be those that `ptxas -v` prints.
"""
import json
import pathlib
import re
import shutil
import subprocess
import sys

from compiled_cases import ROOT, arguments_or_skip, compilations, cutlass_include, run, sources_of, target_of, triton_kernels, try_all


def ptxas_spills(ptxas, ptx):
    """(stores, loads) by function, as `ptxas -v` prints them."""
    command = [ptxas, "-v", "-arch", target_of(ptx), ptx, "-o", ptx.with_suffix(".v.cubin")]
    text = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=True).stderr
    found = re.findall(r"Function properties for (\S+)\s+\d+ bytes stack frame, (\d+) bytes spill stores, "
                       r"(\d+) bytes spill loads", text)
    return {name: (int(stores), int(loads)) for name, stores, loads in found}


def check(binary, ptxas, ptx):
    """(SASS memory instructions, functions whose spills agree, of them with spills)"""
    report = json.loads(run([binary, "ptx", "sass", ptx, "--json"]))
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


def nvcc_case(binary, folder, source, sm, options=()):
    ptx = folder / f"{source.parent.name}.{source.stem}.{sm}.ptx"
    run(["nvcc", "-std=c++17", "-ptx", "-lineinfo", *options, f"-arch=sm_{sm}", "-o", ptx, source])
    return check(binary, "ptxas", ptx)


def nvcc_cases(everything):
    folders = ["kernels", "kernels/validation", "tests/programs", "tests/inputs/cuda"]
    sources = sources_of(folders)
    for source, sm in compilations(sources if everything else sources[::3], everything):
        yield source, sm, ()
    include = cutlass_include()
    if include is None:
        print("CUTLASS's headers are not found: its kernels are not tried")
        return
    for source in sources_of(["tests/programs/cutlass"]):
        yield source, source.stem.split("_sm")[-1], ("--expt-relaxed-constexpr", f"-I{include}")


def jobs_of(arguments, folder):
    files = arguments.files or sorted((ROOT / "tests/inputs/ptx").glob("*.ptx"))
    newest = None
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
    answers, count = try_all(jobs_of, arguments_or_skip(), 2)
    instructions, agree, spilling = map(sum, zip(*answers)) if answers else (0, 0, 0)
    print(f"{len(answers)} of {count} modules: {instructions:,} SASS memory instructions explained; spills of "
          f"{agree} functions are ptxas's, {spilling} of them spill")
    sys.exit(len(answers) != count)


if __name__ == "__main__":
    main()
