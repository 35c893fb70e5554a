"""GPUs, and how many blocks of a launch one SM holds."""
from __future__ import annotations

import dataclasses
import html
from typing import Mapping, Optional

from warpledger import _core
from warpledger._profile import Extent, _extent
from warpledger._table import Table, table_html


@dataclasses.dataclass(frozen=True)
class Occupancy:
    """``limits``: blocks per SM that each resource allows, None for one that does not limit."""
    gpu: str
    blocks_per_sm: int
    warps_per_sm: int
    max_warps_per_sm: int
    percent: float
    waves_per_sm: float
    smem_config_bytes: int
    limits: Mapping[str, Optional[int]]
    limited_by: tuple[str, ...]
    advice: tuple[str, ...]
    tables: tuple[Table, ...]

    def _repr_html_(self) -> str:
        advice = "".join(f"<li>{html.escape(line)}</li>" for line in self.advice)
        return "".join(map(table_html, self.tables)) + f"<ul>{advice}</ul>"


def occupancy(gpu: str, block: Extent, registers: int, *, grid: Extent = 1, smem_static: int = 0,
              smem_dynamic: int = 0, barriers: int = 1, prefer_shared: bool = False,
              carveout: Optional[int] = None) -> Occupancy:
    """What limits a launch, in ncu's words, and the smallest change that helps."""
    raw = _core.occupancy(gpu, _extent("grid", grid), _extent("block", block), registers, smem_static, smem_dynamic,
                          barriers, prefer_shared, carveout)
    return Occupancy(**{**raw, "limited_by": tuple(raw["limited_by"]), "advice": tuple(raw["advice"]),
                        "tables": tuple(map(Table.of, raw["tables"]))})


def gpus() -> Table:
    """The GPUs that are known, a row each."""
    return Table.of(_core.gpus())


def gpu(name: str) -> Table:
    """Every number of one GPU with its fidelity and source."""
    return Table.of(_core.gpu(name))
