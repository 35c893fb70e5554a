"""Errors of Duration by kind of launch, sorted as warpledger/profile/advice/kind.h sorts a launch."""
import statistics

from validation.comparison import headline_lines, quantile
from validation.metrics import HEADLINES
from validation.sections import table

SHORT_CYCLES, BUSY = 20_000, 0.6  # as in profile/advice/kind.cpp and profile/advice/limit.h
ORDER = ["short", "tensor-core", "latency-bound", "DRAM-bound", "L2-bound", "L1-bound", "compute-bound"]
BY_COUNTER = {"dram": "DRAM-bound", "fbpa": "DRAM-bound", "lts": "L2-bound", "l1tex": "L1-bound"}


def kind_of(result):
    cycles, units = result["timing"]["elapsed_cycles"], result["units"]
    if cycles < SHORT_CYCLES:
        return "short"
    if any(unit["counter"].startswith("sm__pipe_tensor") and unit["cycles"] > 0 for unit in units):
        return "tensor-core"
    busiest = max(units, key=lambda unit: unit["cycles"])
    if busiest["cycles"] < BUSY * cycles:
        return "latency-bound"
    return BY_COUNTER.get(busiest["counter"].split("__")[0], "compute-bound")


def kind_errors(by_case, results, cases):
    """[(kind, signed errors of Duration in percent)], of the kinds that a report has."""
    metrics = next(metrics for name, metrics, _, _ in HEADLINES if name == "Duration")
    found = []
    for kind in ORDER:
        members = [case for case in cases if results[case["name"]].get("timing") and kind_of(results[case["name"]]) == kind]
        errors = [line.error for line in headline_lines("Duration", metrics, by_case, members)]
        if errors:
            found.append((kind, errors))
    return found


def numbers_of(errors):
    """Signed median, median distance from it (two launches of a kind share the rest), median and 90th percentile of the error."""
    shift, apart = statistics.median(errors), [abs(error) for error in errors]
    return shift, statistics.median(abs(error - shift) for error in errors), statistics.median(apart), quantile(apart, 0.9)


def kind_section(by_case, results, cases):
    rows = []
    for kind, errors in kind_errors(by_case, results, cases):
        shift, spread, median, high = numbers_of(errors)
        rows.append([kind, str(len(errors)), f"{shift:+.1f} %", f"{spread:.1f} %", f"{statistics.fmean(map(abs, errors)):.1f} %", f"{median:.1f} %",
                     f"{high:.1f} %"])
    return table(["launch", "reports", "median of the signed error", "median distance from it", "MAPE", "median error", "90th percentile"], rows, "lrrrrrr")


def kind_data(by_case, results, cases):
    """The same for the program: `explain` says how sure a time is."""
    rows = []
    for kind, errors in kind_errors(by_case, results, cases):
        shift, spread, median, high = numbers_of(errors)
        rows.append(f'{{"{kind}", {len(errors)}, {shift:.1f}, {spread:.1f}, {median:.1f}, {high:.1f}}},')
    return "\n".join(["// Written by `tools/validate --docs`, as the table \"By kind of launch\" of docs/validation.md; a test compares them.",
                      "// kind, reports, median of the signed error, median distance from it, median error, 90th percentile: percent of Duration", *rows]) + "\n"
