"""Triton's kernels, compiled by Triton for a GPU that need not be here."""
from __future__ import annotations

import inspect
import re
from typing import Any, Mapping

import numpy as np

from warpledger import _core
from warpledger._arguments import Arguments, as_array
from warpledger._error import Error
from warpledger._kernel import Source

_WARP = 32
_TYPES = {"float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "bool": "i1", "int8": "i8",
          "int16": "i16", "int32": "i32", "int64": "i64", "uint8": "u8", "uint16": "u16", "uint32": "u32",
          "uint64": "u64", "float8_e4m3fn": "fp8e4nv", "float8_e5m2": "fp8e5"}


def load(kernel: Any, gpu: str, grid: Any, arguments: Arguments, constants: Mapping[str, Any],
         options: Mapping[str, Any]) -> Source:
    """The PTX that Triton makes for these arguments: specialized by them as a launch would."""
    bound = _bind(kernel, arguments, constants)
    compiled = _compile(kernel, gpu, bound, options)
    metadata = compiled.metadata
    passed = [(name, value) for name, value in bound.items() if name not in compiled.src_constants]
    ptx = compiled.asm["ptx"]
    grid = grid(bound) if callable(grid) else grid
    passed += _scratch(ptx, metadata, len(passed), grid)
    warps = int(metadata.num_warps)
    return Source(ptx, f"{kernel.__name__}.ptx", metadata.name, passed, block=(warps * _WARP, 1, 1),
                  shared=int(metadata.shared), grid=grid)


def _bind(kernel: Any, arguments: Arguments, constants: Mapping[str, Any]) -> dict[str, Any]:
    signature = kernel.signature if hasattr(kernel, "signature") else inspect.signature(kernel.fn)
    try:
        if isinstance(arguments, Mapping):
            bound = signature.bind(**{**arguments, **constants})
        else:
            bound = signature.bind(*arguments, **constants)
    except TypeError as fault:
        raise Error(f"kernel '{kernel.__name__}': {fault}", "constexprs go into constants={...}",
                    "bad-argument") from None
    bound.apply_defaults()
    return dict(bound.arguments)


class _Compiled:
    """What triton.compile() gave, and which parameters became constants."""

    def __init__(self, compiled: Any, src_constants: set[str]) -> None:
        self.asm, self.metadata, self.src_constants = compiled.asm, compiled.metadata, src_constants


def _compile(kernel: Any, gpu: str, bound: Mapping[str, Any], options: Mapping[str, Any]) -> _Compiled:
    import triton
    from triton.backends.compiler import GPUTarget
    from triton.compiler import ASTSource

    architecture = int(re.sub(r"\D", "", _core.architecture(gpu)))
    types: dict[str, str] = {}
    constexprs: dict[str, Any] = {}
    attributes: dict[tuple[int, ...], Any] = {}
    for i, param in enumerate(kernel.params):
        value = bound[param.name]
        kind, divisible = _specialize(param, value)
        types[param.name] = kind
        if kind == "constexpr":
            constexprs[param.name] = value
        elif divisible:
            attributes[(i,)] = [["tt.divisibility", 16]]
    source = ASTSource(fn=kernel, signature=types, constexprs=constexprs, attrs=attributes)
    try:
        compiled = triton.compile(source, target=GPUTarget("cuda", architecture, _WARP), options=dict(options))
    except Exception as fault:  # Triton's own compilation errors have no common base
        raise Error(f"Triton cannot compile '{kernel.__name__}': {fault}", "", "triton") from fault
    return _Compiled(compiled, set(constexprs))


def _specialize(param: Any, value: Any) -> tuple[str, bool]:
    """Type and divisibility by 16, as Triton's launcher decides: ints equal to 1 and None become constants."""
    if param.is_constexpr or value is None:
        return "constexpr", False
    array = as_array(value)
    specializes = not param.do_not_specialize
    if array is not None:
        # Buffers stand at multiples of 256 bytes in device memory.
        return "*" + _element(value, array), specializes and not param.do_not_specialize_on_alignment
    annotated = param.annotation_type
    if isinstance(value, (bool, np.bool_)):
        return annotated or "i1", False
    if isinstance(value, (int, np.integer)):
        if specializes and int(value) == 1 and not annotated:
            return "constexpr", False
        aligned = specializes and not param.do_not_specialize_on_alignment and int(value) % 16 == 0
        return annotated or _integer(value), aligned
    if isinstance(value, (float, np.floating)):
        return annotated or _TYPES.get(getattr(value, "dtype", np.dtype("float32")).name, "fp32"), False
    raise Error(f"argument '{param.name}' of type {type(value).__name__} is not a valid argument of a Triton kernel",
                "pass arrays, numbers or constexprs; tensor descriptors are not supported yet", "bad-argument")


def _element(value: Any, array: np.ndarray) -> str:
    name = str(getattr(value, "dtype", array.dtype)).removeprefix("torch.")
    if name not in _TYPES:
        raise Error(f"Triton has no element type '{name}'", "", "bad-argument")
    return _TYPES[name]


def _integer(value: Any) -> str:
    if isinstance(value, np.integer):
        return _TYPES[value.dtype.name]
    if -(2**31) <= value < 2**31:
        return "i32"
    return "i64" if value < 2**63 else "u64"


def _scratch(ptx: str, metadata: Any, passed: int, grid: Any) -> list[tuple[str, Any]]:
    """Triton adds pointers to scratch memory (of the grid, of its profiler) behind the arguments; null when unused."""
    _, parameters = _core.parameters(ptx, f"{metadata.name}.ptx", metadata.name)
    blocks = int(np.prod(grid)) * int(getattr(metadata, "num_ctas", 1))
    extra: list[tuple[str, Any]] = []
    for kind, _ in zip(("global_scratch", "profile_scratch"), parameters[passed:]):
        size = int(getattr(metadata, f"{kind}_size", 0) or 0) * blocks
        extra.append((kind, np.zeros(size, dtype=np.uint8) if size else 0))
    return extra
