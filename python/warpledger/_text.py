"""Texts that are given as they are or by the path of a file."""
from __future__ import annotations

import os
import pathlib
from typing import Union

from warpledger._error import Error

TextOrPath = Union[str, "os.PathLike[str]"]


def read(what: TextOrPath, suffix: str) -> tuple[str, str]:
    """(name, text): a path object, or a one-line text that ends in the suffix, is a file."""
    if isinstance(what, str) and not ("\n" not in what and what.endswith(suffix)):
        return f"<text>{suffix}", what
    try:
        return str(what), pathlib.Path(what).read_text(encoding="utf-8", errors="replace")
    except OSError as fault:
        raise Error(f"cannot read '{what}': {fault.strerror}", "", "io") from None
