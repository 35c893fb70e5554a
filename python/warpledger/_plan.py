"""Plans: where a kernel's buffers stand in shared memory and in tensor memory."""
from __future__ import annotations

import dataclasses
import html

from warpledger import _core
from warpledger._table import Table, table_html
from warpledger._text import TextOrPath, read


@dataclasses.dataclass(frozen=True)
class Buffer:
    """``offset`` and ``size`` are bytes in shared memory, columns in tensor memory."""
    name: str
    space: str  # "shared" or "tensor"
    offset: int
    size: int
    lives: str


@dataclasses.dataclass(frozen=True)
class Plan:
    name: str
    gpu: str
    fits: bool
    shared_bytes: int
    shared_limit: int
    missing_bytes: int
    tensor_columns: int
    tensor_limit: int
    blocks_per_sm: int
    is_optimal: bool  # proven: no placement is smaller
    verdict: tuple[str, ...]
    buffers: tuple[Buffer, ...]
    cuda: str  # a struct with these offsets
    tables: tuple[Table, ...]

    def __str__(self) -> str:
        return "\n".join(self.verdict)

    def _repr_html_(self) -> str:
        verdict = "".join(f"<div>{html.escape(line)}</div>" for line in self.verdict)
        return verdict + "".join(map(table_html, self.tables))


def plan(text: TextOrPath, *, gpu: str = "", **sizes: int) -> Plan:
    """Places the buffers of a .plan text or file; ``sizes`` replace the values of its ``let``."""
    name, words = read(text, ".plan")
    raw = _core.plan(name, words, sizes, gpu)
    return Plan(**{**raw, "verdict": tuple(raw["verdict"]), "buffers": tuple(Buffer(*b) for b in raw["buffers"]),
                   "tables": tuple(map(Table.of, raw["tables"]))})
