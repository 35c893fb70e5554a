"""The tools. Each runs the command and hands its words on; a failure becomes an error that says what to do."""
from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Annotated

import anyio
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from pydantic import Field

from ._command import Failure, Ran, bounded, run
from ._launch import REPORTS, Launch

INSTRUCTIONS = """warpledger models GPU kernels without a GPU. Start with `explain`: at most 15 lines that say what limits a launch, why,
what to change and what it would give. Change one thing, then `compare` before and after. `measure this one` means that the model cannot
decide: time it on hardware, or do not act on it. The other tools answer single questions: occupancy, bank conflicts of a layout, shared
memory plans, budgets. Counts are exact, times are modeled."""

server = MCPServer("warpledger", instructions=INSTRUCTIONS)
_running = anyio.Semaphore(max(2, os.cpu_count() or 2))  # further calls wait their turn

Seconds = Annotated[float, Field(gt=0, le=600, description="Time limit in seconds.")]


@contextlib.contextmanager
def _failures() -> Iterator[None]:
    try:
        yield
    except Failure as failure:
        raise ToolError(str(failure)) from None


async def _ask(context: Context, words: list[str], seconds: float, *, accepted: tuple[int, ...] = (0,)) -> Ran:
    """Runs the command; what it complains about is the error."""
    async def tell(elapsed: float) -> None:
        await context.report_progress(elapsed, None, f"warpledger {words[0]}: {elapsed:.0f} s")

    async with _running:
        ran = await run(["-q", *words], seconds=seconds, progress=tell)
    if ran.code not in accepted:
        raise Failure(bounded(ran.err.strip() or ran.out.strip() or f"warpledger ended with code {ran.code}", 4_000))
    return ran


@server.tool(structured_output=False)
async def explain(context: Context, launch: Launch, seconds: Seconds = 120) -> str:
    """What limits a kernel launch, why (with its source line), what to change, what it would give, how certain: at most 15 lines per launch.

    Each line names its [rule]; the tool `rule` says more about one. Use this first, and after each change."""
    with _failures(), launch.placed() as path:
        ran = await _ask(context, ["explain", *launch.words(path, seconds)], seconds)
        return bounded(ran.out)


@server.tool(structured_output=False)
async def rule(context: Context, name: Annotated[str, Field(description="A rule ID such as bank-conflicts. Leave it empty to list all rules.")] = "") -> str:
    """The page of a rule: why it costs, what to do, when it is reported, what its estimate is."""
    with _failures():
        if name.startswith("-") or "/" in name:
            raise Failure(f"'{name}' is not a rule: call rule without a name for the list")
        ran = await _ask(context, ["explain", name] if name else ["explain", "--rules"], 30)
        return bounded(ran.out)


@server.tool(structured_output=False)
async def profile(context: Context, launch: Launch,
                  metrics: Annotated[list[str], Field(description="Metric names as in Nsight Compute. Leave it empty for traffic, busiest units and findings.")] = [],  # noqa: B006
                  keep: Annotated[str, Field(description="Save the profile to this file (.wlrep), for compare and explain.")] = "",
                  seconds: Seconds = 120) -> str:
    """A launch's traffic between threads, L1, L2 and DRAM, its busiest units and findings; or single metrics under Nsight Compute's names.

    Prefer `explain` for deciding what to change: it says the same as a diagnosis."""
    with _failures(), launch.placed() as path:
        words = ["profile", *launch.words(path, seconds)]
        if path.endswith(REPORTS):
            words[1:2] = ["--import", path]
        extra = ["--metrics", ",".join(metrics)] if metrics else []
        extra += ["-o", keep] if keep else []
        words[1:1] = extra
        ran = await _ask(context, words, seconds)
        return bounded(ran.out if metrics else ran.out.split("\n    Section: ")[0])


@server.tool(structured_output=False)
async def compare(context: Context, before: Launch, after: Launch, seconds: Seconds = 240) -> str:
    """Two versions of a kernel: faster or slower by how much, on which unit, which findings are gone; then what limits the second.

    Says `measure both` where the expected error is larger than the difference."""
    with _failures(), before.placed() as first, after.placed() as second, tempfile.TemporaryDirectory() as folder:
        kept = str(pathlib.Path(folder) / "before.wlrep")
        words = before.words(first, seconds)
        if first.endswith(REPORTS):
            words = ["--import", *words]
        await _ask(context, ["profile", "-o", kept, "--no-pages", *words], seconds)
        ran = await _ask(context, ["explain", "--against", kept, *after.words(second, seconds)], seconds)
        return bounded(ran.out)


@server.tool(structured_output=False)
async def occupancy(context: Context,
                    gpu: Annotated[str, Field(description="a100, h100-sxm, ...")],
                    block: Annotated[int, Field(ge=1, le=1024, description="Threads per block.")],
                    registers: Annotated[int, Field(ge=1, le=255, description="Registers per thread, as `ptxas -v` reports.")],
                    shared_bytes: Annotated[int, Field(ge=0, description="Shared memory per block.")] = 0) -> str:
    """How many warps fit on an SM, what limits them, and the smallest change that fits more. Exact."""
    with _failures():
        words = ["occupancy", "--gpu", gpu, "--block", str(block), "--regs", str(registers), "--smem-dynamic", str(shared_bytes)]
        return bounded((await _ask(context, words, 30)).out)


@server.tool(structured_output=False)
async def layout(context: Context,
                 words: Annotated[list[str], Field(description="Words of `warpledger layout`, e.g. [\"banks\", \"--help\"].")]) -> str:
    """Layouts of fragments and shared-memory tiles: bank conflicts, conversions, swizzles. [\"--help\"] lists the questions."""
    with _failures():
        return bounded((await _ask(context, ["layout", *words], 60)).out)


@server.tool(structured_output=False)
async def plan(context: Context,
               words: Annotated[list[str], Field(description="Words of `warpledger plan`, e.g. [\"--help\"].")],
               source: Annotated[str, Field(max_length=1 << 20, description="The text of a .plan file; its path is put behind `words`.")] = "") -> str:
    """Shared-memory plans: which buffers overlap, whether they fit, how many stages. [\"--help\"] lists the questions."""
    with _failures(), tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "given.plan"
        if source:
            path.write_text(source)
        return bounded((await _ask(context, ["plan", *words, *([str(path)] if source else [])], 120)).out)


@server.tool(structured_output=False)
async def check(context: Context,
                file: Annotated[str, Field(description="A budgets file (.toml).")],
                only: Annotated[str, Field(description="One budget; empty: all.")] = "", seconds: Seconds = 240) -> str:
    """Whether kernels meet their budgets: each broken limit with its value, bound and source line."""
    with _failures():
        if file.startswith("-"):
            raise Failure(f"'{file}' is not a file")
        ran = await _ask(context, ["check", file, *(["--only", only] if only else [])], seconds, accepted=(0, 1))
        return bounded(ran.out)
