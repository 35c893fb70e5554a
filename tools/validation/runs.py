"""Runs a case: `warpledger profile`, then `warpledger compare` with the report as hardware. Results are kept in a folder."""
import concurrent.futures
import csv
import functools
import hashlib
import io
import json
import math
import os
import pathlib
import subprocess
import sys
import tempfile
import time
from importlib.machinery import SourceFileLoader

from validation import compilers
from validation.cases import DATA, KERNELS, ROOT, argument_of, read_gpu
from validation.program import identity

LIMIT = 20_000_000_000  # warp instructions: what is interpreted may take minutes, and ends


def volta_ptx(source, folder):
    """CUDA 13 does not know sm_70: NVRTC of CUDA 12 makes the PTX."""
    wheels = ROOT / "build/volta"
    SourceFileLoader("check_volta", str(ROOT / "tools/check-volta")).load_module().install(wheels)
    path = folder / f"{source.stem}.sm_70.ptx"
    path.write_bytes(compilers.nvrtc_ptx(wheels, source, ["--gpu-architecture=compute_70", "-lineinfo"]))
    return path


def source_of(case, folder):
    """What is profiled: the kernel's file, or its PTX by another compiler."""
    source, arch = KERNELS / case["file"], case.get("arch", read_gpu(case["gpu"])["arch"])
    if arch == "sm_70":
        return volta_ptx(source, folder)
    if "compiler" in case:
        return compilers.ptx_of(source, case["compiler"], arch, case.get("nvcc", []), folder)
    return source


def command_of(binary, case, folder, options):
    source = source_of(case, folder)
    command = [str(binary), "profile", str(source), "--kernel", case["kernel"], "--gpu", str(ROOT / f"gpus/{case['gpu']}.toml"),
               "--grid", ",".join(map(str, case["grid"])), "--block", ",".join(map(str, case["block"]))]
    for argument in case["arguments"]:
        command += ["--arg", argument_of(argument, folder)]
    if "shared" in case:
        command += ["--smem", str(case["shared"])]
    if source.suffix == ".cu":
        command += [f"--nvcc={flag}" for flag in case.get("nvcc", [])]
    if "arch" in case:
        command += ["--arch", case["arch"]]
    if "prefer" in case:
        command += ["--prefer", case["prefer"]]
    if "registers" in case:
        command += ["--registers", str(case["registers"])]
    if "budget" in case:
        command += ["--max-seconds", str(case["budget"])]
    return command + ["--json", "--no-store", "--limit", str(LIMIT)] + options


def environment_of(case):
    """sm_70 needs the assembler and the disassembler of CUDA 12, a compiler of the report's time its own assembler."""
    env = dict(os.environ)
    if "compiler" in case:
        env["PATH"] = f"{compilers.first_in_path(case['compiler'])}:{env['PATH']}"
        env.pop("CUDA_HOME", None)
    if read_gpu(case["gpu"])["arch"] == "sm_70":
        volta = ROOT / "build/volta"
        env["PATH"] = f"{volta}/nvidia/cuda_nvcc/bin:{volta}/triton/backends/nvidia/bin:{env['PATH']}"
        env.pop("CUDA_HOME", None)
    return env


def parse_profile(text):
    """What is compared, and what tools/fit-time needs."""
    profile = json.loads(text)
    numbers = {name: (m["value"], m["unit"]) for name, m in profile["metrics"].items() if isinstance(m["value"], (int, float))}
    machine, states = profile.get("machine", {}), profile.get("states", {})
    return {"metrics": numbers, "timing": profile.get("timing"), "units": profile["units"], "execution": profile["execution"],
            "engine": profile["engine"], "opcodes": machine.get("opcodes"), "instructions": machine.get("instructions"),
            "sm_cycles": states.get("cycles")}


