"""Half-precision operators that CUDA computes in float.

CUDA kernels accumulate in float (torch calls it opmath) and round once. Some CPU kernels accumulate in half. For the
operators in the table, half inputs are widened, the CPU kernel computes in float, and results are rounded to the type
that the operator would have given.
"""
import pathlib
from typing import Any, Callable, Dict, Set, Tuple

import torch

from warpledger_torch import call, estimate

HALF = (torch.float16, torch.bfloat16)



def _table() -> Set[str]:
    """half.csv, which tools/torch-sweep derives, and products: CPUs are slow at those of halves, and round their parts."""
    lines = (pathlib.Path(__file__).parent / "half.csv").read_text().splitlines()
    return {line.split(",")[0] for line in lines if not line.startswith("#")} | set(estimate.FLOPS)


TABLE = _table()


def _key(args: Any, kwargs: Dict[str, Any]) -> Any:
    """What the types of the results depend on."""
    def kind(a: Any) -> Any:
        if isinstance(a, torch.Tensor):
            return a.dtype, a.dim() == 0
        if isinstance(a, (list, tuple)):
            return tuple(map(kind, a))
        return a if isinstance(a, (torch.dtype, bool)) else None

    return tuple(map(kind, args)), tuple((k, kind(v)) for k, v in kwargs.items())


def _map(a: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(a, torch.Tensor):
        return change(a)
    if isinstance(a, (list, tuple)):
        return type(a)(_map(e, change) for e in a)
    return a


def _types(op: Any, args: Any, kwargs: Dict[str, Any]) -> Any:
    """Of the operator's results for such arguments: it is asked without values, else with copies."""
    def run(change: Callable[[Any], Any]) -> Any:
        return op(*(_map(a, change) for a in args), **{k: _map(v, change) for k, v in kwargs.items()})

    try:
        found = run(lambda t: t.to("meta"))
    except (RuntimeError, NotImplementedError):
        found = run(lambda t: t.clone())
    return _map(found, lambda t: t.dtype)


def _has_half(args: Any) -> bool:
    return any(_has_half(a) if isinstance(a, (list, tuple)) else isinstance(a, torch.Tensor) and a.dtype in HALF for a in args)


def _rounded(r: Any, kind: Any, wide: Dict[int, Tuple[Any, Any]]) -> Any:
    if isinstance(r, torch.Tensor):
        own = wide.get(id(r))
        return own[0] if own is not None else r.to(kind)
    if isinstance(r, (list, tuple)):
        return type(r)(_rounded(e, k, wide) for e, k in zip(r, kind))
    return r


def _float(kind: Any) -> Any:
    return torch.float32 if isinstance(kind, torch.dtype) and kind in HALF else kind


def in_float(op: Any, name: str) -> Callable[..., Any]:
    """`op` itself unless it is in the table, or turns out to have no CPU kernel for halves, which CUDA has."""
    wide = computed_in_float(op)
    if name in TABLE:
        return wide
    plain = call.taking_numbers(op)
    compute = plain

    def run(*args: Any, **kwargs: Any) -> Any:
        nonlocal compute
        try:
            return compute(*args, **kwargs)
        except RuntimeError as fault:
            if compute is wide or not str(fault).endswith(("not implemented for 'Half'", "not implemented for 'BFloat16'")):
                raise
            compute = wide
            return compute(*args, **kwargs)

    return run


def computed_in_float(overload: Any) -> Callable[..., Any]:
    op = call.taking_numbers(overload)
    known: Dict[Any, Any] = {}
    writes = any(a.alias_info is not None and a.alias_info.is_write for a in overload._schema.arguments)

    def compute(*args: Any, **kwargs: Any) -> Any:
        if not _has_half(args) and not _has_half(kwargs.values()):
            return op(*args, **kwargs)
        key = _key(args, kwargs)
        if key not in known:
            known[key] = _types(op, args, kwargs)
        wide: Dict[int, Tuple[Any, Any]] = {}  # by id of the float tensor: what it stands for, and itself

        def widen(t: Any) -> Any:
            if t.dtype not in HALF:
                return t
            made = t.float()
            wide[id(made)] = (t, made)
            return made

        result = op(*(_float(_map(a, widen)) for a in args), **{k: _float(_map(v, widen)) for k, v in kwargs.items()})
        if writes:
            for own, made in wide.values():
                own.copy_(made)
        return _rounded(result, known[key], wide)

    return compute
