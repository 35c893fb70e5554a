"""The MCP server, asked over standard input and output by the SDK's own client. Skipped where the SDK is not installed."""
import os
import pathlib
import sys
import tempfile
import time

import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed (pip install 'warpledger[mcp]'; tools/nightly does)")

import anyio
import mcp

ROOT = pathlib.Path(__file__).resolve().parents[3]
TRANSPOSE = {"file": str(ROOT / "examples/budgets/transpose.ptx"), "gpu": "a100", "grid": [8, 8], "block": [32, 32],
             "args": ["in=f32[256x256]:index", "out=f32[256x256]", "i32:256"], "options": ["--regs", "16", "--no-sass"]}
STORE = tempfile.mkdtemp(prefix="warpledger-")  # no answer from before
# Threads that spin until the step limit: long enough to be cancelled.
ENDLESS = """.version 8.0
.target sm_80
.address_size 64
.visible .entry spin() { .reg .b32 %r<2>;
again: add.u32 %r1, %r1, 1; bra again; }
"""


def server():
    environment = {**os.environ, "WARPLEDGER_STORE": f"{STORE}/kept.sqlite"}
    return mcp.StdioServerParameters(command=sys.executable, args=["-m", "warpledger.mcp"], env=environment)


def asked(*calls):
    """The answers to calls (tool, arguments), one after another in one session: (is it an error, text)."""
    async def ask():
        async with mcp.Client(server()) as client:
            return [await client.call_tool(name, arguments) for name, arguments in calls]

    return [(bool(one.is_error), "".join(part.text for part in one.content)) for one in anyio.run(ask)]


def launch(**changes):
    return {"launch": {**TRANSPOSE, **changes}}


def children_named(words):
    found = []
    for folder in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode(errors="replace")
        except OSError:
            continue
        if words in line:
            found.append(line)
    return found


def test_the_tools_are_listed():
    async def ask():
        async with mcp.Client(server()) as client:
            return await client.list_tools()

    tools = {tool.name: tool for tool in anyio.run(ask).tools}
    assert set(tools) == {"explain", "rule", "profile", "compare", "occupancy", "layout", "plan", "check"}
    assert all(tool.description for tool in tools.values())


def test_an_explanation_has_at_most_fifteen_lines():
    [(failed, text)] = asked(("explain", launch(kernel="transpose_tiled")))
    assert not failed and 5 <= len(text.splitlines()) <= 15
    assert "[bank-conflicts]" in text and "tile[kTile][kTile + 1]" in text


def test_a_comparison_says_by_how_much_and_where():
    [(failed, text)] = asked(("compare", {"before": {**TRANSPOSE, "kernel": "transpose_tiled"},
                                          "after": {**TRANSPOSE, "kernel": "transpose_padded"}}))
    assert not failed and "faster" in text and "cycles" in text and "gone: bank-conflicts" in text


def test_the_small_tools_answer():
    answers = asked(("rule", {"name": "bank-conflicts"}), ("rule", {}), ("occupancy", {"gpu": "a100", "block": 256, "registers": 64}),
                    ("layout", {"words": ["--help"]}), ("plan", {"words": ["--help"]}),
                    ("check", {"file": str(ROOT / "examples/budgets/planted.toml"), "only": "no conflicts"}),
                    ("profile", launch(kernel="transpose_tiled")))
    assert [failed for failed, _ in answers] == [False] * len(answers), answers
    assert answers[0][1].startswith("# bank-conflicts") and "broken" in answers[5][1] and "Section" not in answers[6][1]


@pytest.mark.parametrize("arguments, words", [
    ({"file": "nothing.ptx"}, "nothing.ptx"),
    ({"gpu": "z9000", "kernel": "transpose_tiled"}, "z9000"),
    ({"kernel": "transpose_tilde"}, "transpose_tiled"),
    ({"grid": [], "kernel": "transpose_tiled"}, "grid and block are required"),
    ({"source": "x"}, "exactly one of"),
    ({"args": ["in=f32[256x256]"], "kernel": "transpose_tiled"}, "argument"),
])
def test_an_error_says_what_to_do(arguments, words):
    [(failed, text)] = asked(("explain", launch(**arguments)))
    assert failed and words in text


def test_a_program_cannot_write_files(tmp_path):
    file = tmp_path / "left"
    [(failed, text)] = asked(("explain", {"launch": {"program": ["sh", "-c", f"echo x > {file}"], "gpu": "a100"}}))
    if "Landlock" in text:
        pytest.skip("isolated programs need Landlock, which this kernel does not have")
    assert failed and not file.exists(), text


def test_a_call_ends_with_its_seconds_and_the_server_goes_on():
    endless = {"launch": {"source": ENDLESS, "gpu": "a100", "grid": [1], "block": [32], "options": ["--limit", "0", "--no-sass"]}, "seconds": 2}
    (failed, text), (second, page) = asked(("explain", endless), ("rule", {"name": "race"}))
    assert failed and ("kernel timed out" in text or "stopped after 2 s" in text)  # the command's own limit is a second earlier
    assert not second and page.startswith("# race")


def test_what_is_cancelled_leaves_no_process():
    marked = {"launch": {"source": ENDLESS, "gpu": "a100", "grid": [3], "block": [96], "options": ["--limit", "0", "--no-sass"]}, "seconds": 100}

    async def cancel():
        async with mcp.Client(server()) as client:
            with anyio.move_on_after(2):
                await client.call_tool("explain", marked)
            return (await client.call_tool("rule", {"name": "race"})).is_error

    assert not anyio.run(cancel)
    deadline = time.monotonic() + 5
    while children_named("--block\x0096") and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not children_named("--block\x0096")


def test_many_calls_at_once_are_answered():
    async def flood():
        results = []

        async def one(client):
            results.append(await client.call_tool("rule", {"name": "race"}))

        async with mcp.Client(server()) as client, anyio.create_task_group() as group:
            for _ in range(50):
                group.start_soon(one, client)
        return results

    answers = anyio.run(flood)
    assert len(answers) == 50 and not any(one.is_error for one in answers)
