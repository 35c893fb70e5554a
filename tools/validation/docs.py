"""Writes the computed sections of docs/validation.md."""
import sys

from validation.cases import ROOT
from validation.states import tensor_states_heading

# Tables with one row per case: a run of some cases updates only their rows.
BY_CASE = ("tensor", "tensor-states", "cases")


def row_name(line):
    return line.split("|")[1].strip() if line.startswith("|") else None


def merged(old, new, missing):
    """`old`, with the rows of `new` for the cases that are not `missing`; those that it lacks come last."""
    after = {row_name(line): line for line in new.splitlines() if row_name(line) and row_name(line) not in missing}
    lines = [after.pop(row_name(line), line) for line in old.splitlines()]
    return "".join(line + "\n" for line in lines + list(after.values()))


def recounted(text):
    """The tensor cores' states, with the line that counts them."""
    verdicts = [line.split("|")[-2].strip() for line in text.splitlines() if row_name(line)]
    return tensor_states_heading([verdict for verdict in verdicts if verdict in ("yes", "no", "-")]) + text[text.index("\n"):]


def write_docs(sections, only, missing=()):
    """{name: text}; `only` some of them when it is not empty. Cases that are `missing` keep their rows."""
    path = ROOT / "docs/validation.md"
    text = path.read_text()
    for name, body in sections.items():
        if only and name not in only:
            continue
        begin, end = f"<!-- computed: {name} -->\n", "<!-- end -->"
        if begin not in text:
            sys.exit(f"docs/validation.md has no section '{name}'")
        start = text.index(begin) + len(begin)
        stop = text.index(end, start)
        if missing:
            body = merged(text[start:stop], body, missing)
            body = recounted(body) if name == "tensor-states" else body
        text = text[:start] + body + text[stop:]
    path.write_text(text)
