"""Runs ``warpledger`` as a child: bounded in time and in what it says, and killed with all it started when nobody waits."""
from __future__ import annotations

import os
import pathlib
import shutil
import signal
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass

import anyio
import anyio.abc

MOST_CHARACTERS = 12_000  # of an answer: about 4,000 tokens
MOST_BYTES = 64 << 20  # that a child may print before it is stopped
MOST_SECONDS = 600

Progress = Callable[[float], Awaitable[None]]


class Failure(Exception):
    """What went wrong, in words that say what to do next."""


@dataclass
class Ran:
    code: int
    out: str
    err: str


def program() -> str:
    """The command: as the environment says, beside this package, or in PATH."""
    named = os.environ.get("WARPLEDGER_COMMAND", "")
    beside = pathlib.Path(__file__).parent.with_name("_command")
    found = named or (str(beside) if beside.exists() else shutil.which("warpledger"))
    if not found:
        raise Failure("the warpledger command was not found: pip install warpledger, or set WARPLEDGER_COMMAND to its path")
    return found


def bounded(text: str, most: int = MOST_CHARACTERS) -> str:
    """The text, cut at a line's end where it is too long, and how much is missing."""
    if len(text) <= most:
        return text
    kept = text[:most].rsplit("\n", 1)[0]
    return f"{kept}\n[cut: {len(text) - len(kept):,} more characters; ask for less: one kernel, one metric]"


async def _read(stream: anyio.abc.ByteReceiveStream | None, into: bytearray) -> None:
    if stream is None:
        return
    async for chunk in stream:
        into += chunk
        if len(into) > MOST_BYTES:
            raise Failure(f"stopped: more than {MOST_BYTES >> 20} MiB were printed; choose one kernel (kernel=...) or print less")


def _kill(process: anyio.abc.Process) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


async def _tick(progress: Progress) -> None:
    seconds = 0.0
    while True:
        await anyio.sleep(1)
        seconds += 1
        await progress(seconds)


async def _talk(process: anyio.abc.Process, progress: Progress | None) -> tuple[bytearray, bytearray]:
    out, err = bytearray(), bytearray()
    async with anyio.create_task_group() as ticking:
        if progress is not None:
            ticking.start_soon(_tick, progress)
        async with anyio.create_task_group() as reading:
            reading.start_soon(_read, process.stdout, out)
            reading.start_soon(_read, process.stderr, err)
        await process.wait()
        ticking.cancel_scope.cancel()
    return out, err


def _only(group: BaseException) -> BaseException:
    """What a task group was left with, out of its wrappers."""
    while getattr(group, "exceptions", None):
        group = group.exceptions[0]  # type: ignore[attr-defined]
    return group


async def run(words: list[str], *, folder: str | None = None, seconds: float = 120, progress: Progress | None = None) -> Ran:
    """Runs ``warpledger WORDS``. Cancelled: the child and its children are gone before this returns."""
    seconds = min(max(seconds, 1), MOST_SECONDS)
    process = await anyio.open_process([program(), *words], cwd=folder, stdin=-3, start_new_session=True)  # -3: DEVNULL
    try:
        with anyio.fail_after(seconds):
            out, err = await _talk(process, progress)
    except TimeoutError:
        raise Failure(f"stopped after {seconds:.0f} s: raise `seconds` (at most {MOST_SECONDS}), make the launch smaller, or "
                      "pass options=[\"--max-seconds\", \"10\"], which samples blocks") from None
    except Exception as fault:
        if isinstance(_only(fault), Failure):
            raise _only(fault) from None
        raise
    finally:
        with anyio.CancelScope(shield=True):
            _kill(process)
            await process.aclose()
    return Ran(process.returncode if process.returncode is not None else -1, out.decode(errors="replace"), err.decode(errors="replace"))
