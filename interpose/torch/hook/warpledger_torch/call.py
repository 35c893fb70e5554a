"""One call of an operator: CUDA tensors become CPU tensors on the same memory, results become CUDA tensors.

In-place and out= variants write through the aliases. What the CPU kernel makes anew is copied into device memory.
"""
import ctypes
from typing import Any, Callable, Dict, List, Tuple

import torch

from warpledger_torch import estimate, rng

Pairs = List[Tuple[Any, Any]]  # CUDA tensors with their aliases

CPU = torch.device("cpu")
_CUDA = torch.device("cuda:0")
_MOST_STORAGES = 20_000

_storage_at = torch._C._construct_storage_from_data_pointer
_empty_like = torch.empty_like
_none = torch.empty(0)
_storages: Dict[Tuple[int, int], Any] = {}  # by address and bytes: an alias owns nothing, so it never goes stale
counts: Dict[str, int] = {}  # calls by operator


def _storage(address: int, size: int) -> Any:
    key = (address, size)
    found = _storages.get(key)
    if found is None:
        if len(_storages) >= _MOST_STORAGES:
            _storages.clear()
        found = _storages[key] = _storage_at(address, CPU, size)
    return found


def alias(x: Any) -> Any:
    """A CPU tensor on the memory of a CUDA tensor: same elements, sizes and strides."""
    storage = x.untyped_storage()
    size = storage.nbytes()
    if size == 0:
        return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=CPU)
    made = torch.empty(0, dtype=x.dtype, device=CPU)
    made.set_(_storage(storage.data_ptr(), size), x.storage_offset(), x.shape, x.stride())
    if x.is_conj():
        made = made.conj()
    return made._neg_view() if x.is_neg() else made


def _take_tensor(a: Any, pairs: Pairs) -> Any:
    if not a.is_cuda:
        return a
    for own, other in pairs:
        if own is a:
            return other
    other = alias(a)
    pairs.append((a, other))
    return other


def _take_list(a: Any, pairs: Pairs) -> Any:
    return [take(e, pairs) for e in a]


def _take_device(a: Any, pairs: Pairs) -> Any:
    return CPU if a.type == "cuda" else a


def _take_generator(a: Any, pairs: Pairs) -> Any:
    return rng.for_cpu(a) if a.device.type == "cuda" else a


_TAKE: Dict[type, Callable[[Any, Pairs], Any]] = {
    torch.Tensor: _take_tensor, torch.nn.Parameter: _take_tensor, list: _take_list, tuple: _take_list,
    torch.device: _take_device, torch.Generator: _take_generator}
for _plain in (int, float, bool, complex, str, type(None), torch.dtype, torch.layout, torch.memory_format):
    _TAKE[_plain] = lambda a, pairs: a


def take(a: Any, pairs: Pairs) -> Any:
    """The argument as the CPU kernel gets it."""
    kind = _TAKE.get(type(a))
    if kind is not None:
        return kind(a, pairs)
    return _take_tensor(a, pairs) if isinstance(a, torch.Tensor) else a


def to_cuda(r: Any) -> Any:
    """A new CUDA tensor with the elements of a CPU tensor, and its strides where it is dense."""
    made = _empty_like(r, device=_CUDA)
    if r.numel() == 0:
        return made
    if made.stride() == r.stride():
        ctypes.memmove(made.data_ptr(), r.data_ptr(), r.nbytes)
    else:
        alias(made).copy_(r)
    return made


def give(r: Any, pairs: Pairs, device: bool = True) -> Any:
    """The result as the program gets it."""
    if isinstance(r, torch.Tensor):
        for own, other in pairs:
            if other is r:
                return own
        if not device:
            return r
        made = to_cuda(r)
        pairs.append((made, r))
        return made
    if isinstance(r, (list, tuple)):
        return type(r)(give(e, pairs, device) for e in r)
    return r


def bytes_of(pairs: Pairs) -> int:
    """Each tensor once; of an expanded one, its memory."""
    return sum(min(own.nbytes, own.untyped_storage().nbytes()) for own, _ in pairs)


def follow(own: Any, other: Any) -> None:
    """The CUDA tensor of an out= gets the sizes that its operator gave the alias; the elements too, where the alias was
    too small and has memory of its own now."""
    if other.untyped_storage().data_ptr() == own.untyped_storage().data_ptr():
        own.set_(own.untyped_storage(), other.storage_offset(), other.shape, other.stride())
        return
    own.resize_(other.shape)
    own.set_(own.untyped_storage(), 0, other.shape, other.stride())
    if other.numel():
        alias(own).copy_(other)


def resize_results(pairs: Pairs) -> None:
    for own, other in pairs:
        if own.shape != other.shape:
            follow(own, other)


def with_new_outs(op: Callable[..., Any], outs: List[str], args: List[Any], kwargs: Dict[str, Any], pairs: Pairs) -> Any:
    """Runs an operator whose out= is too small: into tensors of its own, which the CUDA ones take over."""
    fresh = {name: torch.empty(0, dtype=kwargs[name].dtype, device=CPU) for name in outs if name in kwargs}
    result = op(*args, **{**kwargs, **fresh})
    for name, made in fresh.items():
        at = next(i for i, (_, other) in enumerate(pairs) if other is kwargs[name])
        follow(pairs[at][0], made)
        pairs[at] = (pairs[at][0], made)
    return result


def make(op: Any, name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The CUDA kernel of `op`: `compute`, which takes CPU tensors as `op` does, on aliases."""
    schema = op._schema
    outs = [a.name for a in schema.arguments if a.kwarg_only and a.alias_info is not None and a.alias_info.is_write]
    flops_of = estimate.FLOPS.get(name)
    counts[name] = 0

    def run(*args: Any, **kwargs: Any) -> Any:
        counts[name] += 1
        pairs: Pairs = []
        cpu_args = [take(a, pairs) for a in args]
        if kwargs:
            kwargs = {k: take(v, pairs) for k, v in kwargs.items()}
        try:
            result = compute(*cpu_args, **kwargs)
        except RuntimeError as fault:
            if not outs or "not resizable" not in str(fault):
                raise
            result = with_new_outs(compute, outs, cpu_args, kwargs, pairs)
        if outs:
            resize_results(pairs)
        given = give(result, pairs)
        flops = flops_of(*cpu_args) if flops_of is not None else 0.0
        estimate.add(bytes_of(pairs), flops, estimate.pipe_of(pairs[0][0]) if pairs else 0)
        return given

    return run
