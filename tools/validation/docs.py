"""Writes the computed sections of docs/validation.md."""
import sys

from validation.cases import ROOT


def write_docs(sections, only):
    """{name: text}; `only` some of them when it is not empty."""
    path = ROOT / "docs/validation.md"
    text = path.read_text()
    for name, body in sections.items():
        if only and name not in only:
            continue
        begin, end = f"<!-- computed: {name} -->\n", "<!-- end -->"
        if begin not in text:
            sys.exit(f"docs/validation.md has no section '{name}'")
        start = text.index(begin) + len(begin)
        text = text[:start] + body + text[text.index(end, start):]
    path.write_text(text)
