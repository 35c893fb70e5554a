"""Executed machine instructions beside published opcode tables, and what the compiler of a report's time changes in them."""
import csv

from validation.cases import ROOT
from validation.sections import table

NEAR = 1  # percent of all instructions


def read_opcodes():
    tables = {}
    with open(ROOT / "tests/inputs/validation_opcodes.csv", newline="") as file:
        for row in csv.DictReader(file):
            tables.setdefault(row["case"], {})[row["opcode"]] = int(row["executed"])
    return tables


def frequent(opcodes):
    """Opcodes of at least 0.2 % of the executed instructions."""
    return {opcode for opcode, count in opcodes.items() if count >= 0.002 * sum(opcodes.values())}


class Judged:
    """Our opcodes of one case beside the report's."""

    def __init__(self, ours, theirs):
        self.error = 100 * (sum(ours.values()) / sum(theirs.values()) - 1)
        self.equal = sum(ours.get(opcode) == count for opcode, count in theirs.items())
        self.of = len(theirs)
        self.differing = sorted(frequent(ours) ^ frequent(theirs))

    @property
    def is_near(self):
        return not self.differing and abs(self.error) <= NEAR

    @property
    def cells(self):
        return [f"{self.error:+.2f} %", f"{self.equal} / {self.of}", ", ".join(self.differing)]


def judged(results):
    tables = read_opcodes()
    return {name: Judged(result["opcodes"], tables[name]) for name, result in sorted(results.items())
            if result.get("opcodes") and name in tables}


def compiler_section(of_time, today, compilers):
    """The reports that name a compiler: their tables by it, and by the compiler that is installed."""
    rows = []
    for version in sorted({version for version in compilers.values() if version}):
        names = [name for name in of_time if compilers[name] == version and name in today]
        if not names:
            continue
        before, after = [today[name] for name in names], [of_time[name] for name in names]
        rows.append([version, str(len(names)), *[f"{count(before)} -> {count(after)}" for count in
                                                 (lambda all: sum(one.equal == one.of for one in all),
                                                  lambda all: sum(not one.differing for one in all),
                                                  lambda all: sum(one.is_near for one in all),
                                                  lambda all: sum(one.equal for one in all))]])
    header = ["compiler", "reports", "all opcodes equal", "same frequent opcodes", "of these within 1 %", "opcodes equal"]
    return table(header, rows, "lrrrrr") + "\n" if rows else ""


def opcode_section(results, cases, today=None):
    """The published code itself is not known: where both sides have the same frequent opcodes it is taken for the same code, elsewhere
    another compiler or another source made other code. `today`: results of the cases that have a compiler, by the installed one."""
    compilers = {case["name"]: case.get("compiler", "") for case in cases}
    of_time, of_today = judged(results), judged(today or {})
    same = [one for one in of_time.values() if not one.differing]
    text = (f"{len(of_time)} reports with a table of opcodes; {len(same)} with the same frequent opcodes, {sum(one.is_near for one in same)} of these "
            f"within {NEAR} % in total.\n\n")
    text += compiler_section(of_time, of_today, compilers)
    rows = [[name, compilers[name], *one.cells[:2], " / ".join(of_today[name].cells[:2]) if name in of_today else "", one.cells[2]]
            for name, one in sorted(of_time.items(), key=lambda item: (bool(item[1].differing), item[0]))]
    header = ["report", "compiler, where the report names one", "total", "opcodes equal", "with the installed compiler", "frequent in one only"]
    return text + table(header, rows, "llrrrl")
