#!/usr/bin/env python3
"""PTX of real compilers, parsed and printed back, assembles to the same machine code.

    ptx_round_trip.py WARPLEDGER [--all] [FILE.ptx ...]

For our kernels, the sources of tests/inputs/cuda and tests/programs, and each architecture: nvcc makes PTX,
`warpledger ptx --print` prints it back, ptxas assembles both, and the .text sections of the two cubins
must be the same bytes. Without --all (or WL_NIGHTLY=1) every fourth source is tried, each for one
architecture, another one for each source.
Where a Python with Triton 3.9 is at hand (this one, or WL_TRITON_PYTHON), its kernels are tried too,
with the ptxas that Triton brings. Files named on the command line are tried alone.
"""
import os
import pathlib
import shutil
import struct
import sys

from compiled_cases import ROOT, arguments_or_skip, compilations, run, sources_of, target_of, triton_kernels, try_all


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


def nvcc_cases(everything):
    sources = sources_of(["tests/inputs/cuda", "tests/programs", "kernels"])
    for source, sm in compilations(sources if everything else sources[1::4], everything):
        yield source, sm, ()
    yield ROOT / "tests/inputs/cuda/reduction.cu", "80", ("-lineinfo",)
    yield ROOT / "tests/inputs/cuda/functions.cu", "80", ("-G",)
    yield ROOT / "tests/inputs/cuda/atomics.cu", "90", ("-lineinfo",)


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
    for ptxas, ptx in triton_kernels(folder / "triton"):
        yield f"triton {ptx.name}", round_trip, (arguments.binary, ptxas, ptx)


def main():
    answers, count = try_all(jobs_of, arguments_or_skip(), os.cpu_count())
    print(f"{len(answers)} of {count} modules come back as the same {sum(answers):,} bytes of machine code")
    sys.exit(len(answers) != count)


if __name__ == "__main__":
    main()
