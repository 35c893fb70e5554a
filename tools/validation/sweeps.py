"""What is said of a judged sweep: errors of counters and time, rank correlation, and how good the configuration is that we would take."""
import csv
import math
import pathlib
import statistics

from validation.comparison import quantile
from validation.sections import table

TIME = "gpu__time_duration.sum"


def share(busy, of, peak=1.0):
    """Percent of what `of` cycles could hold."""
    return lambda metrics: 100 * metrics[busy] / (peak * metrics[of])


# Counters that a profile has under other names, as ncu defines them: percent of a peak per cycle.
DERIVED = {
    "dram__throughput.avg.pct_of_peak_sustained_elapsed": lambda metrics: metrics["gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed"],
    "l1tex__t_requests_pipe_lsu_mem_global_op_ld.avg.pct_of_peak_sustained_active":
        share("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum", "l1tex__cycles_active.sum"),
    "smsp__cycles_active.avg.pct_of_peak_sustained_elapsed": share("smsp__cycles_active.sum", "smsp__cycles_elapsed.sum"),
    "smsp__inst_executed_pipe_fp64.avg.pct_of_peak_sustained_active": share("sm__pipe_fp64_cycles_active.sum", "sm__cycles_active.sum"),
    "smsp__inst_executed_pipe_lsu.avg.pct_of_peak_sustained_active": share("smsp__inst_executed_pipe_lsu.sum", "smsp__cycles_active.sum", 0.5),
    "smsp__inst_executed_pipe_xu.avg.pct_of_peak_sustained_active": share("sm__pipe_xu_cycles.sum", "sm__cycles_active.sum"),
    "smsp__pipe_fma_cycles_active.avg.pct_of_peak_sustained_active": share("sm__pipe_fma_cycles_active.sum", "sm__cycles_active.sum"),
}


def value_of(metrics, name):
    return DERIVED[name](metrics) if name in DERIVED else metrics.get(name)


def read_sweep(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


def evenly(rows, count):
    count = min(count, len(rows))
    return [rows[round(i * (len(rows) - 1) / max(count - 1, 1))] for i in range(count)]


def coarse_to_fine(count):
    """0 to count - 1 so that every beginning is spread over all of it (van der Corput's sequence)."""
    bits = max(count - 1, 1).bit_length()
    return [at for at in (int(f"{i:0{bits}b}"[::-1], 2) for i in range(1 << bits)) if at < count]


def ranks(values):
    """Ties share their mean rank."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    found = [0.0] * len(values)
    at = 0
    while at < len(order):
        end = at
        while end + 1 < len(order) and values[order[end + 1]] == values[order[at]]:
            end += 1
        for i in order[at:end + 1]:
            found[i] = (at + end) / 2
        at = end + 1
    return found


def spearman(pairs):
    ours, theirs = zip(*pairs, strict=True)
    if len(set(ours)) < 2 or len(set(theirs)) < 2:
        return math.nan
    return statistics.correlation(ranks(ours), ranks(theirs))


def percent(ours, theirs):
    return 100 * abs(ours / theirs - 1)


class Judged:
    """A sweep's lines that ran, each beside its result."""

    def __init__(self, sweep, lines, pairs):
        self.sweep, self.lines = sweep, lines
        self.failed = [result["error"] for _, result in pairs if "error" in result]
        self.ran = [(row, result) for row, result in pairs if "error" not in result]
        self.times = [(result["metrics"][TIME] / 1e6, float(row["time_ms"])) for row, result in self.ran]

    @property
    def factor(self):
        """Measured over ours in the median: the clocks of the measurement are not known."""
        return statistics.median(theirs / ours for ours, theirs in self.times)

    @property
    def chosen(self):
        """How much slower the configuration is that we would take than the best of those judged, in percent."""
        return 100 * (min(self.times)[1] / min(theirs for _, theirs in self.times) - 1)

    @property
    def same_registers(self):
        known = [(int(row["regs"]), result["metrics"].get("launch__registers_per_thread")) for row, result in self.ran if row.get("regs")]
        return f"{sum(ours == theirs for theirs, ours in known)} of {len(known)}" if known else "-"

    def summary(self):
        errors = [percent(*pair) for pair in self.times]
        scaled = [percent(ours * self.factor, theirs) for ours, theirs in self.times]
        middle = statistics.median(theirs for _, theirs in self.times) / min(theirs for _, theirs in self.times)
        return [self.sweep.name, pathlib.Path(self.sweep.gpu).stem, f"{len(self.ran)} of {self.lines}", self.same_registers, f"{spearman(self.times):.3f}",
                f"{statistics.median(errors):.1f} %", f"{quantile(errors, 0.9):.1f} %", f"{self.factor:.2f}", f"{statistics.median(scaled):.1f} %",
                f"{quantile(scaled, 0.9):.1f} %", f"{self.chosen:+.1f} %", f"{100 * (middle - 1):+.0f} %"]


HEADER = ["sweep", "GPU", "configurations", "registers equal", "rank correlation", "time: median error", "90th percentile", "common factor",
          "median error after it", "90th percentile", "our choice beside the best", "the middle one beside the best"]


def summary_table(judged):
    return table(HEADER, [one.summary() for one in judged], "llrrrrrrrrrr")


def counter_row(name, pairs):
    rate = "pct" in name
    errors = [abs(ours - theirs) if rate else percent(ours, theirs) for ours, theirs in pairs if rate or theirs]
    zeros = [ours for ours, theirs in pairs if not rate and theirs == 0]
    if not pairs:
        return [f"`{name}`", "0", "not computed", "", "", ""]
    if not errors or not any(errors) and not any(theirs for _, theirs in pairs):
        return [f"`{name}`", str(len(pairs)), f"all 0, ours {'too' if not any(zeros) else f'up to {max(zeros):,.0f}'}", "", "", ""]
    unit = " p" if rate else " %"
    return [f"`{name}`", str(len(errors)), f"{statistics.median(errors):.2f}{unit}", f"{quantile(errors, 0.9):.2f}{unit}", f"{max(errors):.2f}{unit}",
            f"{spearman(pairs):.3f}".replace("nan", "-")]


def counter_table(judged):
    rows = []
    for name in (column for column in judged.ran[0][0] if "__" in column):
        both = [(value_of(result["metrics"], name), float(row[name])) for row, result in judged.ran if row.get(name)]
        rows.append(counter_row(name, [pair for pair in both if pair[0] is not None]))
    return table(["counter", "values", "median error", "90th percentile", "largest", "rank correlation"], rows, "lrrrrr")
