"""NVIDIA's own programs read our .ncu-rep files: every number is ours, to the digit that they print.

ncu_report_test.py WARPLEDGER FOLDER [--quick]   FOLDER: what tools/install-ncu made; exit code 77 where it is not there
"""
import csv
import functools
import io
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
VERSIONS = ("2022.3", "2024.1")
BINARY, FOLDER, QUICK = "", pathlib.Path(), False

# Compiled for each GPU.
MATMUL = "kernels/matmul.cu --block 16,16"
SQUARE = "--arg f32[64x64] --arg f32[64x64] --arg f32[64x64] --arg i32:64 --arg i32:64 --arg i32:64"
KERNELS = {
    "naive": f"{MATMUL} --grid 4,4 -k matmul_naive {SQUARE}",
    "tiled": f"{MATMUL} --grid 4,4 -k matmul_tiled {SQUARE}",
    "registers": f"{MATMUL} --grid 1,1 -k matmul_register_tiled {SQUARE}",
    "transpose": "examples/budgets/transpose.ptx -k transpose_tiled --grid 2,2 --block 32,32 --arg in=f32[64x64] "
                 "--arg out=f32[64x64] --arg i32:64",
}
GPUS = ("gh200", "t4", "a100-40", "rtx3050-laptop", "rtx3090", "rtx4090", "h100-sxm", "gtx1660s")
CASES = [(kernel, gpu) for gpu in GPUS for kernel in ("naive", "tiled")] + \
        [(kernel, gpu) for gpu in ("a100-40", "rtx3090") for kernel in ("registers", "transpose")]
# Not ours, or of instructions: the raw page has their sum.
OTHERS = re.compile(r"device__|launch__function_pcs|inst_executed$|thread_inst_executed_true|sass__inst_executed_per_opcode|"
                    r"breakdown:|smsp__warps_active.avg.peak_sustained|smsp__pcsamp_")


