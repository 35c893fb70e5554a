"""One call of an operator: CUDA tensors become CPU tensors on the same memory, results become CUDA tensors.

In-place and out= variants write through the aliases. What the CPU kernel makes anew is copied into device memory.
"""
import ctypes
from typing import Any, Callable, Dict, List, Optional, Tuple

import torch

from warpledger_torch import estimate, rng

Pairs = List[Tuple[Any, Any]]  # CUDA tensors with their aliases, CPU tensors (not scalars) with themselves

CPU = torch.device("cpu")
_CUDA = torch.device("cuda:0")
_MOST_STORAGES = 20_000

_storage_at = torch._C._construct_storage_from_data_pointer
_empty_like = torch.empty_like
_none = torch.empty(0)
_storages: Dict[Tuple[int, int], Any] = {}  # by address and bytes: an alias owns nothing, so it never goes stale
counts: Dict[str, int] = {}  # calls by operator
# While a CUDA graph is captured: whether the current stream is, and what takes the call then (graphs.py).
recorder: Optional[Tuple[Callable[[], bool], Callable[..., Any]]] = None


def _storage(address: int, size: int) -> Any:
    key = (address, size)
    found = _storages.get(key)
    if found is None:
        if len(_storages) >= _MOST_STORAGES:
            _storages.clear()
        found = _storages[key] = _storage_at(address, CPU, size)
    return found


def alias(x: Any) -> Any:
    """Returns a CPU tensor that aliases a CUDA tensor's memory, with the same sizes and strides."""
    storage = x.untyped_storage()
    size = storage.nbytes()
    if size == 0:
        return torch.empty_strided(x.shape, x.stride(), dtype=x.dtype, device=CPU)
    made = torch.empty(0, dtype=x.dtype, device=CPU)
    made.set_(_storage(storage.data_ptr(), size), x.storage_offset(), x.shape, x.stride())
    if x.is_conj():
        made = made.conj()
    return made._neg_view() if x.is_neg() else made


def partner(x: Any, pairs: Pairs, at: int) -> Optional[Any]:
    """Returns what `x`, the element `at` of its pair, is paired with; None where it is in no pair."""
    for pair in pairs:
        if pair[at] is x:
            return pair[1 - at]
    return None


def _take_tensor(a: Any, pairs: Pairs) -> Any:
    if not a.is_cuda:
        if a.dim() > 0:
            pairs.append((a, a))
        return a
    other = partner(a, pairs, 0)
    if other is None:
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
    """Copies a CPU tensor into a new CUDA tensor, keeping its strides if it is dense."""
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
        own = partner(r, pairs, 1)
        if own is not None:
            return own
        if not device:
            return r
        made = to_cuda(r)
        pairs.append((made, r))
        return made
    if isinstance(r, (list, tuple)):
        return type(r)(give(e, pairs, device) for e in r)
    return r


def aliases(given: Any, pairs: Pairs) -> Any:
    """Of results that are CUDA tensors already."""
    if isinstance(given, torch.Tensor):
        return take(given, pairs)
    return [aliases(e, pairs) for e in given] if isinstance(given, (list, tuple)) else given


def bytes_of(pairs: Pairs) -> int:
    """Counts each tensor once; an expanded tensor counts as its storage."""
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


def with_own_memory(op: Callable[..., Any], args: List[Any], kwargs: Dict[str, Any], pairs: Pairs) -> Any:
    """Runs an operator that resizes what it writes to: on copies, which can be resized; the CUDA tensors follow them."""
    copies = {id(other): alias(own).clone() if own.is_cuda else own for own, other in pairs}  # the failed try may have resized

    def copied(a: Any) -> Any:
        if isinstance(a, (list, tuple)):
            return [copied(e) for e in a]
        return copies.get(id(a), a)

    result = op(*map(copied, args), **{k: copied(v) for k, v in kwargs.items()})
    for at, (own, other) in enumerate(pairs):
        made = copies[id(other)]
        if made.shape != own.shape:
            follow(own, made)
        else:
            other.copy_(made)
        pairs[at] = (own, made)
    return result


_NUMBERS = (int, float, bool, complex)


def taking_numbers(op: Any) -> Callable[..., Any]:
    """`op`, which a Python kernel of torch may be given a number for a tensor (`x % 5`): the overload for numbers then,
    whose type rules are those that the program had."""
    places = [i for i, a in enumerate(op._schema.arguments) if str(a.type) == "Tensor" and not a.kwarg_only]
    if len(places) < 2:
        return op  # type: ignore[no-any-return]
    packet = op.overloadpacket

    def run(*args: Any, **kwargs: Any) -> Any:
        for i in places:
            if i < len(args) and type(args[i]) in _NUMBERS:
                return packet(*args, **kwargs)
        return op(*args, **kwargs)

    return run


# Operators that take CPU tensors beside CUDA tensors on a GPU too: indices, lengths, scalars of lists.
_MIXING = ("index", "_index", "_unsafe_index", "_foreach", "_fused_ada", "_fused_sgd", "_pack_padded", "_ctc_loss", "_use_", "_copy_from")


def check_devices(pairs: Pairs) -> None:
    for own, _ in pairs:
        if not own.is_cuda:
            raise RuntimeError(f"Expected all tensors to be on the same device, but found at least two devices, cuda:0 and {own.device}!")


def check_product(name: str, pairs: Pairs) -> None:
    """Raises as CUDA does: it has no integer matrix products."""
    kind = pairs[0][0].dtype if pairs else torch.float32
    if not kind.is_floating_point and not kind.is_complex:
        raise RuntimeError(f"\"{name}_cuda\" not implemented for '{str(kind).removeprefix('torch.')}'")


def make(op: Any, name: str, compute: Callable[..., Any]) -> Callable[..., Any]:
    """The CUDA kernel of `op`: `compute`, which takes CPU tensors as `op` does, on aliases."""
    schema = op._schema
    outs = any(a.kwarg_only and a.alias_info is not None and a.alias_info.is_write for a in schema.arguments)
    flops_of = estimate.FLOPS.get(name)
    mixes = name.startswith(_MIXING)
    counts[name] = 0

    def run(*args: Any, **kwargs: Any) -> Any:
        counts[name] += 1
        if recorder is not None and recorder[0]():
            return recorder[1](taking_numbers(op), compute, args, kwargs, flops_of)
        pairs: Pairs = []
        cpu_args = [take(a, pairs) for a in args]
        if kwargs:
            kwargs = {k: take(v, pairs) for k, v in kwargs.items()}
        if not mixes:
            check_devices(pairs)
        if flops_of is not None:
            check_product(name, pairs)
        try:
            result = compute(*cpu_args, **kwargs)
        except RuntimeError as fault:
            if "not resizable" not in str(fault):
                raise
            result = with_own_memory(compute, cpu_args, kwargs, pairs)
        if outs:
            resize_results(pairs)
        given = give(result, pairs)
        flops = flops_of(*cpu_args) if flops_of is not None else 0.0
        estimate.add(bytes_of(pairs), flops, estimate.pipe_of(pairs[0][0]) if pairs else 0)
        return given

    return run
