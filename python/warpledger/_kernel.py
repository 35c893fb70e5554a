"""From whatever people call a kernel to PTX: text, files, CUDA source, Triton, CuPy."""
from __future__ import annotations

import dataclasses
import os
import pathlib
import tempfile
from typing import Any, Mapping, Optional, Sequence

from warpledger import _core
from warpledger._arguments import Arguments, named
from warpledger._error import Error


@dataclasses.dataclass(frozen=True)
class Source:
    """A kernel as PTX, with what its compiler decided about the launch."""
    ptx: str
    file: str  # as messages call it
    kernel: Optional[str]  # absent: the only one
    arguments: list[tuple[str, Any]]
    block: Optional[tuple[int, ...]] = None
    shared: int = 0
    grid: Any = None  # a function of the arguments, already applied


def load(kernel: Any, name: Optional[str], gpu: str, grid: Any, arguments: Arguments, flags: Sequence[str],
         constants: Mapping[str, Any], options: Mapping[str, Any]) -> Source:
    """The PTX of ``kernel`` for ``gpu``."""
    if _is_triton(kernel):
        from warpledger import _triton
        return _triton.load(kernel, gpu, grid, arguments, constants, options)
    if constants or options:
        raise Error("constants and compiler options apply to Triton kernels only", "", "usage")
    if isinstance(kernel, os.PathLike):
        return _from_file(pathlib.Path(kernel), name, gpu, arguments, flags)
    if isinstance(kernel, str):
        return _from_text(kernel, name, gpu, arguments, flags)
    if hasattr(kernel, "code") and hasattr(kernel, "name"):  # CuPy's RawKernel
        more = [*(getattr(kernel, "options", None) or ()), *flags]
        return _from_cuda(kernel.code, name or kernel.name, gpu, arguments, more)
    raise Error(f"an object of type {type(kernel).__name__} is not a kernel",
                "PTX or CUDA text, a path to a .ptx, .cu or .cubin file, a Triton JITFunction or a CuPy RawKernel",
                "bad-kernel")


def _is_triton(kernel: Any) -> bool:
    return type(kernel).__module__.startswith("triton.") and hasattr(kernel, "arg_names")


def _from_text(text: str, name: Optional[str], gpu: str, arguments: Arguments, flags: Sequence[str]) -> Source:
    if "__global__" in text:
        return _from_cuda(text, name, gpu, arguments, flags)
    if "\n" not in text and text.endswith((".ptx", ".cu", ".cubin")):
        return _from_file(pathlib.Path(text), name, gpu, arguments, flags)
    return Source(text, "kernel.ptx", name, named(arguments))


def _from_file(path: pathlib.Path, name: Optional[str], gpu: str, arguments: Arguments,
               flags: Sequence[str]) -> Source:
    if path.suffix == ".cu":
        ptx = _core.compile_cuda(str(path), _core.architecture(gpu), list(flags))
        return Source(ptx, str(path), name, named(arguments))
    if path.suffix == ".cubin":
        return Source(_core.read_ptx(str(path)), str(path), name, named(arguments))
    try:
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError as fault:
        raise Error(f"cannot read '{path}': {fault.strerror}", "", "io") from None
    return Source(text, str(path), name, named(arguments))


def _from_cuda(text: str, name: Optional[str], gpu: str, arguments: Arguments, flags: Sequence[str]) -> Source:
    with tempfile.TemporaryDirectory(prefix="warpledger-") as folder:
        path = pathlib.Path(folder) / "kernel.cu"
        path.write_text(text, encoding="utf-8")
        ptx = _core.compile_cuda(str(path), _core.architecture(gpu), list(flags))
    return Source(ptx, "kernel.cu", name, named(arguments))
