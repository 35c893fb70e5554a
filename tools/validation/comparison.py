"""Values of ours beside published ones, and what is said of many of them."""
import fnmatch
import math
import statistics

from validation.cases import footprint, plain, read_gpu, read_published
from validation.metrics import HARDWARE, HARDWARE_NOISE, is_exact, is_rate, matches


class Line:
    """One value of ours beside the published one."""

    def __init__(self, case, row, metric, published, ours):
        self.case, self.metric, self.form = case["name"], metric, row["form"]
        self.published, self.ours = published, ours
        self.half = float(row["half"] or 0)
        self.rate = is_rate(metric, row["unit"])
        self.exact = is_exact(metric)
        difference = self.ours - self.published
        if abs(difference) <= self.half * 1.000001 or math.isclose(self.ours, self.published, rel_tol=1e-9, abs_tol=1e-9):
            difference = 0.0
        self.difference = difference

    @property
    def equal(self):
        return self.difference == 0

    @property
    def error(self):
        """Points of rates, percent of everything else."""
        if self.rate:
            return self.difference
        if self.published == 0:
            return 0.0 if self.ours == 0 else math.inf
        return 100 * self.difference / self.published

    @property
    def noise(self):
        """A hardware counter whose distance from ours is its own noise."""
        return matches(self.metric, HARDWARE) and abs(self.difference) <= HARDWARE_NOISE * abs(self.published)

    def __str__(self):
        unit = "points" if self.rate else "%"
        return f"{self.case:44} {self.metric:74} {self.ours:>18.6g} {self.published:>18.6g} {self.error:+9.2f} {unit}"


def compare(case, result):
    """The metrics of our profile's own list that the report has too, in the report's order."""
    rows = read_published(case)
    # The tensor pipe's share is on no page of a profile, but can be asked for.
    listed = [metric for metric in rows if metric in result["metrics"] or metric.startswith("sm__pipe_tensor_")]
    return [Line(case, rows[metric], metric, *result["compared"][metric]) for metric in listed if metric in result["compared"]]


def quantile(values, share):
    ordered = sorted(values)
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def nrmse(lines):
    mean = statistics.fmean(abs(line.published) for line in lines)
    return math.sqrt(statistics.fmean((line.ours - line.published) ** 2 for line in lines)) / mean if mean else 0.0


def correlation(lines):
    try:
        return statistics.correlation([line.ours for line in lines], [line.published for line in lines])
    except statistics.StatisticsError:
        return math.nan


def contradicted(line, by_case):
    """True of a hardware counter of sectors where the report's own count from executed instructions equals ours."""
    counted = {other.metric: other for other in by_case[line.case]}.get("memory_l2_theoretical_sectors_global")
    return matches(line.metric, HARDWARE) and counted is not None and counted.equal


def exception_of(line, exceptions, by_case):
    if contradicted(line, by_case):
        return "a hardware counter: the report's own count from executed instructions equals ours"
    for entry in exceptions:
        if fnmatch.fnmatchcase(line.case, entry["case"]) and matches(line.metric, entry["metrics"]):
            return entry["reason"]
    return None


def headline_lines(name, metrics, by_case, cases):
    chosen = []
    for case in cases:
        lines = {line.metric: line for line in by_case.get(case["name"], [])}
        line = next((lines[m] for m in metrics if m in lines), None)
        if line is None:
            continue
        if "above the L2" in name and footprint(case) <= plain(read_gpu(case["gpu"])["l2"]["bytes"]):
            continue
        if "bytes" in name and line.published < 1e6:
            continue
        if name in ("Duration", "Elapsed cycles") and "-G" in case.get("nvcc", []):
            continue
        chosen.append(line)
    return chosen
