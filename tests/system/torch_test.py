#!/usr/bin/env python3
"""PyTorch programs under `warpledger profile` compute the right values.

torch_test.py WARPLEDGER [--all]   exit code 77: no Python with torch. It is WL_TORCH_PYTHON, or build/torch of
tools/install-torch. --all also runs what needs minutes, as tools/nightly does.
"""
import json
import os
import pathlib
import re
import resource
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAMS = ROOT / "tests/programs/torch"
MOST_IMPORT_RATIO = 1.5


def find_python():
    for place in (os.environ.get("WL_TORCH_PYTHON"), ROOT / "build/torch/bin/python"):
        if place and pathlib.Path(place).exists():
            return str(place)
    return None


def run(*command, **variables):
    """Also returns the CPU seconds that it took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    done = subprocess.run([str(c) for c in command], capture_output=True, text=True, env={**os.environ, **variables})
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return done, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def profiles_of(output):
    """What --json prints after the program's own lines."""
    return json.loads(output[re.search(r"^\[", output, re.M).start():])


class TorchTest(unittest.TestCase):
    def profiled(self, name, *options, arguments=()):
        done, seconds = run(BINARY, "-q", "profile", *options, PYTHON, PROGRAMS / name, *arguments)
        print(f"{name}: {seconds:.0f} s of processor time", file=sys.stderr)
        return done

    def expect_right(self, name, *options, arguments=()):
        done = self.profiled(name, *options, arguments=arguments)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertNotIn("WRONG", done.stdout)
        return done

    def test_operators_autograd_streams_graphs_and_random_numbers(self):
        done = self.expect_right("smoke.py", "-k", "nothing")
        self.assertEqual(done.stderr.count("aten operators"), 1)
        self.assertIn("are estimates", done.stderr)

    def test_a_triton_kernel_is_profiled_and_aten_is_not(self):
        done = self.profiled("../../../examples/torch/transpose.py", "--json")
        self.assertTrue(done.stdout.startswith("right"), done.stdout + done.stderr)
        profiles = json.loads(done.stdout[done.stdout.index("["):])
        self.assertEqual([p["kernel"] for p in profiles], ["transpose"])

    def test_readme_shows_what_is_printed(self):
        readme = (ROOT / "README.md").read_text()
        block = readme[readme.index("```shell-session"):].split("```")[1]
        command, shown = block.split("\n", 2)[1:]
        words = command.replace("$ warpledger", BINARY).replace("python3", PYTHON)
        done = subprocess.run(["bash", "-c", words + " 2>/dev/null"], cwd=ROOT, capture_output=True, text=True)
        self.assertEqual(done.stdout, shown)

    def test_a_write_past_a_tensor_stops_at_its_line(self):
        done = self.profiled("out_of_bounds.py")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("out-of-bounds global write of 4 bytes", done.stderr)
        self.assertIn("out_of_bounds.py:10", done.stderr)

    def test_the_estimate_follows_the_gpu(self):
        times = [float(run(BINARY, "-q", "profile", "--gpu", gpu, PYTHON, PROGRAMS / "matmul_time.py")[0].stdout.split()[0])
                 for gpu in ("t4", "h100-sxm")]
        self.assertGreater(times[0], 4 * times[1])

    def test_importing_torch_costs_little(self):
        """A ratio of processor time, taken in turns, since machines are shared and differ."""
        commands = ([PYTHON], [BINARY, "-q", "profile", PYTHON])
        seconds = [[run(*command, "-c", "import torch")[1] for command in commands] for _ in range(3)]
        alone, profiled = (min(column) for column in zip(*seconds))
        print(f"import torch: {alone:.2f} s alone, {profiled:.2f} s profiled", file=sys.stderr)
        self.assertLess(profiled, MOST_IMPORT_RATIO * alone)

    def expect_own_kernels(self, *names):
        done = self.expect_right("own_kernels.py", "--gpu", "a100-80", "--aten", "gpu", "--json", arguments=names)
        return done, {p["kernel"] for p in profiles_of(done.stdout)}

    def test_torch_s_own_kernels_are_right_and_profiled(self):
        """A few of each kind; all of them at night."""
        done, kernels = self.expect_own_kernels(
            "add", "gelu", "to half", "sum of rows", "softmax", "layer_norm", "gather", "embedding", "cat", "cumsum", "rand", "gemm")
        for part in ("CUDAFunctor_add", "Gelu", "reduce_kernel", "softmax", "layer_norm", "gather", "CatArray", "scan"):
            self.assertTrue([k for k in kernels if part in k], f"no profile of {part}")
        self.assertIn("closed libraries were computed by torch's CPU kernels: mm 1.", done.stderr)

    def test_a_launch_that_stops_names_the_operator(self):
        code = "import torch; torch.ones(4, 4, device='cuda').index_select(0, torch.tensor([9], device='cuda'))"
        done, _ = run(BINARY, "-q", "profile", "--aten", "gpu", "-k", "nothing", PYTHON, "-c", code)
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, "assertion '.*' failed at .*in PyTorch's operator index_select")

    def test_own_kernels_need_a_gpu_whose_machine_code_runs(self):
        done = self.profiled("own_kernels.py", "--gpu", "v100", "--aten", "gpu")
        self.assertEqual(done.returncode, 2)
        self.assertIn("--aten gpu runs machine code of sm_75, sm_80, sm_86, sm_89, sm_90, sm_100 and sm_120", done.stderr)

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_all_of_torch_s_own_kernels_that_run(self):
        _, kernels = self.expect_own_kernels()
        self.assertGreater(len(kernels), 60)

    def test_the_hidden_sitecustomize_runs(self):
        done, _ = run(BINARY, "-q", "profile", PYTHON, "-c", "import sitecustomize; print(sitecustomize.mark)",
                      PYTHONPATH=str(PROGRAMS / "customized"))
        self.assertEqual(done.stdout.split(), ["ours"])

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_liger_forward_and_backward(self):
        self.expect_right("liger.py", "-k", "nothing")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_what_is_refused_is_named(self):
        self.expect_right("refused.py")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_triton_s_own_cublas(self):
        self.expect_right("triton_blas.py", "-k", "nothing")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_flash_linear_attention_forward_and_backward(self):
        self.expect_right("linear_attention.py", "-k", "nothing")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_gemlite_with_packed_weights(self):
        self.expect_right("packed_weights.py", "-k", "nothing")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_training_follows_the_cpu(self):
        self.expect_right("training.py", "-k", "nothing")

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_what_inductor_generates(self):
        done = self.expect_right("compiled.py", "--json")
        profiles = profiles_of(done.stdout)
        self.assertGreaterEqual(len([p for p in profiles if p["kernel"].startswith("triton_")]), 8, done.stdout[:2000])
        for profile in profiles:
            lines = [line for line in profile["code"] if line["file"].endswith(".py") and line["line"] > 0]
            self.assertTrue(lines, profile["kernel"])

    @unittest.skipUnless("--all" in sys.argv, "nightly")
    def test_problems_with_load_inline_and_triton(self):
        for kind, judged in (("cuda", 10), ("triton", 11)):
            done, seconds = run(BINARY, "-q", "profile", "-k", "nothing", PYTHON, PROGRAMS / "problems/run.py", kind)
            print(f"problems, {kind}: {seconds:.0f} s of processor time", file=sys.stderr)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(f"judged {judged} kernels", done.stdout)


if __name__ == "__main__":
    BINARY, PYTHON = str(pathlib.Path(sys.argv[1]).resolve()), find_python()
    if PYTHON is None:
        print("no Python with torch: tools/install-torch build/torch, or set WL_TORCH_PYTHON")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1], verbosity=2)
