"""The headline values' errors by GPU, by kind of kernel, and of GPUs that nothing was chosen on."""
import pathlib
import statistics

from validation.comparison import headline_lines, quantile
from validation.metrics import HEADLINES
from validation.sections import table

SHOWN = ["L1 hit rate", "L2 hit rate", "L2 sectors of the SMs", "DRAM bytes, both ways (printed reports)", "Tensor pipe", "Duration",
         "Elapsed cycles"]


def kind_of(case):
    return case.get("kind", pathlib.Path(case["file"]).stem)


def cells_of(errors, unit):
    return [str(len(errors)), f"{statistics.fmean(errors):.1f}{unit}", f"{statistics.median(errors):.1f}{unit}",
            f"{quantile(errors, 0.9):.1f}{unit}", f"{max(errors):.1f}{unit}"]


def rows_by(key, by_case, cases):
    rows = []
    for group in sorted({key(case) for case in cases}):
        members = [case for case in cases if key(case) == group]
        for name, metrics, kind, _ in HEADLINES:
            errors = [abs(line.error) for line in headline_lines(name, metrics, by_case, members)]
            if errors and name in SHOWN:
                rows.append([group, name, *cells_of(errors, " p" if kind == "points" else " %")])
    return rows


def group_section(by_case, cases, left_out):
    """MAPE is the mean absolute error: percent, or points (p) of rates."""
    header = ["value", "cases", "MAPE", "median", "90th percentile", "largest"]
    apart = rows_by(lambda case: "left out" if case["gpu"] in left_out else "known", by_case, cases)
    text = table(["GPUs", *header], apart, "llrrrrr") + "\n"
    text += table(["GPU", *header], rows_by(lambda case: case["gpu"], by_case, cases), "llrrrrr") + "\n"
    return text + table(["kind", *header], rows_by(kind_of, by_case, cases), "llrrrrr")
