"""Half-precision operators that CUDA computes in float.

CUDA kernels accumulate in float (torch calls it opmath) and round once. Some CPU kernels accumulate in half. For the
operators in the table, half inputs are widened, the CPU kernel computes in float, and results are rounded to the type
that the operator would have given.
"""
from typing import Any, Callable, Dict, Tuple

import torch

HALF = (torch.float16, torch.bfloat16)

TABLE = {"native_layer_norm", "native_layer_norm_backward", "native_group_norm", "convolution", "native_group_norm_backward",
         "convolution_backward", "mm", "addmm", "bmm", "baddbmm", "dot", "mv", "_softmax_backward_data",
         "_log_softmax_backward_data", "cumsum", "embedding_dense_backward", "native_batch_norm",
         "native_batch_norm_backward"}


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
    """`op` itself unless it is in the table."""
    return computed_in_float(op) if name in TABLE else op  # type: ignore[no-any-return]


def computed_in_float(op: Any) -> Callable[..., Any]:
    known: Dict[Any, Any] = {}
    writes = any(a.alias_info is not None and a.alias_info.is_write for a in op._schema.arguments)

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
