"""Puts one modeled call (benchmark.py) in the place of the repetitions of Helion's and TileLang's benchmarks, and tells
the configurations that their autotuners try.

Both bound a benchmark by seconds of this machine, against kernels that hang a GPU. Here a call takes as long as its
model, so that these limits would leave out good configurations: they are taken away. Both keep choices on the disk, and
a choice by modeled times must not become that of a GPU, nor the other way around: here none is read or written."""
import functools
import inspect
import os
from types import ModuleType
from typing import Any, Callable, Dict, List

from warpledger_torch import benchmark


def _text(configuration: Dict[str, Any]) -> str:
    """As Triton writes its configurations."""
    return ", ".join(f"{name}: {value}" for name, value in configuration.items() if not name.startswith("__"))


def _helion_settings(module: Any) -> None:
    """helion.runtime.settings: benchmarks in this process. A worker process would be killed after 30 s, imports included."""
    os.environ.setdefault("HELION_AUTOTUNE_BENCHMARK_SUBPROCESS", "0")
    os.environ.setdefault("HELION_SKIP_CACHE", "1")


def _helion_benchmarking(module: Any) -> None:
    """helion.autotuner.benchmarking: those that measure with events; wall clocks stay."""
    def once(original: Callable[..., Any]) -> Callable[..., Any]:
        signature = inspect.signature(original)

        @functools.wraps(original)
        def bench(*args: Any, **kwargs: Any) -> Any:
            from triton.testing import _summarize_statistics

            given = signature.bind(*args, **kwargs).arguments
            milliseconds = benchmark.time_of(given["fn"], given.get("grad_to_none"))
            return _summarize_statistics([milliseconds], given.get("quantiles"), given.get("return_mode", "mean"))

        return bench

    def interleaved_bench(fns: List[Callable[[], Any]], **_: Any) -> List[float]:
        return [benchmark.time_of(fn) for fn in fns]

    def compute_repeat(fn: Callable[[], Any], **_: Any) -> int:
        return 1

    for name in ("do_bench", "do_bench_cuda_graph"):
        if hasattr(module, name):
            setattr(module, name, once(getattr(module, name)))
    module.interleaved_bench = functools.wraps(module.interleaved_bench)(interleaved_bench)
    module.compute_repeat = functools.wraps(module.compute_repeat)(compute_repeat)


def _helion_provider(module: Any) -> None:
    """helion.autotuner.benchmark_provider: the configuration of each trial."""
    original = module.LocalBenchmarkProvider._benchmark_function

    @functools.wraps(original)
    def _benchmark_function(self: Any, config: Any, *args: Any, **kwargs: Any) -> Any:
        with benchmark.trial(_text(config.config)):
            return original(self, config, *args, **kwargs)

    module.LocalBenchmarkProvider._benchmark_function = _benchmark_function


def _helion_search(module: Any) -> None:
    """helion.autotuner.base_search: no launch of a search is the program's own. Finalists are measured again, by whatever
    function: which configurations these are is not known here."""
    original = module.BaseSearch.autotune

    @functools.wraps(original)
    def autotune(self: Any, *args: Any, **kwargs: Any) -> Any:
        with benchmark.trial(""), benchmark.checks():
            return original(self, *args, **kwargs)

    module.BaseSearch.autotune = autotune


def _tilelang_bench(module: Any) -> None:
    """tilelang.profiler.bench: do_bench, which its Profiler and its autotuner call too."""
    original = module.do_bench
    signature = inspect.signature(original)

    @functools.wraps(original)
    def do_bench(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs).arguments
        if given.get("backend", "event") not in ("event", "cupti", "cudagraph"):
            return original(*args, **kwargs)
        milliseconds, quantiles = benchmark.time_of(given["fn"]), given.get("quantiles")
        return milliseconds if quantiles is None or len(quantiles) == 1 else [milliseconds] * len(quantiles)

    module.do_bench = do_bench


class _Tasks:
    """The queue of TileLang's benchmark thread, which remembers the configuration that was taken last."""

    def __init__(self, queue: Any) -> None:
        self.queue, self.configuration = queue, ""

    def get(self, *args: Any, **kwargs: Any) -> Any:
        task = self.queue.get(*args, **kwargs)
        if task is not None:
            self.configuration = _text(task[1])
        return task


def _tilelang_tuner(module: Any) -> None:
    """tilelang.autotuner.tuner: the configuration of each trial, and no limit to its seconds."""
    os.environ.setdefault("TILELANG_AUTO_TUNING_DISABLE_CACHE", "1")
    original = module.AutoTuner._benchmark_worker_loop
    signature = inspect.signature(original)

    @functools.wraps(original)
    def _benchmark_worker_loop(*args: Any, **kwargs: Any) -> Any:
        given = signature.bind(*args, **kwargs)
        tasks, measure = _Tasks(given.arguments["worker_queue"]), given.arguments["benchmark_target"]

        def target(**task: Any) -> Any:
            with benchmark.trial(tasks.configuration), benchmark.checks():
                return measure(**task)

        given.arguments.update(worker_queue=tasks, benchmark_target=target, timeout=0)
        return original(*given.args, **given.kwargs)

    module.AutoTuner._benchmark_worker_loop = _benchmark_worker_loop


_INSTALL: Dict[str, Callable[[Any], None]] = {
    "helion.runtime.settings": _helion_settings, "helion.autotuner.benchmarking": _helion_benchmarking,
    "helion.autotuner.benchmark_provider": _helion_provider, "helion.autotuner.base_search": _helion_search,
    "tilelang.profiler.bench": _tilelang_bench, "tilelang.autotuner.tuner": _tilelang_tuner}


def install(module: ModuleType) -> None:
    _INSTALL[module.__name__](module)
