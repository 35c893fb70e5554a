"""What tests of real compilers' PTX share: which kernels exist, and how each is tested.

Used by ptx_round_trip.py, witness_test.py and cutlass_test.py. A script's job is a name, a function
and its arguments; the function answers with numbers or raises.
"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
ARCHITECTURES = ["75", "80", "86", "89", "90a", "100a", "120a"]
FIRST_ARCHITECTURE = {"tests/programs": 80, "kernels": 80}  # of a folder's sources; 75 elsewhere
# Sources whose instructions are not everywhere: cp.async from sm_80 on, fp8 from sm_89 on, int4 up to sm_89.
FIRST_OF_SOURCE = {"private_tiles": 80, "private_tiles_integer": 80, "block_tiles": 80, "wmma_stages": 80, "mma_fp8": 89}
LAST_OF_SOURCE = {"private_tiles_integer": 89}
SKIPPED = 77  # what ctest takes for "skipped"


def run(command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError(f"{command[0]} failed: {done.stderr.strip()[:600]}")
    return done.stdout


def target_of(ptx):
    for line in pathlib.Path(ptx).read_text().splitlines():
        if line.startswith(".target"):
            return line.split()[1].rstrip(",")
    raise RuntimeError("no .target")


def architectures_of(source):
    """Those that a source compiles for; NAME_sm90.cu is for that one alone."""
    alone = re.search(r"_sm(\d+)$", source.stem)
    if alone:
        return [alone[1] + "a"]
    first = FIRST_OF_SOURCE.get(source.stem, FIRST_ARCHITECTURE.get(str(source.parent.relative_to(ROOT)), 75))
    last = LAST_OF_SOURCE.get(source.stem, 999)
    return [sm for sm in ARCHITECTURES if first <= int(sm.rstrip("a")) <= last]


def sources_of(folders):
    return [source for folder in folders for source in sorted((ROOT / folder).glob("*.cu"))]


def compilations(sources, everything):
    """(source, architecture): all there are, or another architecture for each source in turn."""
    for i, source in enumerate(sources):
        architectures = architectures_of(source)
        for sm in architectures if everything else [architectures[i % len(architectures)]]:
            yield source, sm


def triton_kernels(folder):
    """(ptxas, ptx file) of Triton's kernels, or nothing where it is not installed."""
    python = os.environ.get("WL_TRITON_PYTHON", sys.executable)
    where = "import triton.backends.nvidia as n; print(list(n.__path__)[0])"
    found = subprocess.run([python, "-c", where], capture_output=True, text=True)
    if found.returncode != 0:
        print("Triton is not installed: its kernels are not tried")
        return
    folder.mkdir()
    environment = dict(os.environ, TRITON_CACHE_DIR=str(folder / "cache"))
    run([python, ROOT / "tests/programs/triton/compile.py", folder], env=environment)
    tools = pathlib.Path(found.stdout.strip()) / "bin"
    for ptx in sorted(folder.glob("*.ptx")):
        newest = tools / "ptxas-blackwell"
        yield (newest if newest.exists() else tools / "ptxas"), ptx


def cutlass_include():
    if "WL_CUTLASS_INCLUDE" in os.environ:
        return pathlib.Path(os.environ["WL_CUTLASS_INCLUDE"])
    where = "import importlib.util as u; print(u.find_spec('cutlass_library').submodule_search_locations[0])"
    found = subprocess.run([sys.executable, "-c", where], capture_output=True, text=True)
    include = pathlib.Path(found.stdout.strip()) / "source/include"
    return include if found.returncode == 0 and include.exists() else None


def arguments_or_skip():
    """WARPLEDGER [--all] [FILE.ptx ...]; without nvcc and ptxas there is nothing to try."""
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--all", action="store_true", default="WL_NIGHTLY" in os.environ)
    arguments = parser.parse_args()
    missing = [tool for tool in ("nvcc", "ptxas") if shutil.which(tool) is None]
    if missing:
        print(f"{', '.join(missing)} not found")
        sys.exit(1 if "WL_REQUIRE_TOOLKIT" in os.environ else SKIPPED)
    return arguments


def try_all(jobs_of, arguments, workers):
    """(answers, number of jobs) of jobs_of(arguments, folder), the failures printed."""
    answers, failures = [], []
    with tempfile.TemporaryDirectory() as name, concurrent.futures.ThreadPoolExecutor(workers) as pool:
        jobs = [(job, pool.submit(function, *rest)) for job, function, rest in jobs_of(arguments, pathlib.Path(name))]
        for job, future in jobs:
            try:
                answers.append(future.result())
            except (RuntimeError, subprocess.CalledProcessError) as fault:
                failures.append(f"{job}: {fault}")
    print("\n".join(failures))
    return answers, len(jobs)
