#!/usr/bin/env python3
"""The GitHub Action's own step, run as a runner runs it, and the pre-commit hook's command.   action_test.py WARPLEDGER"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

BINARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
ACTION = (ROOT / "action.yml").read_text()


def inputs():
    """Names and defaults, as the action declares them."""
    part = ACTION.split("inputs:\n")[1].split("outputs:\n")[0]
    return dict(re.findall(r"^  (\w+):\n    description: .*\n    default: \"?([^\"\n]*)", part, re.M))


BROKEN = f"""schema = 1
[[budget]]
file = "{ROOT}/examples/budgets/transpose.ptx"
kernel = "transpose_tiled"
gpu = "a100"
grid = [8, 8]
block = [32, 32]
args = ["in=f32[256x256]:index", "out=f32[256x256]", "i32:256"]
options = ["--regs", "16", "--no-sass"]
limits = ["shared.bank_conflicts = 0"]
"""


class Action(unittest.TestCase):
    def run_step(self, budgets, **given):
        with tempfile.TemporaryDirectory() as folder:
            files = {name: pathlib.Path(folder) / name for name in ("GITHUB_STEP_SUMMARY", "GITHUB_OUTPUT")}
            for path in files.values():
                path.touch()
            if budgets == BROKEN:
                budgets = f"{folder}/budgets.toml"
                pathlib.Path(budgets).write_text(BROKEN)
            values = {**inputs(), "budgets": budgets, "sarif": f"{folder}/out.sarif", **given}
            step = dict(re.findall(r"(WL_\w+): \$\{\{ inputs\.(\w+) \}\}", ACTION))
            environment = {**os.environ, "PATH": f"{BINARY.parent}:{os.environ['PATH']}", "GITHUB_ACTION_PATH": str(ROOT),
                           "WARPLEDGER_STORE": f"{folder}/kept.sqlite", **{key: str(path) for key, path in files.items()},
                           **{variable: values[name] for variable, name in step.items()}}
            command = re.findall(r"run: '(.*)'", ACTION)[-1]
            done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command], cwd=ROOT, text=True,
                                  capture_output=True, env=environment)
            sarif = pathlib.Path(values["sarif"])
            return (done, files["GITHUB_STEP_SUMMARY"].read_text(), files["GITHUB_OUTPUT"].read_text(),
                    json.loads(sarif.read_text()) if sarif.exists() else None)

    def test_every_input_has_a_default_and_is_used(self):
        self.assertEqual(set(inputs()), {"budgets", "options", "package", "sarif", "fail"})
        for name in inputs():
            self.assertIn(f"inputs.{name}", ACTION)

    def test_kept_budgets_pass(self):
        done, summary, outputs, sarif = self.run_step("examples/budgets/transpose.toml")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("broken=false", outputs)
        self.assertTrue(summary)
        self.assertEqual(sarif["version"], "2.1.0")

    def test_a_broken_budget_fails_with_its_line(self):
        done, summary, outputs, sarif = self.run_step(BROKEN)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("transpose.cu,line=17", done.stdout)
        self.assertIn("broken=true", outputs)
        self.assertTrue(summary)
        self.assertTrue(sarif["runs"][0]["results"])

    def test_a_broken_budget_may_be_only_reported(self):
        done, _, outputs, _ = self.run_step(BROKEN, fail="false")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("broken=true", outputs)

    def test_what_cannot_be_read_fails(self):
        done, _, outputs, _ = self.run_step("nothing.toml", fail="false")
        self.assertEqual(done.returncode, 2)
        self.assertIn("broken=false", outputs)

    def test_the_hook_is_a_command_that_exists(self):
        hook = (ROOT / ".pre-commit-hooks.yaml").read_text()
        entry = re.search(r"entry: warpledger (.*)", hook).group(1).split()
        done = subprocess.run([BINARY, *entry, "examples/budgets/transpose.toml"], cwd=ROOT, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_compiler_explorer_calls_a_command_that_exists(self):
        lines = (ROOT / "examples/ci/compiler-explorer.properties").read_text()
        words = dict(re.findall(r"^tools\.warpledger\.(options|args)=(.*)$", lines, re.M))
        command = [*words["options"].split(), *words["args"].split(), "examples/races/block_sum_fixed.ptx", "--help"]
        done = subprocess.run([BINARY, *command], cwd=ROOT, text=True, capture_output=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
