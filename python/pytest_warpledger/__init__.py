"""The pytest plugin of warpledger: a package of its own, so that pytest starts without loading the library.

    def test_no_conflicts(warpledger):
        result = warpledger.profile("transpose.cu", grid=(8, 8), block=(32, 8), args=(a, b, 256))
        warpledger.no_bank_conflicts(result)
        warpledger.baseline(result)

Baselines are files beside the test, ``warpledger_baselines/<test file>/<test>.json``; ``pytest --warpledger-update``
writes them. Exact numbers must be equal, others may differ by ``tolerance``.
"""
from __future__ import annotations

import json
import pathlib
import re
from typing import Any, Iterator, Mapping, Optional, Sequence

import pytest

__all__ = ["DEFAULT_METRICS", "Checker"]

# What a change of a kernel is most likely to move.
DEFAULT_METRICS = (
    "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum", "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
    "dram__bytes_read.sum", "dram__bytes_write.sum")
CONFLICTS = "l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warpledger")
    group.addoption("--warpledger-update", action="store_true", help="write the baselines instead of comparing")
    group.addoption("--warpledger-gpu", default=None, help="default GPU of profiles")
    parser.addini("warpledger_gpu", "default GPU of profiles", default="")
    parser.addini("warpledger_baselines", "directory of the baselines, beside each test", default="warpledger_baselines")


@pytest.fixture
def warpledger(request: pytest.FixtureRequest) -> "Checker":
    """Profiles kernels and holds them to what is wanted of them."""
    return Checker(request)


class Checker:
    def __init__(self, request: pytest.FixtureRequest) -> None:
        config = request.config
        self._gpu = config.getoption("--warpledger-gpu") or config.getini("warpledger_gpu")
        self._update = bool(config.getoption("--warpledger-update"))
        test = pathlib.Path(str(request.path))
        name = re.sub(r"[^\w.-]+", "_", request.node.name)
        self._folder = test.parent / config.getini("warpledger_baselines") / test.stem
        self._stem = name
        self._count = 0

    def profile(self, kernel: Any, grid: Any, args: Any = (), **options: Any) -> Any:
        """``warpledger.profile``; the GPU may come from --warpledger-gpu or the ini file."""
        import warpledger as wl
        if self._gpu:
            options.setdefault("gpu", self._gpu)
        if "gpu" not in options:
            pytest.fail("no GPU: pass gpu=, or set warpledger_gpu in the ini file", pytrace=False)
        return wl.profile(kernel, grid, args, **options)

    def at_most(self, result: Any, metric: str, limit: float) -> None:
        """Fails when the metric is larger, or not modeled."""
        found = result[metric]
        if found.value is None or float(found) > limit:
            pytest.fail(f"{metric} is {found.value} {found.unit} ({found.fidelity}), at most {limit} is allowed",
                        pytrace=False)

    def no_bank_conflicts(self, result: Any) -> None:
        """Fails, with the findings, when shared memory has bank conflicts."""
        found = result[CONFLICTS]
        if found.value == 0:
            return
        why = [f"  {finding.title} {finding.where}".rstrip() for finding in result.findings if "bank" in finding.code]
        pytest.fail("\n".join([f"{found.value} bank conflicts ({found.fidelity})", *why]), pytrace=False)

    def baseline(self, result: Any, *, metrics: Sequence[str] = DEFAULT_METRICS, name: Optional[str] = None,
                 tolerance: float = 0.0) -> None:
        """Compares with the file of this test; further calls in one test have files of their own."""
        self._count += 1
        stem = name or (self._stem if self._count == 1 else f"{self._stem}-{self._count}")
        path = self._folder / f"{stem}.json"
        now = _record(result, metrics)
        if self._update:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(json.dumps(now, indent=2) + "\n", encoding="utf-8")
            return
        if not path.exists():
            pytest.fail(f"there is no baseline {path}: pytest --warpledger-update writes it", pytrace=False)
        wanted = json.loads(path.read_text(encoding="utf-8"))
        changes = list(_changes(wanted, now, tolerance))
        if changes:
            pytest.fail("\n".join([f"differs from {path} (pytest --warpledger-update accepts it):", *changes]),
                        pytrace=False)


def _record(result: Any, names: Sequence[str]) -> dict[str, Any]:
    found = [result[name] for name in names]
    return {"kernel": result.kernel, "gpu": result.gpu, "grid": list(result.grid), "block": list(result.block),
            "metrics": {m.name: {"value": m.value, "unit": m.unit, "fidelity": m.fidelity} for m in found}}


def _changes(wanted: Mapping[str, Any], now: Mapping[str, Any], tolerance: float) -> Iterator[str]:
    for key in ("kernel", "gpu", "grid", "block"):
        if wanted.get(key) != now[key]:
            yield f"  {key}: {wanted.get(key)} -> {now[key]}"
    before: Mapping[str, Any] = wanted.get("metrics", {})
    for name in dict.fromkeys([*before, *now["metrics"]]):
        old, new = before.get(name), now["metrics"].get(name)
        if old is None or new is None:
            yield f"  {name}: {'added' if old is None else 'no longer asked for'}"
        elif not _same(old, new, tolerance):
            yield f"  {name}: {old['value']} -> {new['value']} {new['unit']} ({new['fidelity']})"


def _same(old: Mapping[str, Any], new: Mapping[str, Any], tolerance: float) -> bool:
    if old["value"] == new["value"]:
        return True
    exact = "exact" in (old["fidelity"], new["fidelity"])
    numbers = all(isinstance(one["value"], (int, float)) for one in (old, new))
    return numbers and not exact and abs(new["value"] - old["value"]) <= tolerance * abs(old["value"])
