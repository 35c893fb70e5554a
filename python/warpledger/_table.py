"""Tables: what a person reads and what a script reads, in one value."""
from __future__ import annotations

import dataclasses
import html
from typing import Any, Iterator, Optional, Union

Value = Union[int, float, str, None]

# One mark for each fidelity, as the command line prints them; exact numbers have none.
MARKS = {"modeled": "~", "measured": " measured", "published": " published", "assumed": "?"}


@dataclasses.dataclass(frozen=True)
class Column:
    name: str  # as printed
    key: str  # in dicts, CSV and pandas, with the unit
    right: bool = False


@dataclasses.dataclass(frozen=True)
class Cell:
    text: str  # what a person reads
    value: Value = None  # what a script reads
    fidelity: Optional[str] = None  # of a number

    @property
    def shown(self) -> str:
        return self.text + MARKS.get(self.fidelity or "", "")


@dataclasses.dataclass(frozen=True)
class Table:
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()

    @classmethod
    def of(cls, raw: Any) -> "Table":
        title, columns, rows, notes = raw
        return cls(title, tuple(Column(*c) for c in columns),
                   tuple(tuple(Cell(*cell) for cell in row) for row in rows), tuple(notes))

    def __len__(self) -> int:
        return len(self.rows)

    def records(self) -> Iterator[dict[str, Value]]:
        """Rows as dicts of raw values by key."""
        for row in self.rows:
            yield {column.key: cell.value for column, cell in zip(self.columns, row)}

    def to_pandas(self) -> Any:
        """A DataFrame of raw values, a column ``<key>_fidelity`` for each column of numbers."""
        pandas = require_pandas()
        data: dict[str, list[Any]] = {}
        for i, column in enumerate(self.columns):
            cells = [row[i] if i < len(row) else Cell("") for row in self.rows]
            data[column.key] = [cell.value for cell in cells]
            if any(cell.fidelity for cell in cells):
                data[f"{column.key}_fidelity"] = [cell.fidelity for cell in cells]
        return pandas.DataFrame(data)

    def __str__(self) -> str:
        lines = [[column.name for column in self.columns]] + [[cell.shown for cell in row] for row in self.rows]
        widths = [max((len(line[i]) for line in lines if i < len(line)), default=0) for i in range(len(self.columns))]
        out = [self.title] if self.title else []
        for line in lines:
            words = (word.rjust(width) if column.right else word.ljust(width)
                     for word, width, column in zip(line, widths, self.columns))
            out.append("  ".join(words).rstrip())
        return "\n".join([*out, *self.notes])

    def _repr_html_(self) -> str:
        return table_html(self)


def require_pandas() -> Any:
    try:
        import pandas
    except ImportError as missing:
        raise ImportError("to_pandas() needs pandas: pip install pandas") from missing
    return pandas


def table_html(table: Table) -> str:
    """HTML of one table; every text is escaped."""
    head = "".join(f"<th style='text-align:{'right' if c.right else 'left'}'>{html.escape(c.name)}</th>"
                   for c in table.columns)
    body = []
    for row in table.rows:
        cells = []
        for column, cell in zip(table.columns, row):
            title = f" title='{html.escape(cell.fidelity)}'" if cell.fidelity else ""
            side = "right" if column.right else "left"
            cells.append(f"<td style='text-align:{side}'{title}>{html.escape(cell.shown)}</td>")
        body.append(f"<tr>{''.join(cells)}</tr>")
    title = f"<caption style='text-align:left'><b>{html.escape(table.title)}</b></caption>" if table.title else ""
    notes = "".join(f"<div><small>{html.escape(note)}</small></div>" for note in table.notes)
    return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>{notes}"
