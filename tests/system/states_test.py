#!/usr/bin/env python3
"""Warp states of whole profiles: laws that hold for every kernel.

    states_test.py WARPLEDGER

reasons add up to the launch's warp cycles, lines add up to the launch, any number of threads gives the same, and a profile that
is read back prints the same.
"""
import json
import math
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
MATMUL = ["examples/profile/matmul.ptx", "--kernel", "matmul_naive", "--grid", "16,16", "--block", "16,16", "--arg", "A=f32[256x256]:random",
          "--arg", "B=f32[256x256]:random", "--arg", "C=f32[256x256]", "--arg", "i32:256", "--arg", "i32:256", "--arg", "i32:256"]
GPUS = ["rtx3090", "rtx4090", "h100-pcie"]
SECTIONS = ["--section", "SchedulerStats", "--section", "WarpStateStats", "--page", "details"]


def profile(*words):
    return subprocess.run([BINARY, "profile", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def states_of(gpu, *words):
    return json.loads(profile(*MATMUL, "--gpu", gpu, *words, "--json"))["states"]


# kernels/flash_attention.cu as it would be with one tile of K and V instead of two: every tile is waited for where it is needed.
TWO_STAGES = """    const int stage = tile % 2;
    if (tile + 1 < tiles) {
      const size_t next = head + size_t(tile + 1) * kKeyRows * kHead;
      load_tile<kKeyRows>(k_tiles + (stage ^ 1) * kTileBytes, k + next);
      load_tile<kKeyRows>(v_tiles + (stage ^ 1) * kTileBytes, v + next);
    }
    commit();
    wait<1>();
"""
ONE_STAGE = """    const int stage = 0;
    if (tile > 0) {
      const size_t next = head + size_t(tile) * kKeyRows * kHead;
      load_tile<kKeyRows>(k_tiles, k + next);
      load_tile<kKeyRows>(v_tiles, v + next);
      commit();
    }
    wait<0>();
"""


def explain_attention(file, heads=128, length=2048):
    rows = heads * length
    arrays = [word for name in ("q", "k", "v", "out") for word in ("--arg", f"{name}=f16[{rows}x64]")]
    command = [BINARY, "explain", str(file), "--kernel", "flash_attention", "--gpu", "a100", "--grid", f"{length // 128},{heads}", "--block", "128",
               *arrays, "--arg", f"lse=f32[{rows}]", "--arg", f"i32:{length}", "--arg", "f32:0.125", "--json"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout)["launches"][0]


class AChange(unittest.TestCase):
    @unittest.skipUnless(shutil.which("nvcc"), "no nvcc")
    def test_that_is_suggested_moves_the_time_as_promised(self):
        two = ROOT / "kernels/flash_attention.cu"
        with tempfile.TemporaryDirectory() as folder:
            one = pathlib.Path(folder) / "one_stage.cu"
            self.assertIn(TWO_STAGES, two.read_text())
            one.write_text(two.read_text().replace(TWO_STAGES, ONE_STAGE).replace("[2][kKeyRows", "[1][kKeyRows"))
            before, after = explain_attention(one), explain_attention(two)
        finding = before["findings"][0]
        self.assertEqual(finding["rule"], "latency-bound")
        self.assertIn("cp.async.cg", two.read_text().splitlines()[finding["where"]["line"] - 1])  # the copies, not their group
        saved = 1 - after["nanoseconds"] / before["nanoseconds"]
        self.assertGreater(finding["saving"], 0.02)
        self.assertGreater(saved, finding["saving"] / 2)
        self.assertLess(saved, finding["saving"] * 2)


class WarpStates(unittest.TestCase):
    def test_lines_add_up_to_the_launch_reason_by_reason(self):
        for gpu in GPUS:
            states = states_of(gpu)
            for reason, cycles in states["warps"].items():
                lines = math.fsum(line["cycles"].get(reason, 0) for line in states["lines"])
                self.assertAlmostEqual(lines / cycles, 1, delta=1e-9, msg=f"{gpu} {reason}")

    def test_reasons_add_up_to_the_warp_latency(self):
        for gpu in GPUS:
            metrics = json.loads(profile(*MATMUL, "--gpu", gpu, "--json"))["metrics"]
            reasons = [metric["value"] for name, metric in metrics.items()
                       if name.startswith("smsp__average_warps_issue_stalled_") and name.endswith("_per_issue_active.ratio")]
            latency = metrics["smsp__average_warp_latency_per_inst_issued.ratio"]["value"]
            self.assertEqual(len(reasons), 15)
            self.assertAlmostEqual(math.fsum(reasons) / latency, 1, delta=1e-9, msg=gpu)

    def test_the_number_of_threads_changes_nothing(self):
        self.assertEqual(states_of("rtx3090", "--threads", "1", "--no-store"), states_of("rtx3090", "--threads", "2", "--no-store"))

    def test_a_kept_profile_prints_the_same(self):
        with tempfile.TemporaryDirectory() as folder:
            kept = f"{folder}/kept.json"
            profile(*MATMUL, "--gpu", "rtx3090", "-o", kept, "--no-pages")
            self.assertEqual(profile("--import", kept, *SECTIONS), profile(*MATMUL, "--gpu", "rtx3090", *SECTIONS))


if __name__ == "__main__":
    BINARY = str(pathlib.Path(sys.argv.pop(1)).resolve())
    if not shutil.which("ptxas") or not shutil.which("nvdisasm"):
        print("no ptxas or nvdisasm: skipped")
        sys.exit(77)
    unittest.main()
