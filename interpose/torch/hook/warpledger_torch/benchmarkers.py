"""Puts one modeled call (benchmark.py) in the place of the repetitions of Triton's and Inductor's benchmarkers, and
tells the configurations that their autotuners try."""
import functools
import inspect
from types import ModuleType
from typing import Any, Callable, Dict

from warpledger_torch import benchmark


def _testing(module: Any) -> None:
    """triton.testing: do_bench and its variants, which Triton's autotuner calls too."""
    def replacement(original: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(original)

        @functools.wraps(original)
        def once(*args: Any, **kwargs: Any) -> Any:
            given = signature.bind(*args, **kwargs).arguments
            milliseconds = benchmark.time_of(given["fn"], given.get("grad_to_none"))
            return module._summarize_statistics([milliseconds], given.get("quantiles"), given.get("return_mode", "mean"))

        return once

    for name in ("do_bench", "do_bench_cudagraph", "do_bench_proton", "do_bench_cudagraph_proton"):
        if hasattr(module, name):
            setattr(module, name, replacement(getattr(module, name)))


def _autotuner(module: Any) -> None:
    """triton.runtime.autotuner: the configuration of each trial."""
    original = module.Autotuner._bench

    def _bench(self: Any, *args: Any, config: Any, **meta: Any) -> Any:
        with benchmark.trial(config):
            return original(self, *args, config=config, **meta)

    module.Autotuner._bench = _bench


def _inductor(module: Any) -> None:
    """torch._inductor.runtime.benchmarking. All that Inductor measures are trials."""
    def benchmark_gpu(self: Any, _callable: Callable[[], Any], *args: Any, grad_to_none: Any = None,
                      return_mode: str = "median", quantiles: Any = None, **kwargs: Any) -> Any:
        milliseconds = benchmark.time_of(_callable, grad_to_none, is_trial=True)
        return [milliseconds] if return_mode == "all" else milliseconds

    for name in ("TritonBenchmarker", "InductorBenchmarker", "TorchProfilerBenchmarker"):
        kind = getattr(module, name, None)
        if kind is not None:
            kind.benchmark_gpu = benchmark_gpu
            kind.benchmark_gpu_with_cuda_graph = benchmark_gpu


def _inductor_utils(module: Any) -> None:
    """torch._inductor.utils: a benchmarker that reads CUPTI's times."""
    def do_bench_using_profiling(fn: Callable[[], Any], *args: Any, **kwargs: Any) -> float:
        return benchmark.time_of(fn, is_trial=True)

    if hasattr(module, "do_bench_using_profiling"):
        module.do_bench_using_profiling = do_bench_using_profiling


def _heuristics(module: Any) -> None:
    """torch._inductor.runtime.triton_heuristics: the configuration of each trial."""
    original = module.CachingAutotuner.bench

    def bench(self: Any, launcher: Any, *args: Any, **kwargs: Any) -> Any:
        with benchmark.trial(launcher.config):
            return original(self, launcher, *args, **kwargs)

    module.CachingAutotuner.bench = bench


_INSTALL: Dict[str, Callable[[Any], None]] = {
    "triton.testing": _testing, "triton.runtime.autotuner": _autotuner, "torch._inductor.runtime.benchmarking": _inductor,
    "torch._inductor.runtime.triton_heuristics": _heuristics, "torch._inductor.utils": _inductor_utils}


def install(module: ModuleType) -> None:
    _INSTALL[module.__name__](module)
