"""Layouts: which lane and register holds which element."""
from __future__ import annotations

import dataclasses
import html
from typing import Any, Optional

import numpy as np

from warpledger import _core
from warpledger._error import Error


@dataclasses.dataclass(frozen=True)
class BankConflicts:
    """Of moving a layout to or from a tile: one entry an instruction, and what would remove conflicts."""
    wavefronts: tuple[int, ...]
    conflicts: tuple[int, ...]
    lane_bytes: int
    remedies: tuple[tuple[str, int, int], ...]  # change, wavefronts, extra bytes

    @property
    def total(self) -> int:
        return sum(self.conflicts)


class Layout:
    """A fragment's name, bases over F2, a CuTe layout or a formula: ``Layout("mma.m16n8k16.A.f16")``.

    ``layout(lane=5, register=3)`` is the element there; ``layout.holders(row=9, col=3)`` who holds it.
    """

    def __init__(self, text: str, *, arch: str = "", shape: tuple[int, int] = (0, 0), elements: int = 0) -> None:
        raw = _core.layout(text, arch, *shape, elements)
        self.text, self.arch, self.elements = text, arch, elements
        self.inputs: dict[str, int] = dict(raw["inputs"])
        self.outputs: dict[str, int] = dict(raw["outputs"])
        self.is_injective: bool = raw["is_injective"]
        self.is_linear: bool = raw["notations"]["is_linear"]
        self.bases: Optional[str] = raw["notations"]["bases"]
        self.cute: Optional[str] = raw["notations"]["cute"]
        self.formula: Optional[str] = raw["notations"]["formula"]
        self.source: str = raw["source"]
        self.fidelity: str = raw["fidelity"]
        self._values = np.array(raw["values"], dtype=np.int64)

    def __call__(self, **point: int) -> dict[str, int]:
        """The coordinates of the element at a point; inputs that are left out are 0."""
        packed, step = 0, 1
        for name, size in self.inputs.items():
            at = point.pop(name, 0)
            if not 0 <= at < size:
                raise Error(f"{name} {at} is outside 0..{size - 1}", "", "usage")
            packed, step = packed + at * step, step * size
        if point:
            raise Error(f"the layout has no input '{next(iter(point))}'", ", ".join(self.inputs), "usage")
        return _unpack(int(self._values[packed]), self.outputs)

    def holders(self, **element: int) -> list[dict[str, int]]:
        """Every point that holds the element, in ascending order."""
        packed, step = 0, 1
        for name, size in self.outputs.items():
            packed, step = packed + element.pop(name, 0) * step, step * size
        if element:
            raise Error(f"the layout has no output '{next(iter(element))}'", ", ".join(self.outputs), "usage")
        return [_unpack(int(x), self.inputs) for x in np.flatnonzero(self._values == packed)]

    def to_numpy(self) -> np.ndarray:
        """Coordinates of every point: shape (last input, ..., first input, number of outputs)."""
        coordinates, rest = [], self._values
        for size in self.outputs.values():
            coordinates.append(rest % size)
            rest = rest // size
        shape = tuple(reversed(self.inputs.values()))
        return np.stack(coordinates, axis=-1).reshape(*shape, len(self.outputs))

    def owners(self, name: str = "lane") -> np.ndarray:
        """Rows x columns: which lane (or register) holds each element; -1 where nobody does."""
        if set(self.outputs) != {"row", "col"} or name not in self.inputs:
            raise Error(f"owners() needs rows, columns and a {name}", "", "usage")
        held = np.full((self.outputs["row"], self.outputs["col"]), -1, dtype=np.int64)
        for x in reversed(range(len(self._values))):  # the lowest holder is written last
            at = _unpack(int(self._values[x]), self.outputs)
            held[at["row"], at["col"]] = _unpack(x, self.inputs)[name]
        return held

    def banks(self, tile: str, *, element_bytes: int, bytes: int = 0) -> BankConflicts:
        """Bank conflicts of moving the layout to or from a tile: ``"Swizzle<3,3,3> o (64,64):(64,1)"``."""
        raw = _core.banks(self.text, self.arch, self.elements, tile, element_bytes, bytes)
        accesses = raw["accesses"]
        return BankConflicts(tuple(a[0] for a in accesses), tuple(a[1] for a in accesses),
                             accesses[0][2] if accesses else 0, tuple(raw["remedies"]))

    def __eq__(self, other: Any) -> bool:
        return (isinstance(other, Layout) and self.inputs == other.inputs and self.outputs == other.outputs
                and bool((self._values == other._values).all()))

    def __hash__(self) -> int:
        return hash((tuple(self.inputs.items()), tuple(self.outputs.items()), self._values.tobytes()))

    def __repr__(self) -> str:
        return f"Layout({self.text!r}, {_words(self.inputs)} -> {_words(self.outputs)})"

    def _repr_html_(self) -> str:
        if set(self.outputs) != {"row", "col"} or "lane" not in self.inputs:
            return f"<code>{html.escape(repr(self))}</code>"
        rows = []
        for row in self.owners():
            cells = "".join(f"<td style='background:hsl({int(lane) * 360 // self.inputs['lane']},60%,85%);color:#000;"
                            f"text-align:right'>{int(lane)}</td>" if lane >= 0 else "<td></td>" for lane in row)
            rows.append(f"<tr>{cells}</tr>")
        title = f"{self.text}: the lane of each element"
        return f"<table><caption>{html.escape(title)}</caption>{''.join(rows)}</table>"


def fragments(arch: str) -> list[str]:
    """The names of the fragments that an architecture has."""
    return list(_core.fragments(arch))


def _unpack(packed: int, dims: dict[str, int]) -> dict[str, int]:
    point = {}
    for name, size in dims.items():
        packed, point[name] = divmod(packed, size)
    return point


def _words(dims: dict[str, int]) -> str:
    return "(" + ", ".join(f"{name} {size}" for name, size in dims.items()) + ")"
