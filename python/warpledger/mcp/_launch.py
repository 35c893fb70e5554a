"""A launch as tools take it: a file or a source text with grid, block and arguments, a program, or a saved profile."""
from __future__ import annotations

import contextlib
import os
import pathlib
import tempfile
from collections.abc import Iterator
from typing import Annotated

from pydantic import BaseModel, Field

from ._command import Failure

REPORTS = (".wlrep", ".json", ".ncu-rep")
MOST_SOURCE = 1 << 20  # characters


class Launch(BaseModel):
    """One kernel launch."""

    file: Annotated[str, Field(description="A .cu, .ptx or .cubin file, or a saved profile (.wlrep, .json, .ncu-rep). Use `source` to pass text instead.")] = ""
    source: Annotated[str, Field(description="CUDA C++ or PTX text, instead of `file`.")] = ""
    program: Annotated[list[str], Field(description="A program and its arguments, instead of `file`. It RUNS on this machine with a "
                                                    "modeled GPU, e.g. [\"python3\", \"triton_script.py\"], without network; it writes files only in "
                                                    "$TMPDIR. grid, block and args are not needed.")] = []
    kernel: Annotated[str, Field(description="The kernel's name, or regex:EXPRESSION; not needed where there is one kernel.")] = ""
    gpu: Annotated[str, Field(description="GPU name: a100, h100-sxm, rtx4090, ...")] = "a100"
    grid: Annotated[list[int], Field(description="Grid size in blocks: [x], [x, y] or [x, y, z].")] = []
    block: Annotated[list[int], Field(description="Block size in threads: [x], [x, y] or [x, y, z].")] = []
    args: Annotated[list[str], Field(description="Arguments in order: \"A=f32[1024x1024]:random\", \"out=f32[1024]\", \"i32:1024\", \"f32:0.5\".")] = []
    shared_bytes: Annotated[int, Field(ge=0, description="Dynamic shared memory in bytes.")] = 0
    options: Annotated[list[str], Field(description="More options of `warpledger profile`, e.g. [\"--regs\", \"64\"].")] = []

    def words(self, path: str, seconds: float) -> list[str]:
        """What stands behind ``profile`` or ``explain``. ``path``: the file, or where the source was written."""
        if any(option.startswith("--no-iso") for option in self.options):
            raise Failure("--no-isolation is not for tools: run the command yourself")
        if self.program:
            chosen = ["-k", self.kernel] if self.kernel else []
            return [*_confined(), "--gpu", self.gpu, *chosen, *self.options, "--", *self.program]
        if path.endswith(REPORTS):
            return [path, *(["-k", self.kernel] if self.kernel else [])]
        if not self.grid or not self.block:
            raise Failure("grid and block are required for a kernel's file: grid=[8, 8], block=[32, 32], and one entry of args for "
                          "each parameter, e.g. args=[\"in=f32[256x256]:random\", \"out=f32[256x256]\", \"i32:256\"]")
        words = [path, "--gpu", self.gpu, "--grid", _extent(self.grid), "--block", _extent(self.block)]
        words += ["-k", self.kernel] if self.kernel else []
        words += ["--smem", str(self.shared_bytes)] if self.shared_bytes else []
        for argument in self.args:
            words += ["--arg", argument]
        # The command is first to stop, and says where the kernel was.
        timed = any(option.startswith("--timeout") for option in self.options)
        return words + ([] if timed else ["--timeout", f"{max(seconds - 1, 1):g}"]) + self.options

    @contextlib.contextmanager
    def placed(self) -> Iterator[str]:
        """The path of the file; a source text gets one for as long as it is needed."""
        given = [bool(self.file), bool(self.source), bool(self.program)]
        if sum(given) != 1:
            raise Failure("give exactly one of file, source and program")
        if not self.source:
            yield self.file
            return
        if len(self.source) > MOST_SOURCE:
            raise Failure(f"source has more than {MOST_SOURCE:,} characters: write it to a file, and pass file=")
        with tempfile.TemporaryDirectory(prefix="warpledger-") as folder:
            is_ptx = self.source.lstrip().startswith((".version", "//")) and ".entry" in self.source
            path = pathlib.Path(folder) / ("kernel.ptx" if is_ptx else "kernel.cu")
            path.write_text(self.source)
            yield str(path)


def _confined() -> list[str]:
    """A program from a model is untrusted: it is isolated unless the user started the server with --trust-programs."""
    return [] if os.environ.get("WARPLEDGER_TRUST_PROGRAMS") else ["--isolate"]


def _extent(numbers: list[int]) -> str:
    if not 1 <= len(numbers) <= 3 or any(n < 1 for n in numbers):
        raise Failure(f"grid and block have one to three numbers of at least 1, not {numbers}")
    return ",".join(map(str, numbers))


