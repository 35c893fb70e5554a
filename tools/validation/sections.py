"""The sections of docs/validation.md."""
import math
import statistics

from validation.comparison import correlation, exception_of, headline_lines, nrmse, quantile
from validation.metrics import ACCEL_SIM, ENOUGH, FULL_SET_ONLY, HARDWARE_NOISE, HEADLINES, HIGH_TARGETS, LARGE, MEMORY, matches


def table(header, rows, align):
    out = ["| " + " | ".join(header) + " |", "|" + "|".join("---:" if a == "r" else "---" for a in align) + "|"]
    return "\n".join(out + ["| " + " | ".join(row) + " |" for row in rows]) + "\n"


def targets_of(name, target, unit):
    if target is None:
        return ""
    return f"{target:g}{unit}" + (f", 90th {HIGH_TARGETS[name]:g}" if name in HIGH_TARGETS else "")


def headline_section(by_case, cases):
    rows, missed = [], []
    for name, metrics, kind, target in HEADLINES:
        lines = headline_lines(name, metrics, by_case, cases)
        if not lines:
            continue
        errors = [abs(line.error) for line in lines]
        unit = " points" if kind == "points" else " %"
        median, high = statistics.median(errors), quantile(errors, 0.9)
        theirs = ACCEL_SIM.get(name)
        rows.append([name, str(len(lines)), f"{median:.2f}{unit}", f"{high:.2f}{unit}", f"{max(errors):.1f}{unit}", f"{nrmse(lines):.3f}",
                     f"{correlation(lines):.3f}", f"{theirs[0]:.2f} / {theirs[1]:.2f}" if theirs else "", targets_of(name, target, unit)])
        if target is not None and median > target and (len(lines) >= ENOUGH or name not in FULL_SET_ONLY):
            missed.append(f"{name}: median {median:.2f}{unit}, target {target:g}")
        limit = HIGH_TARGETS.get(name)
        if limit is not None and high > limit and len(lines) >= ENOUGH:
            missed.append(f"{name}: 90th percentile {high:.2f}{unit}, target {limit:g}")
    header = ["value", "cases", "median error", "90th percentile", "largest", "NRMSE", "correlation", "Accel-Sim NRMSE / corr.", "target"]
    return table(header, rows, "lrrrrrrrr"), missed


def exact_section(by_case, exceptions):
    lines = [line for lines in by_case.values() for line in lines if line.exact]
    if not lines:
        return "", []
    groups = {}
    for line in lines:
        groups.setdefault(line.metric, []).append(line)
    rows = []
    for metric, group in sorted(groups.items()):
        equal = sum(line.equal for line in group)
        noise = sum(line.noise and not line.equal for line in group)
        explained = sum(not line.equal and not line.noise and exception_of(line, exceptions, by_case) is not None for line in group)
        rows.append([f"`{metric}`", str(len(group)), str(equal), str(noise), str(explained), str(len(group) - equal - noise - explained)])
    equal, noise = sum(line.equal for line in lines), sum(line.noise and not line.equal for line in lines)
    rest = [line for line in lines if not line.equal and not line.noise]
    unexplained = [line for line in rest if exception_of(line, exceptions, by_case) is None]
    rows.append(["**all**", str(len(lines)), str(equal), str(noise), str(len(rest) - len(unexplained)), str(len(unexplained))])
    text = (f"{equal} of {len(lines)} values are equal ({100 * equal / len(lines):.1f} %), {noise} more differ by less than "
            f"{100 * HARDWARE_NOISE:g} % from a hardware counter that is known to be noisy ({100 * (equal + noise) / len(lines):.1f} %).\n\n")
    text += table(["counter", "values", "equal", "noise", "explained", "not explained"], rows, "lrrrrr")
    reasons = {}
    for line in rest:
        reasons.setdefault(exception_of(line, exceptions, by_case) or "**not explained**", []).append(line)
    text += "\nExceptions:\n\n"
    for reason, group in sorted(reasons.items(), key=lambda item: -len(item[1])):
        names = sorted({line.case for line in group})
        text += f"- {reason} ({len(group)} values; {', '.join(f'`{n}`' for n in names)})\n"
    missed = [f"{line.case} {line.metric}: {line.ours:.10g}, published {line.published:.10g}" for line in unexplained]
    share = (equal + noise) / len(lines)
    if share < 0.95:
        missed.append(f"exact class: {100 * share:.1f} % equal, target 95 %")
    return text, missed


