#!/usr/bin/env python3
"""How long answers of a warm server take, and how many a second:   serve.py WARPLEDGER [--requests N] [--jobs N ...] [--processes N ...]

Prints the tables of docs/scale.md. The kernel is examples/budgets/transpose.ptx with ptxas and nvdisasm where they are installed; every
request is another launch, so that none is answered from a store. Times are on the clock, beside the load average.
"""
import argparse
import concurrent.futures
import json
import os
import pathlib
import socket
import statistics
import subprocess
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[1]


def request(number, sass=True):
    """Launches of a transpose of 64 x 64 that differ in what they read: each is a question of its own."""
    return json.dumps({"id": number, "file": str(ROOT / "examples/budgets/transpose.ptx"), "kernel": "transpose_tiled", "gpu": "a100",
                       "grid": [2, 2], "block": [32, 32], "arguments": ["in=f32[64x64]:index", "out=f32[64x64]", "i32:64"],
                       "options": {"seed": number + 1, "sass": sass}})


def server(binary, folder, *options):
    path = pathlib.Path(folder) / f"socket{time.monotonic_ns()}"
    environment = {**os.environ, "WARPLEDGER_STORE": str(pathlib.Path(folder) / "kept.sqlite")}
    process = subprocess.Popen([binary, "serve", "--socket", path, *options], env=environment, stderr=subprocess.PIPE, text=True)
    process.stderr.readline()
    return process, path


def ask(path, lines):
    """Seconds that each answer took, over one connection."""
    with socket.socket(socket.AF_UNIX) as client:
        client.connect(str(path))
        file = client.makefile("rw")
        taken = []
        for line in lines:
            begun = time.perf_counter()
            file.write(line + "\n")
            file.flush()
            answer = json.loads(file.readline())
            taken.append(time.perf_counter() - begun)
            assert "explain" in answer, answer
        return taken


def quantiles(seconds):
    ordered = sorted(seconds)
    return f"{1e3 * statistics.median(ordered):.1f} ms | {1e3 * ordered[int(0.95 * (len(ordered) - 1))]:.1f} ms"


def latency(binary, folder, count):
    print("| warm answer, one client | p50 | p95 | first |\n|---|---|---|---|")
    for name, sass in (("with machine code (ptxas and nvdisasm, once a kernel)", True), ("without", False)):
        process, path = server(binary, folder, "--jobs", "1", "--no-store")
        [first] = ask(path, [request(0, sass)])
        print(f"| {name} | {quantiles(ask(path, [request(1 + i, sass) for i in range(count)]))} | {1e3 * first:.0f} ms |", flush=True)
        process.terminate()
        process.wait()
    process, path = server(binary, folder, "--jobs", "1")
    ask(path, [request(0)])
    print(f"| the same question, from the store | {quantiles(ask(path, [request(0)] * count))} | |", flush=True)
    process.terminate()
    process.wait()


def family(pid):
    """The process and its descendants."""
    try:
        below = [int(one) for task in pathlib.Path(f"/proc/{pid}/task").iterdir() for one in (task / "children").read_text().split()]
    except OSError:  # a sandbox that has ended
        below = []
    return [pid, *(one for child in below for one in family(child))]


def peak(pid):
    """Peak resident memory in MiB."""
    try:
        return int(pathlib.Path(f"/proc/{pid}/status").read_text().split("VmHWM:")[1].split()[0]) >> 10
    except (OSError, IndexError):
        return 0


def throughput(binary, folder, count, processes, jobs):
    """Requests a second over `processes` servers with `jobs` jobs each, as many clients as jobs."""
    servers = [server(binary, folder, "--jobs", str(jobs), "--no-store") for _ in range(processes)]
    for _, path in servers:
        ask(path, [request(0)])
    share = count // (processes * jobs)
    paths = [path for _, path in servers for _ in range(jobs)]
    begun, used = time.perf_counter(), os.times()
    with concurrent.futures.ThreadPoolExecutor(len(paths)) as pool:
        lines = [[request(1 + k * share + i) for i in range(share)] for k in range(len(paths))]
        taken = [one for part in pool.map(ask, paths, lines) for one in part]
    wall = time.perf_counter() - begun
    memory = 0
    for process, _ in servers:
        memory = max(memory, *map(peak, family(process.pid)))
        process.terminate()
        process.wait()
    after = os.times()
    cpu = after.children_user + after.children_system - used.children_user - used.children_system
    rate = len(taken) / wall
    print(f"| {processes} | {jobs} | {len(taken):,} | {rate:.0f} | {1e3 * cpu / len(taken):.1f} ms | {quantiles(taken)} | {memory} MiB | "
          f"{1e6 / rate / 3600:.1f} h |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--requests", type=int, default=1000)
    parser.add_argument("--pairs", nargs="*", default=["1x1", "1x2", "1x4", "2x1"], help="SERVERSxWORKERS, e.g. 1x2: one server with two workers")
    options = parser.parse_args()
    binary = pathlib.Path(options.binary).resolve()
    print(f"load average {os.getloadavg()[0]:.1f}, {os.cpu_count()} processors")
    with tempfile.TemporaryDirectory() as folder:
        latency(binary, folder, min(options.requests, 200))
        print("\n| servers | workers of each | profiles | per second | processor time per profile | p50 | p95 | peak memory of a worker | a million |")
        print("|---|---|---|---|---|---|---|---|---|")
        for pair in options.pairs:
            processes, jobs = map(int, pair.split("x"))
            throughput(binary, folder, options.requests, processes, jobs)


if __name__ == "__main__":
    main()
