"""Autotuning Triton kernels with modeled times, with or without a GPU.

    @triton.autotune(configs, key=["n"], prune_configs_by={"perf_model": warpledger.triton.perf_model(gpu="a100"), "top_k": 3})
    @triton.jit
    def kernel(...): ...

``perf_model`` ranks configurations before any is measured. ``benchmarker`` measures instead of the GPU: one modeled launch for each
configuration. ``modeled`` is for scripts that have no GPU at all: launches inside it are modeled, not run.
"""
from __future__ import annotations

import contextlib
import contextvars
import dataclasses
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Optional, Union, cast

from warpledger._arguments import as_array
from warpledger._error import Error
from warpledger._profile import Profile, profile

__all__ = ["Launches", "benchmarker", "modeled", "perf_model"]

_NANOSECONDS = "gpu__time_duration.sum"
_FRAMES = 8  # between a performance model and the autotuner that asks it


@dataclasses.dataclass
class Launches:
    """The launches that were modeled, in their order."""
    profiles: list[Profile] = dataclasses.field(default_factory=list)

    @property
    def milliseconds(self) -> float:
        return sum(float(one[_NANOSECONDS]) for one in self.profiles) / 1e6


def perf_model(gpu: str, kernel: Any = None, *, max_seconds: Optional[float] = 2.0) -> Callable[..., float]:
    """For ``triton.autotune(prune_configs_by={"perf_model": ...})``: the modeled milliseconds of a configuration.

    gpu          a name of ``warpledger.gpus()``
    kernel       whose time is asked; without it, that of the autotuner that asks
    max_seconds  seconds of estimated work beyond which a part of the grid stands for all of it

    A configuration that cannot be launched takes forever; why is a warning.
    """
    def estimate(**arguments: Any) -> float:
        fn = kernel if kernel is not None else _asking_kernel()
        grid = arguments.pop("grid", None)
        arguments.pop("warmup", None)
        try:
            return float(_model(fn, grid, arguments, gpu, max_seconds)[_NANOSECONDS]) / 1e6
        except Error as fault:
            warnings.warn(f"{_jit_function(fn).__name__}: {fault.message}", RuntimeWarning, stacklevel=2)
            return float("inf")

    return estimate


def benchmarker(gpu: str, *, max_seconds: Optional[float] = 2.0) -> Callable[..., Any]:
    """For ``triton.autotune(do_bench=...)`` and in place of ``triton.testing.do_bench``: calls once, answers with the modeled
    milliseconds of the Triton kernels that were launched. Their arrays stay as they were."""
    def do_bench(kernel_call: Callable[[], Any], quantiles: Optional[Sequence[float]] = None,
                 **_: Any) -> Union[float, list[float]]:
        with modeled(gpu, max_seconds=max_seconds) as launches:
            try:
                kernel_call()
            except Error as fault:  # too much for an SM: the autotuner leaves such a configuration out
                from triton.runtime.errors import OutOfResources
                if fault.code != "launch-refused":
                    raise
                raise OutOfResources(0, 0, fault.message) from fault
        milliseconds = launches.milliseconds
        return [milliseconds] * len(quantiles) if quantiles else milliseconds

    return do_bench


_modeling: contextvars.ContextVar[Optional[tuple[str, Optional[float], Launches]]] = contextvars.ContextVar("modeling", default=None)


class _Takeover:
    """Triton's way to launch, replaced for as long as somebody models; others go on launching."""

    def __init__(self) -> None:
        self.lock, self.users, self.original = threading.Lock(), 0, cast(Any, None)

    def __enter__(self) -> None:
        from triton.runtime.jit import JITFunction
        with self.lock:
            self.users += 1
            if self.users == 1:
                self.original, JITFunction.run = JITFunction.run, _run

    def __exit__(self, *_: object) -> None:
        from triton.runtime.jit import JITFunction
        with self.lock:
            self.users -= 1
            if self.users == 0:
                JITFunction.run = self.original


_takeover = _Takeover()


@contextlib.contextmanager
def modeled(gpu: str, *, max_seconds: Optional[float] = 2.0) -> Iterator[Launches]:
    """Inside, Triton's kernels are modeled instead of run, on numpy arrays or tensors of the CPU; nothing is computed."""
    launches = Launches()
    token = _modeling.set((gpu, max_seconds, launches))
    try:
        with _takeover:
            yield launches
    finally:
        _modeling.reset(token)


def _run(kernel: Any, *args: Any, grid: Any, warmup: bool, **options: Any) -> Any:
    wanted = _modeling.get()
    if wanted is None:
        original: Any = _takeover.original
        return original(kernel, *args, grid=grid, warmup=warmup, **options)
    gpu, max_seconds, launches = wanted
    if not warmup:
        launches.profiles.append(_model(kernel, grid, {**dict(zip(kernel.arg_names, args)), **options}, gpu, max_seconds))
    return None


def _jit_function(fn: Any) -> Any:
    while not hasattr(fn, "params"):
        fn = fn.fn
    return fn


def _asking_kernel() -> Any:
    """Triton tells a performance model everything but the kernel: the autotuner that asks is a few frames up."""
    frame = sys._getframe(2)
    for _ in range(_FRAMES):
        asking: Any = frame.f_locals.get("self")
        if hasattr(asking, "fn") and hasattr(asking, "configs"):
            return asking.fn
        if frame.f_back is None:
            break
        frame = frame.f_back
    raise Error("perf_model does not know whose time is asked", "perf_model(gpu=..., kernel=kernel)", "usage")


def _model(fn: Any, grid: Any, arguments: Mapping[str, Any], gpu: str, max_seconds: Optional[float]) -> Profile:
    given = dict(arguments)
    while not hasattr(fn, "params"):  # what @triton.heuristics adds
        for name, value in getattr(fn, "values", {}).items():
            given[name] = value(given)
        fn = fn.fn
    bound = {name: _host(value) for name, value in given.items() if name in fn.arg_names}
    constexprs = {param.name for param in fn.params if param.is_constexpr}
    options = {name: value for name, value in given.items() if name not in fn.arg_names and value is not None}
    if grid is None:
        raise Error(f"the launch of '{fn.__name__}' has no grid", "kernel[grid](...)", "usage")
    return profile(fn, grid, {name: value for name, value in bound.items() if name not in constexprs}, gpu=gpu,
                   constants={name: value for name, value in bound.items() if name in constexprs}, options=options, max_seconds=max_seconds)


def _host(value: Any) -> Any:
    """A tensor of the GPU as one of the CPU: addresses may depend on what it holds."""
    if hasattr(value, "cpu") and str(getattr(value, "device", "cpu")) != "cpu":
        return value.cpu()
    if hasattr(value, "base") and hasattr(value, "dtype") and as_array(value) is None:
        raise Error(f"an argument of type {type(value).__name__} is not supported", "", "bad-argument")
    return value
