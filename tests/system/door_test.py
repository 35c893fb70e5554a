#!/usr/bin/env python3
"""Programs with the drop-in CUDA libraries: unmodified, built with nvcc -cudart shared; each computes the right answer.

door_test.py WARPLEDGER [--all] [--table] [--only NAME ...] [--gpu GPU] [--arch SM]   exit code 77: no nvcc here
Without --all a subset that CI has time for. --table prints what docs/programs.md shows. Programs of another machine: tools/nightly (arm64).
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
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parents[1] / "programs/doors"
QUICK = ["vector_add", "reduction_shuffle", "transpose", "streams_events", "grid_sync", "managed_memory",
         "separate_compilation", "graph_capture", "launch_forms", "device_printf", "tile_reduce", "labeled_groups",
         "block_reduce", "graph_fork_join", "graph_memory_nodes", "graph_nodes", "graph_driver", "conditional_nodes",
         "capture_errors", "bad_pointers", "meet_from_branches", "jacobi_loop", "work_by_argument", "blas", "blas_lt",
         "random_numbers", "fourier", "sparse_product", "solver", "machine_code_only", "machine_code_alone", "driver_memory", "textures", "surfaces",
         "two_devices", "loaded_library"]
# What a planted fault must be called, and where it is; what must not be said.
PLANTED = {"bank_conflict": (0, "Bank conflicts", "bank_conflict.cu:6"),
           "uncoalesced": (0, "1. Uncoalesced", "uncoalesced.cu:7"),
           "modulo_reduction": (0, "Integer modulo by a run-time value(.|\n)*Lanes of a warp diverge",
                                "modulo_reduction.cu:10", "Partial sector writes"),
           "sum_in_memory": (0, "x is (loaded and )?stored in every iteration", "sum_in_memory.cu:6"),
           "one_counter": (0, "1. Threads update the same address", "one_counter.cu:5",
                           "atomic_functions|from DRAM \\["),
           "mapped_memory": (0, "1. .* over the bus: a, b, c lie in the host's memory", "mapped_memory.cu:6"),
           "escape_time": (0, "the limit: busy for", "escape_time.cu:", "Partial sector writes|Uncoalesced"),
           "halo": (0, "What to do", "", "swap the roles|Uncoalesced|arg1"),
           "out_of_bounds": (2, "out-of-bounds", "out_of_bounds.cu:6"),
           "endless": (2, "did not finish in 2 s", "endless.cu:1"),
           "keeps_going": (0, "24 such accesses at this instruction(.|\n)*PASSED", "keeps_going.cu:8")}
# Programs that call a math library, by its header: a toolkit may lack it.
LIBRARIES = {"blas": "cublas_v2.h", "blas_lt": "cublasLt.h", "random_numbers": "curand.h", "fourier": "cufft.h",
             "sparse_product": "cusparse.h", "solver": "cusolverDn.h"}
# What is said of them.
SAID = {"loaded_library": ("cudaGraphicsUnregisterResource is not supported",),
        "blas": ("cublasSspr_v2 is not supported", "cublasSgemm: A (168 bytes): 0x",
                 "library calls computed on the CPU: 11 of cuBLAS; they are not profiled"),
        "blas_lt": ("cublasLtMatmul with epilogue 130 is not supported",),
        "solver": ("cusolverDnDgesvd_bufferSize is not supported", "library calls computed on the CPU: 6 of cuSOLVER"),
        "random_numbers": ("generator of type 201 is not supported",)}
# Rows of the L1/TEX table that a program's profile has.
ROWS = {"textures": ("Texture",), "surfaces": ("Surface Load", "Surface Store")}
# What a planted fault is run with.
PLANTED_OPTIONS = {"endless": ("--timeout", "2"), "keeps_going": ("--on-error", "continue")}
# What a program is run with.
OPTIONS = {"two_devices": ("--devices", "2")}
# Judged with each engine by itself as well.
BOTH_ENGINES = ["tile_reduce", "labeled_groups", "block_reduce", "meet_from_branches", "textures", "surfaces"]
# Published cases (kernels/validation), smaller: kernel, grid, block, buffers of floats, then integers.
CASES = {"add_1d": ("matrix_add.cu", 256, 256, [65536, 65536, 65536], [65536]),
         "sum_interleaved": ("reduction.cu", 128, 256, [32768, 128], []),
         "sum_two_loads": ("reduction.cu", 64, 256, [32768, 64], [])}
# What programs are compiled for and profiled as: --arch and --gpu.
TARGET = {"arch": "sm_80", "gpu": "a100-80"}


def find_nvcc():
    home = os.environ.get("CUDA_HOME", "/usr/local/cuda")
    return shutil.which("nvcc") or shutil.which("nvcc", path=f"{home}/bin")


def build(nvcc, source, folder):
    """The program of a source; its flags are in its first line."""
    text = source.read_text()
    flags = re.findall(r"^// nvcc: (.*)", text)
    flags = [str(source.parent / f) if f.endswith(".cu") else f for f in (flags[0].split() if flags else [])]
    check = source.parent / "check.h"
    content = TARGET["arch"] + text + (check.read_text() if check.exists() else "")
    name = hashlib.sha256(content.encode()).hexdigest()[:16]
    program = folder / f"{source.stem}-{name}"
    link = folder / source.stem
    if not program.exists():
        target = [] if "-gencode" in flags else [f"-arch={TARGET['arch']}"]
        lines = [] if "-no-lineinfo" in flags else ["-lineinfo"]  # ours: nvcc has no such option
        flags = [flag for flag in flags if flag != "-no-lineinfo"]
        subprocess.run([nvcc, "-cudart", "shared", *target, *lines, *flags, str(source), "-o", str(link)],
                       check=True, capture_output=True, text=True)
        shutil.copy(link, program)
    return program


def profile(binary, program, *options):
    start = time.time()
    done = subprocess.run([binary, "profile", "--gpu", TARGET["gpu"], *options, str(program)], capture_output=True,
                          text=True, timeout=600)
    return done, time.time() - start


def judge(binary, nvcc, source, folder):
    try:
        program = build(nvcc, source, folder)
    except subprocess.CalledProcessError as error:
        return source.stem, False, 0, 0.0, error.stderr[-300:]
    if source.parent.name == "planted":
        code, what, where, *never = PLANTED[source.stem]
        done, seconds = profile(binary, program, *PLANTED_OPTIONS.get(source.stem, ()))
        said = done.stderr + done.stdout
        right = done.returncode == code and re.search(what, said) and where in said
        right = right and not any(re.search(words, said) for words in never)
    else:
        done, seconds = profile(binary, program, *OPTIONS.get(source.stem, ()))
        right = done.returncode == 0 and re.search("^PASSED$", done.stdout, re.M)
    right = right and all(words in done.stderr for words in SAID.get(source.stem, ()))
    for row in ROWS.get(source.stem, ()):
        right = right and re.search(rf"^{row} +[1-9]", done.stdout, re.M)
    for engine in ("jit", "reference") if source.stem in BOTH_ENGINES else ():
        by_one, _ = profile(binary, program, "--engine", engine)
        right = right and by_one.returncode == 0 and re.search("^PASSED$", by_one.stdout, re.M)
    if source.stem in ("block_reduce", "meet_from_branches"):  # lanes wait where they are, or for another path
        right = right and ("interpreted (slow)" in done.stdout) == (source.stem != "block_reduce")
    if right and source.stem == "vector_add":  # a second run: from the store, byte-identical
        right = profile(binary, program)[0].stdout == done.stdout
    pages = re.findall(r"Context 1, Stream 7.*?(?:, x (\d+))?$", done.stdout, re.M)
    launches = sum(int(count or 1) for count in pages)
    if right and source.stem == "launch_forms":  # every profile has its row and its page
        page = folder / f"{source.stem}.html"
        profile(binary, program, "-o", str(page))
        text = page.read_text()
        right = launches > 1 and text.count("<article ") == len(pages) and text.count("<tr data-page=") == (len(pages) if len(pages) > 1 else 0)
        right = right and "__global__" in text  # found where nvcc had found it
    right = bool(right) and (launches > 0 or source.stem in ("out_of_bounds", "endless"))
    return source.stem, right, launches, seconds, "" if right else (done.stdout[-200:] + done.stderr[-400:])


def judge_case(binary, nvcc, kernel, folder):
    """The same kernel through the door and through its file: every metric the same."""
    file, grid, block, buffers, numbers = CASES[kernel]
    source = HERE.parents[2] / "kernels" / "validation" / file
    pair = lambda n: ",".join(map(str, n)) if isinstance(n, tuple) else str(n)  # noqa: E731
    names = [f"p{i}" for i in range(len(buffers))]
    text = f'#include "{source}"\nint main() {{\n'
    for name, count in zip(names, buffers):
        text += f"  float* {name};\n  if (cudaMalloc(&{name}, {count} * sizeof(float))) return 2;\n"
    text += (f"  {kernel}<<<dim3({pair(grid)}), dim3({pair(block)})>>>({', '.join(names + list(map(str, numbers)))});\n"
             "  return cudaDeviceSynchronize();\n}\n")
    main_file = folder / f"case_{kernel}.cu"
    main_file.write_text(text)
    program = build(nvcc, main_file, folder)
    page = ["--gpu", TARGET["gpu"], "--page", "raw", "--csv"]
    door = subprocess.run([binary, "-q", "profile", *page, str(program)], capture_output=True, text=True)
    arguments = [x for count in buffers for x in ("--arg", f"f32[{count}]:zero")]
    arguments += [x for n in numbers for x in ("--arg", f"i32:{n}")]
    alone = subprocess.run([binary, "-q", "profile", str(source), "--kernel", kernel, "--grid", pair(grid), "--block",
                            pair(block), *page, *arguments], capture_output=True, text=True)
    right = door.returncode == 0 and alone.returncode == 0 and door.stdout == alone.stdout and "dram" in door.stdout
    metrics = len(door.stdout.splitlines()[0].split(",")) if door.stdout else 0
    return f"case {kernel}", right, metrics, 0.0, "" if right else (door.stdout[-600:] + door.stderr[-300:] +
                                                                    alone.stdout[-600:] + alone.stderr[-300:])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--table", action="store_true")
    parser.add_argument("--only", nargs="*", default=[])
    parser.add_argument("--arch", default=TARGET["arch"])
    parser.add_argument("--gpu", default=TARGET["gpu"])
    options = parser.parse_args()
    TARGET.update(arch=options.arch, gpu=options.gpu)
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
    headers = Path(nvcc).resolve().parent.parent / "include"
    absent = [s for s in sources if not (headers / LIBRARIES.get(s.stem, "")).exists()]
    for source in absent:
        print(f"skipped: {source.stem}, no {LIBRARIES[source.stem]}")
    sources = [s for s in sources if s not in absent]
    folder = doors.parent.parent.parent / "door_programs"
    folder.mkdir(exist_ok=True)
    for old in folder.glob("store.sqlite*"):
        old.unlink()
    os.environ["WARPLEDGER_STORE"] = str(folder / "store.sqlite")
    good = True
    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        cases = [case for case in CASES if not options.only or case in options.only]
        jobs = [pool.submit(judge, options.binary, nvcc, source, folder) for source in sources]
        jobs += [pool.submit(judge_case, options.binary, nvcc, case, folder) for case in cases]
        for name, right, launches, seconds, said in (job.result() for job in jobs):
            good &= right
            if options.table:
                print(f"| {name} | {launches} | {'right' if right else 'WRONG'} |")
            else:
                print(f"{name:28} {'ok' if right else 'FAILED'} {launches:4} launches {seconds:6.1f} s")
            if said:
                print(said)
    return 0 if good else 1


def run_tests_in(folder):
    """Runs the unittest cases of the calling script, which build programs in `folder`."""
    if find_nvcc() is None or not (folder.parent / "lib/warpledger/libcudart.so.13").exists():
        print("skipped: no nvcc, or no doors")
        sys.exit(77)
    folder.mkdir(exist_ok=True)
    unittest.main()


if __name__ == "__main__":
    sys.exit(main())
