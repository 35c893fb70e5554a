"""What a change made better and worse: this run beside an earlier one, case by case."""
import json

from validation.comparison import headline_lines
from validation.metrics import HEADLINES

STEP = 0.05  # percent or points: less is not told


def errors_of(by_case, cases):
    """{value: {case: error}} of the headline values."""
    return {name: {line.case: line.error for line in headline_lines(name, metrics, by_case, cases)} for name, metrics, _, _ in HEADLINES}


def save(path, by_case, cases):
    path.write_text(json.dumps(errors_of(by_case, cases), indent=1, sort_keys=True) + "\n")


def changes(old, new):
    """(value, case, error then, error now) of what moved, the largest gain first; cases of one run only are left out."""
    found = []
    for value, errors in new.items():
        for case, now in errors.items():
            then = old.get(value, {}).get(case)
            if then is not None and abs(abs(now) - abs(then)) >= STEP:
                found.append((value, case, then, now))
    return sorted(found, key=lambda change: abs(change[3]) - abs(change[2]))


def text_of(old, new):
    moved = changes(old, new)
    lines = []
    for title, keep in (("better", lambda then, now: abs(now) < abs(then)), ("worse", lambda then, now: abs(now) > abs(then))):
        chosen = [change for change in moved if keep(*change[2:])]
        lines.append(f"{title}: {len(chosen)}")
        lines += [f"  {value:40} {case:48} {then:+9.2f} -> {now:+9.2f}" for value, case, then, now in chosen]
    for value, errors in new.items():
        both = [case for case in errors if case in old.get(value, {})]
        if both:
            then, now = (sum(abs(side[value][case]) for case in both) / len(both) for side in (old, new))
            lines.append(f"{value}: mean absolute error {then:.2f} -> {now:.2f} over {len(both)} cases")
    gone = sorted({case for errors in old.values() for case in errors} - {case for errors in new.values() for case in errors})
    if gone:
        lines.append("not in this run: " + ", ".join(gone))
    return "\n".join(lines)
