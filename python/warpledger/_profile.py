"""``wl.profile``: what Nsight Compute would say of a launch, without a GPU."""
from __future__ import annotations

import dataclasses
import html
import json
import os
import pathlib
from typing import Any, Callable, Mapping, Optional, Sequence, Union

import numpy as np

from warpledger import _core, _kernel
from warpledger._arguments import Arguments, as_array, pack_scalar, raw_bytes, write_back
from warpledger._error import Error
from warpledger._table import Table, Value, require_pandas, table_html

Extent = Union[int, Sequence[int]]


@dataclasses.dataclass(frozen=True)
class Metric:
    """One number under ncu's name. ``value`` None: not modeled yet. ``low``, ``high``: its band, if asked for."""
    name: str
    value: Value
    unit: str
    fidelity: str
    low: Optional[float] = None
    high: Optional[float] = None

    @property
    def is_exact(self) -> bool:
        return self.fidelity == "exact"

    def __float__(self) -> float:
        if not isinstance(self.value, (int, float)):
            raise TypeError(f"{self.name} is not a number: {self.value!r} ({self.fidelity})")
        return float(self.value)


@dataclasses.dataclass(frozen=True)
class Finding:
    """What a person should know first. ``saving``: of the launch's time, 0..1, an estimate."""
    code: str
    title: str
    where: str
    because: tuple[str, ...]
    remedy: str
    saving: float


@dataclasses.dataclass(frozen=True)
class Launch:
    """What was launched: picklable, so that it can be run elsewhere."""
    ptx: str
    file: str
    kernel: str
    gpu: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    cluster: tuple[int, int, int]  # zeros: as the kernel requires
    shared: int
    arguments: tuple[tuple[str, Any], ...]
    options: Mapping[str, Any]


@dataclasses.dataclass(frozen=True)
class Profile:
    """A profile: ``profile["dram__bytes_read.sum"].value``, findings, tables, and the whole as JSON."""
    kernel: str
    gpu: str
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    metrics: Mapping[str, Metric]
    findings: tuple[Finding, ...]
    headline: tuple[str, ...]
    summary: tuple[Table, ...]  # where the bytes go, what limits
    sections: tuple[Table, ...]  # ncu's details page
    lines: Table  # per source line
    instructions: Table  # per PTX instruction
    output: str  # of device-side printf
    engine: str  # what ran it
    has_values: bool  # whether the arrays hold what the kernel computed
    _json: str = dataclasses.field(repr=False)
    _ledger: str = dataclasses.field(repr=False)
    _text: str = dataclasses.field(repr=False)

    def __getitem__(self, name: str) -> Metric:
        """Any metric by ncu's name, with any of its roll-ups; Error for a name that is not known."""
        if name in self.metrics:
            return self.metrics[name]
        return Metric(name, *_core.metric(self._json, name))

    def explain(self, name: str) -> tuple[Table, ...]:
        """Why a metric has its value: its rule and error; its formula, the counters in it, and the source lines and
        instructions that feed them (docs/debugging-a-number.md)."""
        return tuple(map(Table.of, _core.explain(self._json, name)))

    def to_pandas(self) -> Any:
        """The metrics as a DataFrame, indexed by name."""
        pandas = require_pandas()
        rows = [dataclasses.asdict(metric) for metric in self.metrics.values()]
        return pandas.DataFrame(rows).set_index("name")

    def to_dict(self) -> dict[str, Any]:
        """Everything, as ``warpledger profile --json`` writes it."""
        profile: dict[str, Any] = json.loads(self._json)
        return profile

    def ledger(self) -> dict[str, Any]:
        """What each array moved over each edge (docs/ledger.md)."""
        ledger: dict[str, Any] = json.loads(self._ledger)
        return ledger

    def save(self, path: Union[str, "os.PathLike[str]"]) -> None:
        """Writes the JSON that ``warpledger compare`` reads."""
        pathlib.Path(path).write_text(self._json, encoding="utf-8")

    def __str__(self) -> str:
        return self._text

    def _repr_html_(self) -> str:
        parts = ["<div class='warpledger'>"]
        parts += [f"<div>{html.escape(line)}</div>" for line in self.headline]
        parts += [table_html(table) for table in self.summary]
        parts += [_finding_html(i + 1, finding) for i, finding in enumerate(self.findings)]
        return "".join(parts) + "</div>"


def _finding_html(number: int, finding: Finding) -> str:
    where = f" <code>{html.escape(finding.where)}</code>" if finding.where else ""
    because = "".join(f"<li>{html.escape(reason)}</li>" for reason in finding.because)
    saving = f" (saves up to {finding.saving:.0%} of the launch's time, modeled)" if finding.saving > 0 else ""
    return (f"<p><b>{number}. {html.escape(finding.title)}</b>{where}<ul>{because}</ul>"
            f"{html.escape(finding.remedy)}{saving}</p>")


