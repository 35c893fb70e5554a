"""What is wrong with somebody's input: the library's diagnostics as an exception."""
from __future__ import annotations


class Error(Exception):
    """A diagnostic: ``message`` says what, ``hint`` what to do, ``code`` which kind, ``where`` the place."""

    def __init__(self, message: str, hint: str = "", code: str = "", where: str = "", text: str = "") -> None:
        super().__init__(message, hint, code, where, text)
        self.message = message
        self.hint = hint
        self.code = code
        self.where = where
        self.text = text

    def __str__(self) -> str:
        if self.text:
            return self.text.rstrip("\n").removeprefix("error: ")
        place = f"{self.where}: " if self.where else ""
        kind = f" [{self.code}]" if self.code else ""
        hint = f"\nhint: {self.hint}" if self.hint else ""
        return f"{place}{self.message}{kind}{hint}"
