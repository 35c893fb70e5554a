"""A complete agent loop over MCP: from a naive matrix product to a register-tiled one in five steps. What is changed next is chosen from
the last answer alone: the agent knows four edits of the code, each by the words with which an answer asks for it. Skipped without the SDK or nvcc."""
import os
import pathlib
import re
import sys
import tempfile

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed (pip install 'warpledger[mcp]'; tools/nightly does)")

import anyio
import mcp

ROOT = pathlib.Path(__file__).resolve().parents[3]
N = 512
# What an answer asks for -> the edit, what the code must have had before it, and the kernel with it. kernels/gemm_ladder.cu has them all.
EDITS = [("swap the roles of the thread indices", "coalesced", set(), "gemm_coalesced"),
         ("share tiles in shared memory", "shared", {"coalesced"}, "gemm_shared"),
         ("register tiling", "register-tiled", {"coalesced", "shared"}, "gemm_register"),
         ("64 or 128 bits per lane", "vectorized", {"coalesced", "shared", "register-tiled"}, "gemm_vectorised")]


def launch(kernel):
    tiled = kernel in ("gemm_register", "gemm_vectorised")
    side = N // (64 if tiled else 32)
    return {"file": str(ROOT / "kernels/gemm_ladder.cu"), "kernel": kernel, "gpu": "rtx3060", "grid": [side, side],
            "block": [256] if tiled else [32, 32], "args": [f"a=f32[{N}x{N}]:random", f"b=f32[{N}x{N}]:random", f"c=f32[{N}x{N}]", f"i32:{N}"]}


def choose(answer, done):
    """The first edit that the answer's changes ask for and that fits the code as it is; None: nothing is left to do."""
    wanted = " ".join(re.findall(r"^change \d+ +(.*)$", answer, re.M))
    for words, name, needs, kernel in EDITS:
        if words in wanted and name not in done and needs <= done:
            return name, kernel
    return None


async def loop(client):
    """(edit, rule of the first finding, verdict) of each step, and the last answer."""
    async def ask(tool, **arguments):
        got = await client.call_tool(tool, {**arguments, "seconds": 600})
        assert not got.is_error, got
        return got.content[0].text

    kernel, done, steps = "gemm_naive", set(), []
    answer = await ask("explain", launch=launch(kernel))
    while choice := choose(answer, done):
        name, candidate = choice
        rule = re.search(r"^why 1 +\[([^\]]*)\]", answer, re.M)
        compared = await ask("compare", before=launch(kernel), after=launch(candidate))
        since = re.search(r"^since +\[[^\]]*\] (\w+):", compared, re.M)
        steps.append((name, rule and rule.group(1), since and since.group(1)))
        done.add(name)
        if steps[-1][2] == "faster":
            kernel, answer = candidate, compared[compared.index("\nlaunch") + 1:]
    return steps, kernel, answer


def test_an_agent_goes_from_naive_to_register_tiled(nvcc):
    environment = {**os.environ, "WARPLEDGER_STORE": f"{tempfile.mkdtemp(prefix='warpledger-')}/kept.sqlite"}

    async def run():
        server = mcp.StdioServerParameters(command=sys.executable, args=["-m", "warpledger.mcp"], env=environment)
        async with mcp.Client(server) as client:
            return await loop(client)

    steps, kernel, answer = anyio.run(run)
    print(*steps, kernel, answer, sep="\n")
    assert [name for name, _, _ in steps] == ["coalesced", "shared", "register-tiled", "vectorized"]
    assert [rule for _, rule, _ in steps][:3] == ["uncoalesced", "lsu-bound", "lsu-bound"]
    assert {verdict for _, _, verdict in steps} == {"faster"}
    assert kernel == "gemm_vectorised" and "limit" in answer