def profile(kernel: Any, grid: Union[Extent, Callable[[dict[str, Any]], Extent]], args: Arguments = (), *, gpu: str,
            block: Optional[Extent] = None, cluster: Optional[Extent] = None, name: Optional[str] = None, shared: int = 0,
            values: bool = False, constants: Optional[Mapping[str, Any]] = None,
            options: Optional[Mapping[str, Any]] = None, flags: Sequence[str] = (), registers: Optional[int] = None,
            carveout: Optional[int] = None, prefer_shared: bool = False, cache_control: str = "all",
            sass: bool = True, band: bool = False, seed: Optional[int] = None, engine: str = "auto",
            exact: bool = False, max_seconds: Optional[float] = None, limit: int = 0, timeout: float = 0,
            threads: int = 0) -> Profile:
    """Profiles one launch.

    kernel   PTX or CUDA text, a path to a .ptx, .cu or .cubin file, a Triton JITFunction, a CuPy RawKernel
    grid     blocks: 64 or (16, 16); for Triton also a function of the arguments
    args     numpy arrays and numbers in the order of the parameters, or a dict whose names reports use
    gpu      a name of ``gpus()``, or a path to a .toml file
    block    threads of a block; Triton decides it itself
    cluster  blocks of a cluster; as the kernel requires when absent
    name     which kernel of the text, or a part that only one has; not needed when there is one
    values   compute what no address depends on, and write the results into the arrays of ``args``
    constants, options   Triton's constexprs and compiler options (num_warps, num_stages)
    flags    further options for nvcc
    The others are those of ``warpledger profile``. The interpreter lock is released while the kernel runs.
    """
    launch = prepare(kernel, grid, args, gpu=gpu, block=block, cluster=cluster, name=name, shared=shared,
                     constants=constants, options=options, flags=flags, values=values, registers=registers,
                     carveout=carveout, prefer_shared=prefer_shared, cache_control=cache_control, sass=sass,
                     band=band, seed=seed, engine=engine, exact=exact, max_seconds=max_seconds, limit=limit, timeout=timeout,
                     threads=threads)
    return run(launch)


def prepare(kernel: Any, grid: Any, args: Arguments = (), *, gpu: str, block: Optional[Extent] = None,
            cluster: Optional[Extent] = None, name: Optional[str] = None, shared: int = 0,
            constants: Optional[Mapping[str, Any]] = None, options: Optional[Mapping[str, Any]] = None,
            flags: Sequence[str] = (), **rest: Any) -> Launch:
    """Compiles the kernel and decides all that a run needs."""
    _core.architecture(gpu)  # a GPU that is not known is said first
    source = _kernel.load(kernel, name, gpu, grid, args, flags, constants or {}, options or {})
    block = source.block or block
    if block is None:
        raise Error("the launch has no block", "block=256 or block=(16, 16)", "usage")
    chosen = source.kernel or _only_kernel(source)
    return Launch(source.ptx, source.file, chosen, gpu, _extent("grid", source.grid or grid), _extent("block", block),
                  (0, 0, 0) if cluster is None else _extent("cluster", cluster), shared + source.shared,
                  tuple(source.arguments), rest)


def run(launch: Launch) -> Profile:
    """Runs a prepared launch here."""
    kernel, parameters = _core.parameters(launch.ptx, launch.file, launch.kernel)
    if len(parameters) != len(launch.arguments):
        raise Error(f"kernel '{kernel}' takes {len(parameters)} arguments, {len(launch.arguments)} were given", "",
                    "bad-launch")
    arrays = [as_array(value) for _, value in launch.arguments]
    given = [(name, True, raw_bytes(array)) if array is not None else
             (name, False, pack_scalar(name, value, size, is_float))
             for (name, value), array, (_, size, is_float) in zip(launch.arguments, arrays, parameters)]
    raw = _core.profile(json.dumps(_question(launch, kernel)), given)
    for array, data in zip(arrays, raw["outputs"]):
        if array is not None and data is not None:
            write_back(array, data)
    return _profile_of(launch, raw)


def _question(launch: Launch, kernel: str) -> dict[str, Any]:
    """As the library reads a question; what is None has its default there."""
    chosen = dict(launch.options)
    chosen["values"] = "on" if chosen.pop("values", False) else "off"
    chosen["flush_caches"] = {"all": True, "none": False}.get(chosen.pop("cache_control", "all"))
    if chosen["flush_caches"] is None:
        raise Error("cache_control is 'all' or 'none'", "", "usage")
    renamed = {"carveout": "carveout_kib", "timeout": "timeout_seconds"}
    return {"gpu": launch.gpu, "file": launch.file, "ptx": launch.ptx, "kernel": kernel, "grid": launch.grid,
            "block": launch.block, "cluster": launch.cluster, "dynamic_shared_bytes": launch.shared,
            "options": {renamed.get(key, key): value for key, value in chosen.items() if value is not None}}


def _profile_of(launch: Launch, raw: Mapping[str, Any]) -> Profile:
    lines, instructions = (Table.of(table) for table in raw["source"])
    return Profile(
        kernel=raw["kernel"], gpu=raw["gpu"], grid=launch.grid, block=launch.block,
        metrics={name: Metric(name, *value) for name, value in raw["metrics"].items()},
        findings=tuple(Finding(code, title, where, tuple(because), remedy, saving)
                       for code, title, where, because, remedy, saving in raw["findings"]),
        headline=tuple(raw["headline"]), summary=tuple(map(Table.of, raw["summary"])),
        sections=tuple(map(Table.of, raw["sections"])), lines=lines, instructions=instructions,
        output=raw["output"], engine=raw["engine"], has_values=raw["has_values"], _json=raw["json"],
        _ledger=raw["ledger"], _text=raw["text"])


def _only_kernel(source: _kernel.Source) -> str:
    kernels = _core.kernels(source.ptx, source.file)
    if len(kernels) == 1:
        return kernels[0]
    raise Error(f"{source.file} has {len(kernels)} kernels: choose one with name=", ", ".join(kernels), "unknown-kernel")


def _extent(what: str, value: Any) -> tuple[int, int, int]:
    parts = tuple(value) if isinstance(value, (tuple, list, np.ndarray)) else (value,)
    if not 1 <= len(parts) <= 3 or not all(isinstance(n, (int, np.integer)) and 0 < n < 2**32 for n in parts):
        raise Error(f"{value!r} is not a valid value for {what}", f"one to three positive numbers: {what}=(16, 16)", "usage")
    x, y, z = (*map(int, parts), 1, 1)[:3]
    return x, y, z