def run_warpledger(*arguments):
    done = subprocess.run([BINARY, *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return done


def warpledger(*arguments):
    return run_warpledger("-q", *arguments).stdout


def rows_of(text):
    """ncu's remarks may stand above the heads; rows of a rule may be shorter."""
    lines = text[text.index('"ID"'):]
    return list(csv.DictReader(io.StringIO(lines)))


@functools.cache
def ncu(version, report, page, *options):
    command = [FOLDER / version / "usr/bin/ncu", "--import", report, "--page", page, "--csv", "--print-units", "base", *options]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode != 0 or "==ERROR==" in done.stdout + done.stderr:
        raise AssertionError(done.stdout + done.stderr)
    return done.stdout


def number(text):
    try:
        return float(text.replace(",", ""))
    except ValueError:
        return None


def agree(printed, ours):
    """Whether two cells are the same words, or the same number to the digits printed (ours have six decimals)."""
    theirs, mine = number(printed), number(ours)
    if theirs is None or mine is None:
        return printed == ours
    decimals = len(printed.partition(".")[2])
    return abs(theirs - mine) <= 0.5 * 10.0**-decimals + 0.5e-6 + 1e-12 * abs(mine)


def lines_with_code(page):
    """[executed instructions of a source line, [those of its machine instructions]] of the view cuda,sass."""
    lines, heads = [], []
    for row in csv.reader(io.StringIO(page)):
        if row[:1] == ["Line No"]:
            heads = row
        elif heads and row[0].isdigit():  # ncu does not escape quotes in the source: such a row has other columns
            lines.append((int(row[heads.index("Instructions Executed")]) if len(row) == len(heads) else None, []))
        elif heads and row[2:3] and row[2].startswith("0x"):
            lines[-1][1].append(int(row[heads.index("Instructions Executed")]))
    return lines


def sections(version):
    return FOLDER / version / "usr/lib/x86_64-linux-gnu/nsight-compute/sections"


def run_rules(version, reports):
    command = [FOLDER / "python/bin/python", ROOT / "tests/system/ncu_rules.py", sections(version), *reports]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise AssertionError(done.stderr)
    return json.loads(done.stdout)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.made = {}
        cls.with_code = set()
        cls.compared = {}
        for kernel, gpu in CASES[:3] if QUICK else CASES:
            report = str(pathlib.Path(cls.folder.name) / f"{kernel}-{gpu}.ncu-rep")
            done = run_warpledger("profile", *KERNELS[kernel].split(), "--gpu", gpu, "-o", report, "--page", "raw", "--csv")
            cls.made[report] = rows_of(done.stdout)[1]
            if "has no source page" not in done.stderr:
                cls.with_code.add(report)

    @classmethod
    def tearDownClass(cls):
        for what, count in sorted(cls.compared.items()):
            print(f"{what}: {count} values of {len(cls.made)} reports are equal")
        cls.folder.cleanup()

    def count(self, what, count=1):
        self.compared[what] = self.compared.get(what, 0) + count

    def test_raw_page_has_every_metric_with_its_value(self):
        for version in VERSIONS:
            for report, ours in self.made.items():
                theirs = rows_of(ncu(version, report, "raw"))[1]
                for name, value in ours.items():
                    if "__" not in name and not name.startswith("memory_") or value == "n/a":
                        continue
                    with self.subTest(version=version, report=report, metric=name):
                        self.assertTrue(agree(theirs[name], value), f"{theirs[name]} is not {value}")
                    self.count(f"ncu {version} raw")

    def test_raw_page_has_nothing_that_is_not_predicted(self):
        """What our own raw page has not is there because NVIDIA's rules read it: by name it is asked for."""
        for report, ours in self.made.items():
            further = [name for name in rows_of(ncu(VERSIONS[0], report, "raw"))[1]
                       if "__" in name and not OTHERS.match(name) and name not in ours]
            asked = warpledger("profile", "--import", report, "--csv", "--page", "raw", "--metrics", ",".join(further))
            known = {**ours, **rows_of(asked)[1]}
            for version in VERSIONS:
                for name, value in rows_of(ncu(version, report, "raw"))[1].items():
                    if "__" in name and not OTHERS.match(name):
                        self.assertTrue(agree(value, known[name]), f"{name} is {value} in {report}, not {known[name]}")
            self.count("further metrics", len(further))

    def test_details_page_has_the_lines_of_ours(self):
        for version in VERSIONS:
            for report in self.made:
                ours = rows_of(warpledger("profile", "--import", report, "--csv", "--print-units", "base"))
                theirs = rows_of(ncu(version, report, "details"))
                values = {(row["Section Name"], row["Metric Name"]): row["Metric Value"] for row in theirs}
                for row in ours:
                    if not row["Metric Name"] or row["Metric Value"] == "n/a":
                        continue
                    where = (row["Section Name"], row["Metric Name"])
                    with self.subTest(version=version, report=report, line=where):
                        self.assertTrue(agree(values[where], row["Metric Value"]), f"{values[where]} is not {row}")
                    self.count(f"ncu {version} details")

    def test_details_page_says_in_every_section_that_nothing_was_measured(self):
        for version in VERSIONS:
            rows = rows_of(ncu(version, next(iter(self.made)), "details"))
            said = [row for row in rows if "no GPU ran this launch" in (row["Rule Description"] or "")]
            self.assertGreaterEqual(len(said), 8)

    def test_source_page_adds_up_to_the_executed_instructions(self):
        for version in VERSIONS:
            for report in sorted(self.with_code):
                page, ours = ncu(version, report, "source"), self.made[report]
                rows = list(csv.DictReader(io.StringIO(page[page.index('"Address"'):])))
                executed = sum(int(row["Instructions Executed"]) for row in rows)
                self.assertEqual(executed, number(ours["smsp__inst_executed.sum"]), report)
                sectors = sum(int(row["L2 Theoretical Sectors Global"]) for row in rows)
                self.assertEqual(sectors, number(ours["memory_l2_theoretical_sectors_global"]), report)
                raw = rows_of(ncu(version, report, "raw"))[1]
                samples = sum(int(row["# Samples"]) for row in rows)
                self.assertEqual(samples, number(raw["smsp__pcsamp_sample_count"]), report)
                self.count(f"ncu {version} source", 3)

    def test_source_page_has_lines_of_cuda_with_their_machine_code(self):
        for version in VERSIONS:
            for report in sorted(one for one in self.with_code if "transpose" not in one):  # that one is of a .ptx file
                lines = lines_with_code(ncu(version, report, "source", "--print-source", "cuda,sass"))
                with self.subTest(version=version, report=report):
                    self.assertEqual(sum(sum(below) for _, below in lines), number(self.made[report]["smsp__inst_executed.sum"]))
                    for executed, below in lines:
                        self.assertIn(executed, (None, sum(below)))
                self.count(f"ncu {version} lines of CUDA", len(lines))

    def test_most_reports_have_machine_code(self):
        self.assertGreaterEqual(len(self.with_code), 0.8 * len(self.made), self.with_code)

    def test_own_reader_gives_the_profile_back(self):
        kernel, gpu = CASES[0]
        again = json.loads(warpledger("profile", "--import", next(iter(self.made)), "--json"))
        made = json.loads(warpledger("profile", *KERNELS[kernel].split(), "--gpu", gpu, "--json"))
        self.assertEqual(again, made)

    def test_python_module_reads_it(self):
        done = subprocess.run([FOLDER / "python/bin/python", "-c", MODULE, *self.made], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        for read, ours in zip(json.loads(done.stdout), self.made.values(), strict=True):
            self.assertEqual(read["kernel"], ours["Kernel Name"])
            self.assertTrue(any("no GPU ran this launch" in message for message in read["messages"]))
            for name, value in ours.items():
                if ("__" in name or name.startswith("memory_")) and value != "n/a":
                    theirs = read["values"][name]
                    self.assertTrue(theirs == value if isinstance(theirs, str) else agree(repr(theirs), value), name)
                    self.count("ncu_report")

    # `ncu --import` does not apply rules: ncu_rules.py does.
    def test_nvidias_rules_run_without_an_error(self):
        for version in VERSIONS:
            for report, result in zip(self.made, run_rules(version, self.made), strict=True):
                with self.subTest(version=version, report=report):
                    self.assertEqual(result["faults"], {})
                    said = [rule for rule, messages in result["messages"].items() if all(kind != "missing" for kind, _ in messages)]
                    self.assertGreaterEqual(len(said), 3, result)

    def test_rules_say_of_nvidias_own_report_what_it_holds(self):
        for version in VERSIONS:
            report = FOLDER / version / "usr/share/doc/nsight-compute/examples/uncoalescedGlobalAccesses/addConstDouble.ncu-rep"
            result, = run_rules(version, [report])
            same = [rule for rule, texts in result["own"].items()
                    if texts == [text for _, text in result["messages"].get(rule, [])]]
            self.assertGreaterEqual(len(same), 5, result)


MODULE = """
import json, sys, ncu_report
def messages(found):
    return [found] if isinstance(found, str) else [m for one in (found.values() if isinstance(found, dict) else found
            if isinstance(found, (list, tuple)) else []) for m in messages(one)]
all = []
for path in sys.argv[1:]:
    action = ncu_report.load_report(path).range_by_idx(0).action_by_idx(0)
    values = {name: action.metric_by_name(name).value() for name in action.metric_names()}
    rules = [rule for rule in action.rule_results_as_dicts()]
    all.append({"kernel": action.name(action.NameBase_DEMANGLED), "values": values, "messages": messages(rules)})
print(json.dumps(all))
"""


if __name__ == "__main__":
    QUICK = "--quick" in sys.argv
    arguments = [one for one in sys.argv[1:] if one != "--quick"]
    BINARY, FOLDER = str(pathlib.Path(arguments[0]).resolve()), pathlib.Path(arguments[1])
    if not all((FOLDER / version / "usr/bin/ncu").exists() for version in VERSIONS):
        print(f"skipped: there is no Nsight Compute in {FOLDER} (tools/install-ncu)")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
