"""Tile programs: bytes of a kernel sketch, and the sketch that moves less."""
from __future__ import annotations

import dataclasses
import json
from typing import Any, Mapping, Optional, Union

from warpledger import _core
from warpledger._table import Table, table_html
from warpledger._text import TextOrPath, read

Amount = Union[int, str]  # a formula in the sizes that have no value


@dataclasses.dataclass(frozen=True)
class TileProgram:
    """``total``: bytes over all edges; ``edges``: of each; numbers where all sizes are given, else formulas."""
    name: str
    text: str
    total: Amount
    global_bytes: Amount
    edges: Mapping[str, Amount]
    table: Table
    fits: Optional[bool]  # None: no GPU was given
    capacity: Optional[Table]
    _ledger: str = dataclasses.field(repr=False)
    _sizes: Mapping[str, int] = dataclasses.field(repr=False)
    _source: str = dataclasses.field(repr=False)

    def ledger(self) -> dict[str, Any]:
        ledger: dict[str, Any] = json.loads(self._ledger)
        return ledger

    def optimize(self, *, gpu: Optional[str] = None, rules: str = "all", minimize: str = "total",
                 limit: int = 20000) -> "Optimum":
        """The program of the same meaning that moves the fewest bytes, among all that the rules reach."""
        raw = _core.tile_optimize(self.name, self._source, dict(self._sizes), gpu, rules, minimize, limit)
        return Optimum(bytes_before=raw["bytes_before"], bytes_after=raw["bytes_after"],
                       is_optimal=raw["is_optimal"], certificate=raw["certificate"],
                       derivation=Table.of(raw["derivation"]), program=_program(raw, self._sizes, raw["text"]))

    def _repr_html_(self) -> str:
        return table_html(self.table) + (table_html(self.capacity) if self.capacity else "")


@dataclasses.dataclass(frozen=True)
class Optimum:
    bytes_before: int
    bytes_after: int
    is_optimal: bool  # among all programs that the rules reach
    certificate: str
    derivation: Table
    program: TileProgram


def tile(program: TextOrPath, *, gpu: Optional[str] = None, per: str = "grid", **sizes: int) -> TileProgram:
    """What a .tile program moves, per grid or per block, and with ``gpu`` whether it fits."""
    name, text = read(program, ".tile")
    if per not in ("grid", "block"):
        raise ValueError("per is 'grid' or 'block'")
    return _program(_core.tile_cost(name, text, sizes, gpu, per == "block"), sizes, text)


def _program(raw: Mapping[str, Any], sizes: Mapping[str, int], source: str) -> TileProgram:
    capacity = Table.of(raw["capacity"]) if raw["capacity"] is not None else None
    return TileProgram(raw["name"], raw["text"], raw["total"], raw["global_bytes"], raw["edges"],
                       Table.of(raw["table"]), raw["fits"], capacity, raw["ledger"], dict(sizes), source)
