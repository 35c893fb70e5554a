"""Benchmarks: what is measured is called once, for its time on the streams' clock.

The time model gives the same answer however often a launch is repeated, and each launch begins with cold caches, as
do_bench arranges it. Launches inside compute no values (interpose/benchmark.h), nor do large products of aten, and so
what is computed from them has none: the library remembers which bytes lack values, and here aten operators pass that on.
Where the host or an index would need such a value, the benchmark is run again with values.
"""
import contextlib
import ctypes
from typing import Any, Callable, Iterable, Iterator, List, Optional, Tuple

from warpledger_torch import library

is_on = False  # whether a benchmark computes no values now
_depth = 0
_measured = 0  # benchmarks so far
_trial: Optional[str] = None  # the configuration that an autotuner tries

# Operators that do not read the tensor that they write.
_OVERWRITES = ("aten::zero_", "aten::fill_", "aten::copy_", "aten::uniform_", "aten::normal_", "aten::random_")

# Products whose results are new tensors, and from how many operations on they are not computed.
_PRODUCTS = ("mm", "addmm", "bmm", "baddbmm")
_MANY_FLOPS = 1e8


class ValuesNeeded(BaseException):
    """Leaves the benchmark past `except Exception`, to be caught by the outermost."""


def _tensors(of: Any) -> Iterable[Any]:
    import torch

    if isinstance(of, torch.Tensor):
        yield of
    elif isinstance(of, (list, tuple)):
        for one in of:
            yield from _tensors(one)


def _range(x: Any) -> Tuple[int, int]:
    storage = x.untyped_storage()
    return storage.data_ptr(), storage.nbytes()


def _lack_values(tensors: List[Any]) -> bool:
    return any(library.lacks_values(*_range(x)) for x in tensors if x.is_cuda)


def _note(tensors: Iterable[Any], has_values: bool) -> None:
    """These were written. Values may lack only in floats on the device, which neither an index nor the host is made of."""
    for x in tensors:
        address, size = _range(x)
        if not has_values and not (x.is_cuda and (x.is_floating_point() or x.is_complex())):
            library.need_values()
            raise ValuesNeeded
        if not has_values or x.nbytes == size:
            library.note_values(address, size, has_values)


def _large_product(op: Any) -> Callable[..., Any]:
    """Returns what stands for a product: its shape and a time. It gives None where the product is small or captured."""
    from warpledger_torch import call, estimate, graphs  # torch, which a program of Triton's alone need not have

    flops_of = estimate.FLOPS[op._schema.name.removeprefix("aten::")]

    def run(args: Any, kwargs: Any) -> Any:
        flops = flops_of(*args)
        if flops < _MANY_FLOPS or call.recorder is not None:
            return None
        given = graphs.without_values(op, args, kwargs)
        pairs = [(x, x) for x in [*_tensors(args), given]]
        estimate.add(call.bytes_of(pairs), flops, estimate.pipe_of(args[-1]))
        return given

    return run


def watched(op: Any, name: str, kernel: Callable[..., Any]) -> Callable[..., Any]:
    """The kernel of an operator, which follows values in a benchmark."""
    arguments = op._schema.arguments
    writes = [a.alias_info is not None and a.alias_info.is_write for a in arguments]
    outs = {a.name for a, w in zip(arguments, writes) if w and a.kwarg_only}
    overwrites = op._schema.name in _OVERWRITES
    instead = _large_product(op) if name in _PRODUCTS else None
    gives_tensors = bool(op._schema.returns) and all("Tensor" in str(r.type) for r in op._schema.returns)

    def follow(args: Any, kwargs: Any) -> Any:
        positional = [(a, w) for a, w in zip(args, writes)]
        reads = [x for a, w in positional if not (w and overwrites) for x in _tensors(a)]
        reads += [x for name, a in kwargs.items() if name not in outs for x in _tensors(a)]
        lacks = _lack_values(reads)
        if lacks and not gives_tensors and not any(writes):
            library.need_values()
            raise ValuesNeeded
        result = instead(args, kwargs) if instead is not None else None
        lacks |= result is not None
        if result is None:
            result = kernel(*args, **kwargs)
        written = [x for a, w in positional if w for x in _tensors(a)]
        _note([*written, *_tensors(result)], not lacks)
        return result

    def run(*args: Any, **kwargs: Any) -> Any:
        return follow(args, kwargs) if is_on else kernel(*args, **kwargs)

    return run


class trial:
    """Marks the benchmarks inside as an autotuner's trial of one configuration."""

    def __init__(self, configuration: Any) -> None:
        self.configuration = configuration

    def __enter__(self) -> None:
        global _trial
        self.before, _trial = _trial, f"trial {self.configuration}".rstrip()

    def __exit__(self, *_: Any) -> None:
        global _trial
        _trial = self.before


@contextlib.contextmanager
def checks() -> Iterator[None]:
    """Launches inside that no benchmark makes are an autotuner's: it compiles, and compares results."""
    library.check(library.begin_checks(), "a check")
    try:
        yield
    finally:
        library.check(library.end_checks(), "a check")


def _timed(fn: Callable[[], Any], grad_to_none: Optional[Iterable[Any]]) -> float:
    import torch

    for x in grad_to_none or ():
        x.grad = None
    start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
    start.record()
    fn()
    end.record()
    return float(start.elapsed_time(end))


def _measure(fn: Callable[[], Any], grad_to_none: Optional[Iterable[Any]], is_trial: bool, values: bool) -> float:
    global is_on, _depth, _measured
    before, needed = _measured, ctypes.c_int()
    was_on, is_on = is_on, is_on or not values
    purpose = _trial or ("trial" if is_trial else "benchmark")
    library.check(library.begin_benchmark(purpose.encode(), purpose != "benchmark", values), "a benchmark")
    _depth += 1
    try:
        milliseconds = _timed(fn, grad_to_none)
        if _measured != before:  # it tuned something: exclude that time
            milliseconds = _timed(fn, grad_to_none)
    finally:
        _depth -= 1
        _measured += 1
        is_on = was_on
        library.check(library.end_benchmark(ctypes.byref(needed)), "a benchmark")
        if needed.value:
            raise ValuesNeeded
    return milliseconds


def time_of(fn: Callable[[], Any], grad_to_none: Optional[Iterable[Any]] = None, is_trial: bool = False) -> float:
    """Milliseconds of one call."""
    if _depth and not is_on:  # inside one that computes values
        return _measure(fn, grad_to_none, is_trial, True)
    try:
        return _measure(fn, grad_to_none, is_trial, False)
    except ValuesNeeded:
        if _depth:
            raise
    return _measure(fn, grad_to_none, is_trial, True)
