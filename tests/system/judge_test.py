"""tools/validation: what a change made better and worse, which rooms make numbers, which case belongs to which group."""
import pathlib
import sys
import tempfile
import unittest
import unittest.mock

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

from validation import against, program, runs  # noqa: E402
from validation.cases import read_cases  # noqa: E402
from validation.docs import merged, recounted  # noqa: E402
from validation.groups import kind_of  # noqa: E402
from validation.opcodes import opcode_section, read_opcodes  # noqa: E402

OLD = {"Duration": {"a": 10.0, "b": -2.0, "c": 1.0, "gone": 3.0}}
NEW = {"Duration": {"a": 4.0, "b": 5.0, "c": 1.01, "new": 9.0}}


class Against(unittest.TestCase):
    def test_changes_are_of_cases_of_both_runs_and_larger_than_a_step(self):
        self.assertEqual(against.changes(OLD, NEW), [("Duration", "a", 10.0, 4.0), ("Duration", "b", -2.0, 5.0)])

    def test_the_text_tells_better_worse_the_mean_and_what_did_not_run(self):
        text = against.text_of(OLD, NEW)
        self.assertIn("better: 1", text)
        self.assertIn("worse: 1", text)
        self.assertIn("4.33 -> 3.34 over 3 cases", text)
        self.assertIn("not in this run: gone", text)


class Merged(unittest.TestCase):
    def test_rows_of_cases_that_did_not_run_stay(self):
        old = "Text.\n| report | x |\n|---|---|\n| a | 1 |\n| b | not run: too long |\n"
        new = "Other text.\n| report | x |\n|---|---|\n| a | 2 |\n| b | not run yet |\n| c | 3 |\n"
        kept = "Text.\n| report | x |\n|---|---|\n| a | 2 |\n| b | not run: too long |\n| c | 3 |\n"
        self.assertEqual(merged(old, new, ["b"]), kept)

    def test_a_merged_table_of_states_is_counted_again(self):
        table = "\n| report | right |\n|---|---:|\n| a | yes |\n| b | no |\n| c | yes |\n| d | - |\n"
        self.assertEqual(recounted("The old count.\n" + table), "The largest stall is right in 2 of 3 reports (67 %). Not run: 1.\n" + table)


class Compilers(unittest.TestCase):
    def test_a_result_belongs_to_its_compiler(self):
        self.assertIn("compiler", runs.LAUNCH_KEYS)

    def test_the_table_of_opcodes_names_the_reports_compiler(self):
        case = next(case for case in read_cases()["case"] if "compiler" in case)
        text = opcode_section({case["name"]: {"opcodes": read_opcodes()[case["name"]]}}, [case])
        self.assertIn(f"| {case['name']} | {case['compiler']} | +0.00 % |", text)

    def test_what_a_reports_compiler_changes_is_counted(self):
        case = next(case for case in read_cases()["case"] if case.get("compiler") and case["name"] in read_opcodes())
        theirs = read_opcodes()[case["name"]]
        other = dict(theirs, NOSUCH=sum(theirs.values()))
        text = opcode_section({case["name"]: {"opcodes": theirs}}, [case], {case["name"]: {"opcodes": other}})
        self.assertIn(f"| {case['compiler']} | 1 | 1 -> 1 | 0 -> 1 | 0 -> 1 | {len(theirs)} -> {len(theirs)} |", text)
        self.assertIn("| +100.00 % / ", text)


class Runs(unittest.TestCase):
    def test_a_launch_of_several_reports_is_profiled_once(self):
        cases = [case for case in read_cases()["case"] if case["name"].startswith("rtx3090_hgemm_mma_scalarcopy_4096_")]
        self.assertEqual(len(cases), 2)
        with tempfile.TemporaryDirectory() as folder, \
                unittest.mock.patch.object(runs, "profile_text", return_value=(None, "not run: here")) as profiled, \
                unittest.mock.patch.object(runs, "identity", return_value="a program"):
            results = runs.run_all("warpledger", cases, pathlib.Path(folder), [], 2, runs.Limits())
        self.assertEqual(profiled.call_count, 1)
        self.assertEqual({name: result["error"] for name, result in results.items()}, {case["name"]: "not run: here" for case in cases})

    def test_a_program_that_ends_without_a_word_is_quoted_by_its_code(self):
        case = read_cases()["case"][0]
        self.assertEqual(runs.profile_text(["sh", "-c", "exit 3"], case, runs.Limits()), (None, "code 3"))

    def test_cases_that_are_known_to_take_long_are_begun_first(self):
        small, slow = {"grid": [1], "block": [1]}, {"grid": [1], "block": [1], "seconds": 9}
        large = {"grid": [1000], "block": [256]}
        self.assertEqual(sorted([small, large, slow], key=runs.cost_of, reverse=True), [slow, large, small])


class Program(unittest.TestCase):
    def test_rooms_that_make_numbers_are_those_of_a_profile(self):
        rooms = program.rooms_that_matter()
        self.assertTrue({"base", "memory", "exec/jit", "profile/time", "gpu"} <= set(rooms))
        self.assertFalse({"render", "layout/convert", "tile", "plan", "profile/advice", "report"} & set(rooms))

    def test_a_binary_without_its_libraries_is_its_own_identity(self):
        with tempfile.TemporaryDirectory() as name:
            binary = pathlib.Path(name) / "cli/warpledger"
            binary.parent.mkdir()
            binary.write_bytes(b"one")
            first = program.identity(binary)
            binary.write_bytes(b"two")
            self.assertNotEqual(first, program.identity(binary))


class Cases(unittest.TestCase):
    def test_every_report_is_a_case_or_says_why_not(self):
        catalog = read_cases()
        named = {entry["name"] for entry in catalog["case"] + catalog["excepted"]}
        reports = {path.stem for path in (ROOT / "tests/inputs/validation").glob("*.csv")} - {"sources"}
        self.assertEqual(reports - named, set())

    def test_kernels_and_gpus_of_all_cases_exist(self):
        for case in read_cases()["case"]:
            source = ROOT / "kernels/validation" / case["file"]
            self.assertIn(case["kernel"], source.read_text(), case["name"])
            self.assertTrue((ROOT / f"gpus/{case['gpu']}.toml").exists(), case["name"])
            self.assertTrue(kind_of(case))


if __name__ == "__main__":
    unittest.main()
