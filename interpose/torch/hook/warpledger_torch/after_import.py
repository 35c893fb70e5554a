"""Calls `install(module)` of one of our modules right after the program has imported another: programs that import
neither pay nothing."""
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
from types import ModuleType
from typing import Callable, Dict, Optional, Sequence

# The program's module: ours.
AFTER: Dict[str, str] = {
    "torch": "warpledger_torch.install",
    "triton.runtime.driver": "warpledger_torch.triton_blas",
    "triton.testing": "warpledger_torch.benchmarkers", "triton.runtime.autotuner": "warpledger_torch.benchmarkers",
    "torch._inductor.runtime.benchmarking": "warpledger_torch.benchmarkers",
    "torch._inductor.runtime.triton_heuristics": "warpledger_torch.benchmarkers",
    "torch._inductor.utils": "warpledger_torch.benchmarkers",
    "helion.runtime.settings": "warpledger_torch.tuners", "helion.autotuner.benchmarking": "warpledger_torch.tuners",
    "helion.autotuner.benchmark_provider": "warpledger_torch.tuners", "helion.autotuner.base_search": "warpledger_torch.tuners",
    "tilelang.profiler.bench": "warpledger_torch.tuners", "tilelang.autotuner.tuner": "warpledger_torch.tuners"}


def _and_then(run: Callable[[ModuleType], None], ours: str) -> Callable[[ModuleType], None]:
    def execute(module: ModuleType) -> None:
        run(module)
        importlib.import_module(ours).install(module)

    return execute


class _Finder(importlib.abc.MetaPathFinder):
    """Lets the others find the module, and adds our step to its loader."""

    def __init__(self, waiting: Dict[str, str]) -> None:
        self.waiting = waiting

    def find_spec(self, name: str, path: Optional[Sequence[str]],
                  target: Optional[ModuleType] = None) -> Optional[importlib.machinery.ModuleSpec]:
        ours = self.waiting.pop(name, None)
        if ours is None:
            return None
        spec = importlib.util.find_spec(name)
        if spec is not None and spec.loader is not None:
            spec.loader.exec_module = _and_then(spec.loader.exec_module, ours)  # type: ignore[method-assign,assignment]
        return spec


def install() -> None:
    sys.meta_path.insert(0, _Finder(dict(AFTER)))
