"""Structural comparison of two answers, for tools/same-numbers. A difference is (exception or None, path, old, new)."""
import difflib
import re

FIDELITIES = {"exact", "modeled", "measured", "published", "assumed", "sampled", "~"}
VERSION_KEYS = {"version", "code_version", "revision", "generator", "producer"}
# What warpledger measures of itself. Times of a kernel are answers and are compared.
TIME_KEYS = {"elapsed_seconds", "wall_seconds", "took_seconds", "compile_seconds", "stats"}
# With its unit: 2 KB and 2 MB are different numbers.
UNIT = r"(?: ?(?:%|[KMGTkmgt]i?(?:B|byte|bit)s?\b|[mnu]?s\b|[MG]?[Hh]z\b|x\b))?"
NUMBER = re.compile(r"(?<![A-Za-z_])[-+]?\d[\d,]*\.?\d*(?:e[-+]?\d+)?" + UNIT)


def exception_of(key, old, new):
    if key in VERSION_KEYS:
        return "version"
    if key in TIME_KEYS:
        return "time"
    if key == "fidelity" or {old, new} <= FIDELITIES:
        return "fidelity"
    return None


def shown(value):
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "..."


def is_scalar(value):
    return not isinstance(value, dict | list)


def differing_scalars(old, new, path, key):
    both_text = isinstance(old, str) and isinstance(new, str)
    kind = exception_of(key, *((old, new) if both_text else (None, 0)))
    is_sentence = both_text and " " in old and " " in new  # not a name, a unit, an enumerator
    if kind is None and is_sentence and NUMBER.findall(old) == NUMBER.findall(new):
        kind = "words"
    return (kind, path, shown(old), shown(new))


def compare_json(old, new, path="", key=""):
    """1 and 1.0 differ, as true and 1 do: what is printed differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        return compare_objects(old, new, path)
    if isinstance(old, list) and isinstance(new, list):
        found = [] if len(old) == len(new) else [(None, f"{path}.length", str(len(old)), str(len(new)))]
        for i, (left, right) in enumerate(zip(old, new)):
            found += compare_json(left, right, f"{path}[{i}]", key)
        return found
    if type(old) is type(new) and old == new:
        return []
    return [differing_scalars(old, new, path, key)]


def compare_objects(old, new, path):
    found = []
    for key in dict.fromkeys([*old, *new]):
        inner = f"{path}.{key}"
        if key not in new:
            found.append((exception_of(key, None, 0), inner, shown(old[key]), "absent"))
        elif key not in old:
            found.append((exception_of(key, None, 0), inner, "absent", shown(new[key])))
        else:
            found += compare_json(old[key], new[key], inner, key)
    return found


def differing_lines(old, new, path):
    """The numbers that differ; the lines where they have not as many numbers."""
    left, right = NUMBER.findall(old), NUMBER.findall(new)
    if left == right:
        return [("words", path, shown(old), shown(new))]
    if len(left) != len(right):
        return [(None, path, shown(old), shown(new))]
    place = f"{path} ({old.strip()[:40]})"
    return [(None, place, a, b) for a, b in zip(left, right) if a != b]


def compare_text(old, new, path):
    """Compares line by line; a line whose numbers are unchanged counts as a change of wording only."""
    left, right, found = old.splitlines(), new.splitlines(), []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, left, right, autojunk=False).get_opcodes():
        if tag == "equal":
            continue
        if b - a == d - c:
            for i, j in zip(range(a, b), range(c, d)):
                found += differing_lines(left[i], right[j], f"{path} line {i + 1}")
        else:
            found += differing_lines("\n".join(left[a:b]), "\n".join(right[c:d]), f"{path} line {a + 1}")
    return found
