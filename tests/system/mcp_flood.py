#!/usr/bin/env python3
"""1,000 calls of the MCP server at once and 100 killed clients do not harm it; prints p50 and p95.   mcp_flood.py WARPLEDGER

Needs the MCP SDK in the Python that runs it (tools/nightly). One server answers all calls; those who die have servers of their own, since one
client and one server share a pipe, and every process of theirs must be gone afterwards.
"""
import json
import os
import pathlib
import signal
import statistics
import subprocess
import sys
import tempfile
import time

import anyio
import mcp

BINARY = pathlib.Path(sys.argv[1]).resolve()
CALLS, KILLED = (int(n) for n in (sys.argv[2:4] or (1000, 100)))
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))  # the server itself needs no compiled module: it runs the command
STORE = tempfile.mkdtemp(prefix="warpledger-")
ENVIRONMENT = {**os.environ, "WARPLEDGER_COMMAND": str(BINARY), "WARPLEDGER_STORE": f"{STORE}/kept.sqlite"}
SERVER = [sys.executable, "-c", f"import sys, types; p = types.ModuleType('warpledger'); p.__path__ = [{str(ROOT / 'python/warpledger')!r}]; "
                                "sys.modules['warpledger'] = p; from warpledger.mcp.__main__ import main; main()"]
TRANSPOSE = {"file": str(ROOT / "examples/budgets/transpose.ptx"), "kernel": "transpose_tiled", "gpu": "a100", "grid": [2, 2], "block": [32, 32],
             "args": ["in=f32[64x64]:index", "out=f32[64x64]", "i32:64"]}


def launch(number):
    """Ten questions: the first call of each computes, the others find it in the store."""
    return {"launch": {**TRANSPOSE, "options": ["--regs", "16", "--no-sass", "--seed", str(number % 10 + 1)]}}


async def flood():
    """Seconds of each call, all begun at once; answers of a server that has just had them all."""
    taken, faults = [], []
    server = mcp.StdioServerParameters(command=SERVER[0], args=SERVER[1:], env=ENVIRONMENT)
    async with mcp.Client(server) as client:
        async def one(number):
            begun = time.perf_counter()
            got = await client.call_tool("explain", launch(number))
            taken.append(time.perf_counter() - begun)
            if got.is_error or "[bank-conflicts]" not in got.content[0].text:
                faults.append(got)

        alone = []
        for number in range(50):
            begun = time.perf_counter()
            await client.call_tool("explain", launch(number))
            alone.append(time.perf_counter() - begun)
        begun = time.perf_counter()
        async with anyio.create_task_group() as group:
            for number in range(CALLS):
                group.start_soon(one, number)
        wall = time.perf_counter() - begun
        after = await client.call_tool("rule", {"name": "race"})
        faults += [after] if after.is_error else []
    return alone, taken, wall, faults


def children():
    """Command lines of processes that use our store."""
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if STORE.encode() in (folder / "environ").read_bytes():
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace"))
        except OSError:
            continue
    return found


def dying_client(number):
    """Begins a session and a call, then its end of the pipes is gone."""
    process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    greeting = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {
        "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "dying", "version": "1"}}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "explain", "arguments": launch(100 + number)}}
    for message in (greeting, {"jsonrpc": "2.0", "method": "notifications/initialized"}, call):
        process.stdin.write(json.dumps(message).encode() + b"\n")
    process.stdin.flush()
    return process


def kill_clients():
    """In groups of ten: half close their pipes, half kill the server too."""
    for first in range(0, KILLED, 10):
        group = [dying_client(first + i) for i in range(min(10, KILLED - first))]
        time.sleep(1)
        for i, process in enumerate(group):
            if i % 2:
                process.send_signal(signal.SIGKILL)
            process.stdin.close()
            process.stdout.close()
        for process in group:
            process.wait(timeout=60)
    deadline = time.monotonic() + 130  # what a killed server had started ends by itself
    while children() and time.monotonic() < deadline:
        time.sleep(0.2)
    return children()


def main():
    alone, taken, wall, faults = anyio.run(flood)
    for name, seconds in (("one after another, from the store", alone[10:]), (f"{CALLS} at once", taken)):
        ordered = sorted(seconds)
        print(f"{name}: p50 {1e3 * statistics.median(ordered):.0f} ms, p95 {1e3 * ordered[int(0.95 * (len(ordered) - 1))]:.0f} ms")
    print(f"{len(taken)} calls at once: {len(taken) / wall:.1f} a second, {len(faults)} faults")
    left = kill_clients()
    print(f"{KILLED} clients killed: {len(left)} processes left {left[:3]}")
    return 1 if faults or left or len(taken) != CALLS else 0


if __name__ == "__main__":
    sys.exit(main())