def compare_with_report(binary, case, profile_text):
    """{metric: [the report's value, ours]}, by `warpledger compare REPORT PROFILE`: every metric that both have."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "profile.json"
        path.write_text(profile_text)
        command = [str(binary), "compare", str(DATA / f"{case['name']}.csv"), str(path), "--format", "csv"]
        text = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    return {row["metric"]: [float(row["before"]), float(row["after"])] for row in csv.DictReader(io.StringIO(text))}


# What a case's result depends on; its other keys are notes.
LAUNCH_KEYS = ["gpu", "kernel", "grid", "block", "arguments", "shared", "nvcc", "arch", "compiler", "prefer", "registers", "budget"]


NOT_RUN = "not run: "


class Limits:
    """How long a run may take; a case that does not fit says so."""

    def __init__(self, minutes=None, seconds=None):
        self.end = None if minutes is None else time.monotonic() + 60 * minutes
        self.seconds = seconds

    @property
    def are_over(self):
        return self.end is not None and time.monotonic() > self.end


def profile_text(command, case, limits):
    """(what `warpledger profile` prints, None), or (None, why there is nothing)."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, env=environment_of(case), timeout=limits.seconds)
    except subprocess.TimeoutExpired:
        return None, f"{NOT_RUN}takes more than {limits.seconds:.0f} s"
    if done.returncode == 0:
        return done.stdout, None
    return None, (done.stderr or done.stdout).strip()[:2000] or f"code {done.returncode}"


def launch_of(case):
    return {key: case[key] for key in LAUNCH_KEYS if key in case}


def run_case(binary, program, case, folder, options, limits, profiled):
    """`profiled`: called for profile_text() of the case's launch."""
    facts = hashlib.sha256((ROOT / f"gpus/{case['gpu']}.toml").read_bytes()).hexdigest()
    source = hashlib.sha256(b"".join(path.read_bytes() for path in [KERNELS / case["file"], *sorted(KERNELS.glob("*.cuh"))])).hexdigest()
    report = hashlib.sha256((DATA / f"{case['name']}.csv").read_bytes()).hexdigest()
    key = [program, launch_of(case), options, facts, source, report]
    if "compiler" in case:
        key.append(hashlib.sha256(pathlib.Path(compilers.__file__).read_bytes()).hexdigest())
    key = json.dumps(key, sort_keys=True)
    path = folder / f"{case['name']}.{hashlib.sha256(key.encode()).hexdigest()[:16]}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if "compared" in kept:
            return kept
    if limits.are_over:
        return {"error": NOT_RUN + "no time left", "seconds": 0}
    start = time.monotonic()
    text, error = profiled()
    result = {"seconds": round(time.monotonic() - start, 2)}
    if error is not None:
        return {"error": error, **result}
    result.update(parse_profile(text), compared=compare_with_report(binary, case, text))
    for old in folder.glob(f"{case['name']}.*.json"):
        old.unlink()
    path.write_text(json.dumps(result))
    return result


def threads_of(case):
    return math.prod(case["grid"]) * math.prod(case["block"])


def cost_of(case):
    """A sort key: cases with `seconds` in cases.toml (slower than their thread count suggests), then larger grids."""
    return case.get("seconds", 0), threads_of(case)


def run_all(binary, cases, folder, options, jobs, limits):
    """Runs the largest cases first, so that no core idles at the end; with a time limit, the smallest first. A launch that several reports
    measure is profiled once."""
    program = identity(binary)
    results = {}
    launches = {}
    for case in sorted(cases, key=cost_of, reverse=limits.end is None):
        launches.setdefault(json.dumps([case["file"], launch_of(case)]), []).append(case)

    def run_launch(cases):
        profiled = functools.cache(lambda: profile_text(command_of(binary, cases[0], folder, options), cases[0], limits))
        return {case["name"]: run_case(binary, program, case, folder, options, limits, profiled) for case in cases}

    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        for future in concurrent.futures.as_completed([pool.submit(run_launch, cases) for cases in launches.values()]):
            results |= future.result()
            name = next(iter(future.result()))
            engine = results[name].get("engine", "compiled")
            if engine != "compiled":
                print(f"{name}: {engine}", file=sys.stderr)
            if sys.stderr.isatty():
                print(f"{len(results)}/{len(cases)} {name} {results[name]['seconds']} s", file=sys.stderr)
    return results
