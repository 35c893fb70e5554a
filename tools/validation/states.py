"""Warp states: the stall reasons that reports print beside those of the simulated SM.

distance   half the sum over reasons of |share of ours - share of the report's|, in points of warp latency: 0 the same, 100 disjoint
top        the largest reason, `selected` apart

Reports of tensor cores often have no table of reasons, but ncu's message names the largest ("named" in kernels/validation/cases.toml).
"""
import statistics

from validation.cases import read_published
from validation.comparison import quantile
from validation.sections import table, why_not
from validation.tensor import FILES as TENSOR_FILES

PREFIX, SUFFIX = "smsp__average_warps_issue_stalled_", "_per_issue_active.ratio"
ISSUE, ELIGIBLE = "smsp__issue_active.avg.pct_of_peak_sustained_active", "smsp__warps_eligible.avg.per_cycle_active"
EXECUTED = "smsp__inst_executed.sum"
# Fewer reasons than that are a report's own selection: nothing to compare a whole with.
ENOUGH_REASONS = 8
SAME_CODE = 0.10
# No parameter of the SM was chosen from reports of these GPUs (warpledger/sm/hardware.h). Two mechanisms were found in them, though: the FP64
# unit (rtxa2000) and FP32 sums of tensor cores (rtx3090; the rate is the whitepaper's).
LEFT_OUT = ("rtxa2000", "rtx3090", "l4", "l20", "b200", "b300", "h100sxm")


def has_states(case):
    names = [name for name in read_published(case) if name.startswith(PREFIX) and name.endswith(SUFFIX)]
    return len(names) >= ENOUGH_REASONS


def reasons_of(values):
    return {name[len(PREFIX):-len(SUFFIX)]: value for name, value in values.items() if name.startswith(PREFIX) and name.endswith(SUFFIX)}


class Judged:
    """One report beside our states."""

    def __init__(self, case, result):
        published = {name: float(row["value"]) for name, row in read_published(case).items() if row["value"]}
        ours = {name: value for name, (value, _) in result["metrics"].items()}
        self.name, self.gpu = case["name"], case["gpu"]
        self.theirs, self.ours = reasons_of(published), reasons_of(ours)
        self.is_left_out = self.name.split("_")[0] in LEFT_OUT
        self.code = ours[EXECUTED] / published[EXECUTED] - 1 if EXECUTED in ours and published.get(EXECUTED) else None
        self.issue = self.difference(ours, published, ISSUE)
        self.eligible = self.difference(ours, published, ELIGIBLE)

    @staticmethod
    def difference(ours, published, metric):
        return ours[metric] - published[metric] if metric in ours and metric in published else None

    @property
    def is_same_code(self):
        return self.code is None or abs(self.code) <= SAME_CODE

    @property
    def distance(self):
        ours, theirs = sum(self.ours.values()), sum(self.theirs.values())
        return 50 * sum(abs(self.ours.get(r, 0) / ours - self.theirs.get(r, 0) / theirs) for r in self.ours.keys() | self.theirs.keys())

    @staticmethod
    def top(reasons):
        return max((value, name) for name, value in reasons.items() if name != "selected")[1]

    @property
    def is_top_right(self):
        return self.top(self.ours) == self.top(self.theirs)

    @property
    def wait_error(self):
        return 100 * (self.ours["wait"] / self.theirs["wait"] - 1) if self.theirs.get("wait") else None


def summary(name, judged):
    def middle(values, form):
        known = [abs(value) for value in values if value is not None]
        return format(statistics.median(known), form) if known else "-"

    distances = [one.distance for one in judged]
    right = sum(one.is_top_right for one in judged)
    return [name, str(len(judged)), f"{right} ({100 * right / len(judged):.0f} %)", f"{statistics.median(distances):.1f}",
            f"{quantile(distances, 0.9):.1f}", middle([one.wait_error for one in judged], ".1f") + " %",
            middle([one.issue for one in judged], ".2f"), middle([one.eligible for one in judged], ".3f")]


def row(one):
    def shown(value, form):
        return "-" if value is None else format(value, form)

    top, ours = one.top(one.theirs), one.top(one.ours)
    return [one.name, shown(None if one.code is None else 100 * one.code, "+.1f"), f"{sum(one.theirs.values()):.1f} / {sum(one.ours.values()):.1f}",
            top if top == ours else f"{top}, ours {ours}", f"{one.distance:.1f}", shown(one.wait_error, "+.1f"), shown(one.issue, "+.2f"),
            shown(one.eligible, "+.2f")]


def states_section(results, cases):
    judged = [Judged(case, results[case["name"]]) for case in cases
              if has_states(case) and reasons_of(results[case["name"]].get("metrics", {}))]
    if not judged:
        return ""
    same = [one for one in judged if one.is_same_code]
    groups = [("all", judged), ("machine code within 10 %", same), ("of these, GPUs that the parameters saw", [o for o in same if not o.is_left_out]),
              ("of these, other GPUs", [one for one in same if one.is_left_out])]
    header = ["reports", "number", "top reason right", "median distance", "90th percentile", "wait", "issue active, points", "eligible warps"]
    text = table(header, [summary(name, group) for name, group in groups if group], "lrrrrrrr")
    header = ["report", "instructions %", "warp latency, theirs / ours", "top reason", "distance", "wait %", "issue active", "eligible"]
    return text + "\n" + table(header, [row(one) for one in sorted(judged, key=lambda one: -one.distance)], "lrrlrrrr")


def named_reason(case):
    """"Stall MIO Throttle (48.6 %), Stall Long Scoreboard (39.8 %)" -> "mio_throttle"; None where the report names nothing."""
    if "named" not in case:
        return None
    return case["named"].split(" (")[0].lower().removeprefix("stall ").replace(" ", "_")


def names_top(case):
    """Whether a report of tensor cores names the top reason."""
    return case["file"] in TENSOR_FILES and named_reason(case) is not None


def tensor_row(case, result):
    reasons = reasons_of({name: value for name, (value, _) in result.get("metrics", {}).items()})
    if not reasons:
        return [case["name"], case["named"], why_not(result) if "error" in result else "-", "-"]
    top = Judged.top(reasons)
    share = 100 * reasons[top] / sum(reasons.values())
    return [case["name"], case["named"], f"{top} ({share:.0f} %)", "yes" if top == named_reason(case) else "no"]


def tensor_states_section(results, cases):
    """The top reason of tensor-core reports: what ncu names beside ours."""
    rows = [tensor_row(case, results[case["name"]]) for case in cases if names_top(case) and case["name"] in results]
    heading = tensor_states_heading([row[-1] for row in rows])
    if not heading:
        return ""
    return f"{heading}\n\n" + table(["report", "ncu names", "ours", "right"], rows, "lllr")


def tensor_states_heading(verdicts):
    """Of "yes", "no" and "-", one a report; "" where none ran."""
    judged = [verdict for verdict in verdicts if verdict != "-"]
    if not judged:
        return ""
    right = judged.count("yes")
    return f"The largest stall is right in {right} of {len(judged)} reports ({100 * right / len(judged):.0f} %). Not run: {len(verdicts) - len(judged)}."