def metric_errors(by_case):
    """(metric, its lines, median error, 90th percentile, whether these are points), by name."""
    groups = {}
    for lines in by_case.values():
        for line in lines:
            groups.setdefault(line.metric, []).append(line)
    found = []
    for metric, lines in sorted(groups.items()):
        errors = [abs(line.error) for line in lines if math.isfinite(line.error)]
        if errors:
            found.append((metric, lines, statistics.median(errors), quantile(errors, 0.9), lines[0].rate))
    return found


def metric_section(by_case):
    rows = []
    for metric, lines, median, high, rate in metric_errors(by_case):
        unit = " p" if rate else " %"
        rows.append([f"`{metric}`", str(len(lines)), str(sum(line.equal for line in lines)), f"{median:.2f}{unit}", f"{high:.2f}{unit}",
                     f"{nrmse(lines):.3f}", f"{correlation(lines):.3f}"])
    return table(["metric", "values", "equal", "median error", "90th percentile", "NRMSE", "correlation"], rows, "lrrrrrr")


def metric_data(by_case):
    """The same for the program: `profile --explain` says how far a metric was from published reports."""
    rows = [f'{{"{metric}", {len(lines)}, {sum(line.equal for line in lines)}, {median:.2f}, {high:.2f}, {"true" if rate else "false"}}},'
            for metric, lines, median, high, rate in metric_errors(by_case)]
    return "\n".join(["// Written by `tools/validate --docs`, as the table \"Every metric\" of docs/validation.md; a test compares them.",
                      "// metric, values, equal, median error, 90th percentile, in points", *rows]) + "\n"


def cell(lines, metrics, kind):
    line = next((lines[m] for m in metrics if m in lines), None)
    if line is None:
        return "-"
    if kind == "points":
        return f"{line.ours:.1f} / {line.published:.1f}"
    if "dram" in metrics[0] and line.published < 1e6:
        return f"({line.ours / 1e6:.2f} / {line.published / 1e6:.2f} MB)"
    return f"{line.error:+.1f} %"


def why_not(result):
    first = result["error"].splitlines()[0][:120]
    return first if first.startswith("not run") else f"fails: {first}"


def case_section(by_case, results, cases):
    columns = [("L1 hit %", 0), ("L2 sectors", 1), ("L2 hit %", 2), ("DRAM read", 4), ("DRAM both", 6), ("DRAM written", 7), ("Duration", 8)]
    rows = []
    for case in cases:
        name = case["name"]
        if "error" in results[name]:
            rows.append([name, *["-"] * len(columns), "", why_not(results[name])])
            continue
        lines = {line.metric: line for line in by_case[name]}
        exact = [line for line in lines.values() if line.exact]
        judged = [line for line in lines.values() if matches(line.metric, MEMORY) and (line.rate or line.published >= LARGE)]
        worst = max(judged, key=lambda line: abs(line.error), default=None)
        rows.append([name, *[cell(lines, *HEADLINES[index][1:3]) for _, index in columns],
                     f"{sum(line.equal or line.noise for line in exact)} / {len(exact)}",
                     f"`{worst.metric}` {worst.error:+.1f}{' points' if worst.rate else ' %'}" if worst else "-"])
    return table(["report", *[title for title, _ in columns], "exact", "worst"], rows, "l" + "r" * (len(columns) + 1) + "l")
