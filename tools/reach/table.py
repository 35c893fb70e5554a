"""The table of a census, in Markdown: a row for each project, then a line for each program that is not right."""
import collections

from reach.outcome import CLASSES

HEAD = ("| project | programs | built | right | of these by their own check | profile printed | not right because |\n"
        "|---|---|---|---|---|---|---|\n")


def reasons(outcomes):
    """`slow 3, crash 1`: the classes other than right, most frequent first, ties in the order of CLASSES."""
    counts = collections.Counter(o.kind for o in outcomes if o.kind != "right")
    ordered = sorted(counts.items(), key=lambda item: (-item[1], CLASSES.index(item[0])))
    return ", ".join(f"{kind} {count}" for kind, count in ordered)


def row(name, outcomes):
    built = sum(o.kind != "build failed" for o in outcomes)
    right = [o for o in outcomes if o.kind == "right"]
    printed = sum(o.profiles > 0 for o in outcomes)
    return (f"| {name} | {len(outcomes)} | {built} | {len(right)} | {sum(o.checked for o in right)} | {printed} | "
            f"{reasons(outcomes)} |\n")


def table(judged):
    """judged: [(program, outcome)], in the order of the list."""
    by_project = collections.defaultdict(list)
    for program, outcome in judged:
        by_project[program.project].append(outcome)
    rows = "".join(row(name, outcomes) for name, outcomes in by_project.items())
    everything = [outcome for _, outcome in judged]
    return HEAD + rows + row("**all**", everything)


def one_line(text, width=160):
    text = " ".join(text.split()).replace("|", "\\|")
    return text if len(text) <= width else text[:width - 3] + "..."


def list_of_failures(judged):
    """Grouped by class, so that one cause stands together."""
    lines = []
    for kind in CLASSES:
        chosen = [(p, o) for p, o in judged if o.kind == kind and (kind != "right" or o.why)]
        lines += [f"- **{kind}** {p.project}: {p.name}: {one_line(o.why)}\n" for p, o in chosen]
    return "".join(lines)


def changes(judged, before):
    """Programs whose class differs from that of an earlier census; before: {path: class}."""
    moved = [(p, before[str(p.path)], o.kind) for p, o in judged if before.get(str(p.path), o.kind) != o.kind]
    return "".join(f"- {p.project}: {p.name}: {old} -> {new}\n" for p, old, new in moved)
