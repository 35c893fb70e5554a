"""Operators while a stream is captured into a CUDA graph.

Nothing is computed then, as on a GPU: shapes and types of the results come from torch's meta kernels. The operator becomes
a node, and each launch of the graph computes it on the same memory. A recording owns no tensor: memory that is allocated
during a capture lives as long as its graph (interpose/runtime/torch.cpp), with torch's caching allocator in its pool.
"""
import itertools
import os
from typing import Any, Callable, Dict, List, Optional

import torch

from warpledger_torch import call, estimate, library

_META = torch.device("meta")
_numbers = itertools.count(1)
_nodes: Dict[int, Callable[[], None]] = {}  # what nodes compute, by their numbers


class Recording:
    """The nodes of one graph; they are forgotten with it."""

    def __init__(self) -> None:
        self.numbers: List[int] = []

    def add(self, compute: Callable[[], None]) -> int:
        number = next(_numbers)
        _nodes[number] = compute
        self.numbers.append(number)
        return number

    def __del__(self) -> None:
        for number in self.numbers:
            _nodes.pop(number, None)


class _State:
    recording: Optional[Recording] = None  # of the capture that goes on
    fault: Optional[BaseException] = None  # of the last launch of a graph


_state = _State()


def _compute(number: Optional[int]) -> None:
    """The drop-in library calls this for each node of a launched graph. An exception is raised after the launch."""
    try:
        with torch.no_grad():
            _nodes[number or 0]()
    except BaseException as fault:
        _state.fault = _state.fault or fault


_callback = library.HostFunction(_compute)


def _meta(t: Any) -> Any:
    return torch.empty_strided(t.shape, t.stride(), dtype=t.dtype, device=_META)


def _shaped(a: Any, metas: call.Pairs) -> Any:
    """An argument without values."""
    if isinstance(a, torch.Tensor):
        other = call.partner(a, metas, 0)
        if other is None:
            other = _meta(a)
            metas.append((a, other))
        return other
    if isinstance(a, (list, tuple)):
        return [_shaped(e, metas) for e in a]
    if isinstance(a, torch.device):
        return _META
    return None if isinstance(a, torch.Generator) else a


def _made(r: Any, metas: call.Pairs) -> Any:
    """Returns the argument that a result is, or a new CUDA tensor for it."""
    if isinstance(r, torch.Tensor):
        own = call.partner(r, metas, 1)
        if own is not None:
            return own if own.shape == r.shape else own.resize_(r.shape)
        return torch.empty_strided(r.shape, r.stride(), dtype=r.dtype, device="cuda")
    return type(r)(_made(e, metas) for e in r) if isinstance(r, (list, tuple)) else r


def _fixed(a: Any, pairs: call.Pairs) -> Any:
    """Prepares an argument for replay: host values are read now, a generator draws anew on each launch."""
    if isinstance(a, torch.Generator):
        return a
    if isinstance(a, (list, tuple)):
        return [_fixed(e, pairs) for e in a]
    if isinstance(a, torch.Tensor) and not a.is_cuda and a.dim() == 0:
        return a.clone()
    return call.take(a, pairs)


def _store(given: Any, result: Any) -> None:
    if isinstance(given, torch.Tensor):
        if given is not result:
            given.copy_(result)
    elif isinstance(given, (list, tuple)):
        for to, of in zip(given, result):
            _store(to, of)


def record(op: Any, compute: Callable[..., Any], args: Any, kwargs: Dict[str, Any], flops_of: Any) -> Any:
    """Makes the operator a node of the graph that the current stream is captured into."""
    metas: call.Pairs = []
    shaped = [_shaped(a, metas) for a in args], {k: _shaped(v, metas) for k, v in kwargs.items()}
    given = _made(op(*shaped[0], **shaped[1]), metas)
    pairs: call.Pairs = []
    fixed = [_fixed(a, pairs) for a in args], {k: _fixed(v, pairs) for k, v in kwargs.items()}
    results = call.aliases(given, pairs)

    def again() -> None:
        drawn = [call.take(a, []) for a in fixed[0]], {k: call.take(v, []) for k, v in fixed[1].items()}
        _store(results, compute(*drawn[0], **drawn[1]))

    flops = flops_of(*fixed[0]) if flops_of is not None else 0.0
    pipe = estimate.pipe_of(pairs[0][0]) if pairs else estimate.FP32
    _add(again, call.bytes_of(pairs), flops, pipe)
    return given


def _add(again: Callable[[], None], size: int, flops: float, pipe: int) -> None:
    number = _state.recording.add(again) if _state.recording is not None else 0
    library.check(library.add_operator(estimate.current_stream(0), size, flops, pipe, _callback, number), "a captured operator")


def _is_captured() -> bool:
    return bool(torch._C._cuda_isCurrentStreamCapturing())


def _capture_begin(self: Any, *args: Any, **kwargs: Any) -> None:
    """Without torch's caching allocator each tensor is a cudaMalloc(), which a strict capture forbids."""
    caches = "PYTORCH_NO_CUDA_MEMORY_CACHING" not in os.environ
    if not caches:
        args, kwargs = args[:1], {**kwargs, "capture_error_mode": "relaxed"}
    _begin(self, *args, **kwargs)
    if not caches:
        library.check(library.hold_capture_memory(estimate.current_stream(0)), "capture_begin")
    _state.recording = self._warpledger_recording = Recording()
    call.recorder = (_is_captured, record)


def _capture_end(self: Any, *args: Any, **kwargs: Any) -> None:
    _state.recording = call.recorder = None
    _end(self, *args, **kwargs)


def _replay(self: Any) -> None:
    _state.fault = None
    _launch(self)
    if _state.fault is not None:
        raise _state.fault


def _reset(self: Any) -> None:
    self._warpledger_recording = None
    _clear(self)


_graph = torch.cuda.CUDAGraph
_begin, _end, _launch, _clear = _graph.capture_begin, _graph.capture_end, _graph.replay, _graph.reset


def install() -> None:
    _graph.capture_begin, _graph.capture_end, _graph.replay, _graph.reset = _capture_begin, _capture_end, _replay, _reset
