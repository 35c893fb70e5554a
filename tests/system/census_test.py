"""tools/census: the class of a result, the table, and a census of two programs of our own.

census_test.py WARPLEDGER   the census itself is left out where there is no nvcc
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from reach.build import find_nvcc  # noqa: E402
from reach.outcome import CLASSES, Outcome, classify  # noqa: E402
from reach.programs import BadList, Program, place, prepare_folder, read_list  # noqa: E402
from reach.run import races_of, split_output  # noqa: E402
from reach.table import changes, list_of_failures, table  # noqa: E402

BINARY = None
OUT_OF_BOUNDS = "warpledger: error: out-of-bounds global write of 4 bytes at 0x500, thread (64,0,0) of block (0,0,0)\n"


def program(**values):
    return Program(**{"project": "p", "name": "n", "folder": pathlib.Path("."), "sources": [], "flags": [], "arguments": [],
                      "right": "PASSED", "wrong": "FAILED", **values})


RACE = "write-after-read race in shared memory: read at a.cu:3, write at a.cu:5"


def result(stdout="", stderr="", code=0, late=False, profiles=1, races=()):
    return {"stdout": stdout, "stderr": stderr, "code": code, "late": late, "profiles": profiles, "races": list(races),
            "cpu": 1.0, "wall": 2.0}


def kind(values=None, **options):
    return classify(program(**(values or {})), result(**options)).kind


class Classes(unittest.TestCase):
    def test_a_check_that_passed_is_right(self):
        outcome = classify(program(), result("all of it PASSED\n"))
        self.assertEqual((outcome.kind, outcome.checked, outcome.profiles), ("right", True, 1))

    def test_without_a_check_the_exit_code_decides(self):
        outcome = classify(program(check=False), result("1 2 3\n"))
        self.assertEqual((outcome.kind, outcome.checked), ("right", False))
        self.assertEqual(kind({"check": False}, code=3), "wrong")

    def test_an_empty_check_is_the_exit_code(self):
        outcome = classify(program(right=""), result("1 2 3\n"))
        self.assertEqual((outcome.kind, outcome.checked), ("right", True))
        self.assertEqual(kind({"right": ""}, code=1), "wrong")

    def test_a_check_that_failed_is_wrong_and_its_line_says_why(self):
        outcome = classify(program(), result("first\nsum of row 3 FAILED\n"))
        self.assertEqual((outcome.kind, outcome.why), ("wrong", "sum of row 3 FAILED"))

    def test_a_check_that_printed_nothing_is_not_right(self):
        self.assertEqual(kind(stdout="done\n"), "wrong")

    def test_a_signal_is_a_crash_and_is_named(self):
        for code in (139, -11):
            outcome = classify(program(), result(code=code))
            self.assertEqual(outcome.kind, "crash")
            self.assertIn("SIGSEGV", outcome.why)

    def test_the_memory_check_is_a_bug_of_the_program(self):
        self.assertEqual(kind(stderr=OUT_OF_BOUNDS, code=1), "program bug")

    def test_a_diagnostic_that_names_what_is_missing_is_refused(self):
        self.assertEqual(kind(stderr="warpledger: cudaMallocArray is not supported\n", code=1), "refused")

    def test_limits_are_slow(self):
        self.assertEqual(kind(late=True, code=-9), "slow")
        self.assertEqual(kind(code=128 + 24), "slow")  # SIGXCPU
        self.assertEqual(kind(stderr="warpledger: error: the kernel did not finish in 60 s\n", code=2), "slow")

    def test_a_wrong_value_before_the_limit_is_wrong(self):
        self.assertEqual(kind(stdout="row 1 FAILED\n", late=True, code=-9), "wrong")

    def test_a_reported_race_explains_a_failed_check(self):
        outcome = classify(program(), result("FAILED\n", races=[RACE]))
        self.assertEqual((outcome.kind, outcome.why), ("racing", RACE))

    def test_a_race_beside_a_passed_check_is_a_note(self):
        outcome = classify(program(), result("PASSED\n", races=[RACE]))
        self.assertEqual((outcome.kind, outcome.why), ("right", RACE))

    def test_a_library_that_does_not_start_is_named(self):
        values = {"flags": ["-O3", "-lcublas"]}
        outcome = classify(program(**values), result("cannot create the handle\n", code=1))
        self.assertEqual((outcome.kind, outcome.why), ("library", "cublas: cannot create the handle"))
        self.assertEqual(kind(values, stdout="row 1 FAILED\n", code=1), "wrong")

    def test_a_program_may_waive_itself(self):
        self.assertEqual(kind({"waived": "needs two GPUs"}, stdout="this needs two GPUs\n", code=2), "waived")

    def test_a_deadlock_is_named(self):
        self.assertEqual(kind(stderr="warpledger: error: every resident CTA waits for another one\n", code=1), "deadlock")

    def test_every_class_has_its_place_in_the_order(self):
        text = (ROOT / "tools/reach/outcome.py").read_text()
        for name in re.findall(r'return "(\w[\w ]*)",', text) + ["right", "build failed", "slow", "program bug"]:
            self.assertIn(name, CLASSES)


class Tables(unittest.TestCase):
    JUDGED = [(program(project="a", name="x"), Outcome("right", "", True, 2)),
              (program(project="a", name="y"), Outcome("slow", "40 s", False, 1)),
              (program(project="b", name="z"), Outcome("build failed", "no | header", False, 0))]

    def test_rows_add_up_to_the_last_one(self):
        rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in table(self.JUDGED).splitlines()[2:]]
        for column in range(1, 6):
            self.assertEqual(sum(int(row[column]) for row in rows[:-1]), int(rows[-1][column]))

    def test_a_row_counts_what_was_built_and_profiled(self):
        self.assertIn("| a | 2 | 2 | 1 | 1 | 2 | slow 1 |", table(self.JUDGED))
        self.assertIn("| b | 1 | 0 | 0 | 0 | 0 | build failed 1 |", table(self.JUDGED))

    def test_each_program_that_is_not_right_has_a_line(self):
        text = list_of_failures(self.JUDGED)
        self.assertEqual(len(text.splitlines()), 2)
        self.assertIn("**slow** a: y: 40 s", text)

    def test_changes_name_the_class_before_and_after(self):
        self.assertEqual(changes(self.JUDGED, {"a/x": "crash", "a/y": "slow"}), "- a: x: crash -> right\n")


class Lists(unittest.TestCase):
    def read(self, text):
        with tempfile.TemporaryDirectory() as name:
            path = pathlib.Path(name) / "list.toml"
            path.write_text(text)
            return read_list(path, pathlib.Path(name))

    def test_a_program_inherits_the_check_and_may_have_its_own(self):
        one, two = self.read('[[project]]\nname = "p"\nright = "OK"\n[[project.program]]\nname = "a"\nsources = []\n'
                             '[[project.program]]\nname = "b"\nsources = []\nright = "YES"\n')
        self.assertEqual((one.right, two.right), ("OK", "YES"))

    def test_an_unknown_key_is_named(self):
        with self.assertRaisesRegex(BadList, "unknown key 'argments'"):
            self.read('[[project]]\nname = "p"\n[[project.program]]\nname = "a"\nsources = []\nargments = []\n')

    def test_a_program_is_listed_once(self):
        entry = '[[project.program]]\nname = "a"\nsources = []\n'
        with self.assertRaisesRegex(BadList, "listed twice"):
            self.read('[[project]]\nname = "p"\n' + entry + entry)

    def test_places_are_replaced_and_other_braces_stay(self):
        self.assertEqual(place(["-I{folder}/x", "{1}"], "/p", "/p/f"), ["-I/p/f/x", "{1}"])

    def test_inputs_are_made_the_same_each_time(self):
        with tempfile.TemporaryDirectory() as name:
            texts = []
            for _ in range(2):
                prepare_folder(program(data=[{"file": "x", "lines": 2, "line": "{i} {r:.3f}"}]), pathlib.Path(name) / "run")
                texts.append((pathlib.Path(name) / "run/x").read_text())
        self.assertEqual(texts[0], texts[1])
        self.assertRegex(texts[0], r"^0 0\.\d{3}\n1 0\.\d{3}\n$")

    def test_profiles_stand_after_the_programs_own_output(self):
        self.assertEqual(split_output("a\n[\nb\n[\n{},\n{}\n]\n"), ("a\n[\nb\n", [{}, {}]))
        self.assertEqual(split_output("a\n{\n}\n"), ("a\n", [{}]))
        self.assertEqual(split_output("a\n"), ("a\n", []))
        self.assertEqual(split_output("a\n[]\n"), ("a\n", []))


    def test_a_race_of_several_launches_is_one_line(self):
        sides = {"first": {"access": "read", "file": "/x/a.cu", "line": 3}, "second": {"access": "write", "file": "/x/a.cu", "line": 5}}
        found = {"races": {"found": [{"hazard": "write-after-read", "space": "shared", **sides}]}}
        self.assertEqual(races_of([found, {}, found]), [RACE])


class WholeCensus(unittest.TestCase):
    def census(self, results, *options):
        command = [sys.executable, str(ROOT / "tools/census"), str(ROOT / "tests/inputs/census/checkouts"),
                   str(ROOT / "tests/inputs/census/list.toml"), "--binary", BINARY, "--results", results, *options]
        return subprocess.run(command, capture_output=True, text=True, check=True)

    def test_two_programs_are_built_run_and_kept(self):
        if BINARY is None or find_nvcc() is None:
            self.skipTest("needs warpledger and nvcc")
        with tempfile.TemporaryDirectory() as name:
            first = self.census(name)
            self.assertIn("| vectors | 2 | 2 | 2 | 2 | 2 |  |", first.stdout, first.stdout + first.stderr)
            self.assertIn("| faults | 2 | 1 | 0 | 0 | 0 | program bug 1, build failed 1 |", first.stdout)
            self.assertIn("past_the_end: ", first.stdout)
            kept = (pathlib.Path(name) / "results.jsonl").read_text().splitlines()
            self.assertEqual(len(kept), 3)
            self.assertEqual(json.loads(kept[1])["stdout"], "300 elements: PASSED\n")
            self.assertEqual(self.census(name).stdout, first.stdout)
            self.assertEqual((pathlib.Path(name) / "results.jsonl").read_text().splitlines(), kept)
            self.assertEqual(self.census(name, "--kept").stdout, first.stdout)
            self.assertNotIn("faults", self.census(name, "--only", "^vectors/add$").stdout)


if __name__ == "__main__":
    BINARY = sys.argv.pop(1) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
    unittest.main()
