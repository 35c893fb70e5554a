#!/usr/bin/env python3
"""PTX of real compilers, parsed and printed back, assembles to the same machine code.

    ptx_round_trip.py WARPLEDGER [--all] [FILE.ptx ...]

For our kernels, the sources of tests/cuda and tests/programs, and each architecture: nvcc makes PTX,
`warpledger ptx --print` prints it back, ptxas assembles both, and the .text sections of the two cubins
must be the same bytes. Without --all (or WL_NIGHTLY=1) every second source is tried, each for one
architecture, another one for each source.
Where a Python with Triton 3.9 is at hand (this one, or WL_TRITON_PYTHON), its kernels are tried too,
with the ptxas that Triton brings. Files named on the command line are tried alone.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
ARCHITECTURES = ["75", "80", "86", "89", "90a", "100a", "120a"]
FOLDERS = {"tests/cuda": 75, "tests/programs": 80, "kernels": 80}  # and the first architecture of their sources
SKIPPED = 77  # what ctest takes for "skipped"


def run(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[:600]}")
    return done.stdout


def machine_code(cubin):
    """The .text sections of an ELF file, by name."""
    data = pathlib.Path(cubin).read_bytes()
    offset, = struct.unpack_from("<Q", data, 0x28)
    size, count, names_at = struct.unpack_from("<HHH", data, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", data, offset + i * size) for i in range(count)]
    strings = headers[names_at][4]
    sections = {}
    for name_at, _, _, _, start, length in headers:
        name = data[strings + name_at:data.index(b"\0", strings + name_at)].decode()
        if name.startswith(".text"):
            sections[name] = data[start:start + length]
    return sections


def target_of(ptx):
    for line in pathlib.Path(ptx).read_text().splitlines():
        if line.startswith(".target"):
            return line.split()[1].rstrip(",")
    raise RuntimeError("no .target")


def round_trip(binary, ptxas, ptx):
    printed, again = ptx.with_suffix(".printed"), ptx.with_suffix(".again")
    printed.write_text(run([binary, "ptx", "--print", ptx]))
    again.write_text(run([binary, "ptx", "--print", printed]))
    if printed.read_text() != again.read_text():
        raise RuntimeError("printing is not a fixed point")
    codes = []
    for text in (ptx, printed):
        cubin = text.with_name(text.name + ".cubin")
        run([ptxas, "-arch", target_of(ptx), text, "-o", cubin])
        codes.append(machine_code(cubin))
    if codes[0] != codes[1]:
        raise RuntimeError("ptxas makes different machine code of the printed text")
    return sum(map(len, codes[0].values()))


def nvcc_case(binary, folder, source, sm, options=()):
    ptx = folder / f"{source.stem}.{sm}{''.join(options)}.ptx"
    run(["nvcc", "-std=c++17", "-ptx", *options, f"-arch=compute_{sm}", "-o", ptx, source])
    return round_trip(binary, "ptxas", ptx)


def architectures_of(source, of=ARCHITECTURES):
    """Those that a source compiles for; NAME_sm90.cu is for that one alone."""
    alone = re.search(r"_sm(\d+)$", source.stem)
    if alone:
        return [alone[1] + "a"]
    first = FOLDERS.get(str(source.parent.relative_to(ROOT)), 75)
    return [sm for sm in of if int(sm.rstrip("a")) >= first]


def nvcc_cases(everything):
    sources = [(source, architectures_of(source)) for folder in FOLDERS for source in sorted((ROOT / folder).glob("*.cu"))]
    for i, (source, architectures) in enumerate(sources if everything else sources[::2]):
        for sm in architectures if everything else [architectures[i % len(architectures)]]:
            yield source, sm, ()
    yield ROOT / "tests/cuda/reduction.cu", "80", ("-lineinfo",)
    yield ROOT / "tests/cuda/functions.cu", "80", ("-G",)
    yield ROOT / "tests/cuda/atomics.cu", "90", ("-lineinfo",)


def triton_kernels(folder):
    """(ptxas, ptx files) of Triton, or nothing where it is not installed."""
    python = os.environ.get("WL_TRITON_PYTHON", sys.executable)
    where = "import triton.backends.nvidia as n; print(list(n.__path__)[0])"
    found = subprocess.run([python, "-c", where], capture_output=True, text=True)
    if found.returncode != 0:
        print("Triton is not installed: its kernels are not tried")
        return
    environment = dict(os.environ, TRITON_CACHE_DIR=str(folder / "cache"))
    run([python, ROOT / "tests/triton/compile.py", folder], env=environment)
    tools = pathlib.Path(found.stdout.strip()) / "bin"
    for ptx in sorted(folder.glob("*.ptx")):
        newest = tools / "ptxas-blackwell"
        yield (newest if newest.exists() else tools / "ptxas"), ptx


def jobs_of(arguments, folder):
    """(name, function, arguments) of everything to try."""
    for ptx in map(pathlib.Path, arguments.files):
        copy = pathlib.Path(shutil.copy(ptx, folder))
        yield ptx.name, round_trip, (arguments.binary, "ptxas", copy)
    if arguments.files:
        return
    for source, sm, options in nvcc_cases(arguments.all):
        name = " ".join([source.name, f"sm_{sm}", *options])
        yield name, nvcc_case, (arguments.binary, folder, source, sm, options)
    (folder / "triton").mkdir()
    for ptxas, ptx in triton_kernels(folder / "triton"):
        yield f"triton {ptx.name}", round_trip, (arguments.binary, ptxas, ptx)


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
    failures, code_bytes, count = [], 0, 0
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        jobs = [(job, pool.submit(function, *rest)) for job, function, rest in jobs_of(arguments, pathlib.Path(name))]
        for job, future in jobs:
            count += 1
            try:
                code_bytes += future.result()
            except RuntimeError as fault:
                failures.append(f"{job}: {fault}")
    print("\n".join(failures))
    print(f"{count - len(failures)} of {count} modules come back as the same {code_bytes:,} bytes of machine code")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
