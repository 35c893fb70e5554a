#!/usr/bin/env python3
"""Benchmarks in programs under `warpledger profile`, without PyTorch; and the tracing library that finds no GPU.

benchmark_test.py WARPLEDGER [unittest's words]   exit code 77: no nvcc here
"""
import json
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import door_test

BINARY = sys.argv.pop(1)
FOLDER = Path(BINARY).resolve().parent.parent / "door_programs"

TRACE = """
import ctypes
cupti = ctypes.CDLL("libcupti.so.13")
handle, version = ctypes.c_void_p(), ctypes.c_uint32()
assert cupti.cuptiGetVersion(ctypes.byref(version)) == 0 and version.value >= 130000
assert cupti.cuptiSubscribe(ctypes.byref(handle), ctypes.c_void_p(1), None) == 0
assert cupti.cuptiActivityEnable(3) == 0 and cupti.cuptiActivityFlushAll(0) == 0
assert cupti.cuptiProfilerInitialize(None) != 0
assert ctypes.CDLL("libcupti.so").cuptiUnsubscribe(handle) == 0
print("traced")
"""


def profile(*words):
    return subprocess.run([BINARY, "profile", "--gpu", "a100-80", "--no-store", *words], capture_output=True, text=True,
                          timeout=900, check=False)


class Benchmark(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        source = door_test.HERE / "loops" / "benchmark_values.cu"
        program = str(door_test.build(door_test.find_nvcc(), source, FOLDER))
        done = profile("--json", program)
        assert done.returncode == 0, done.stderr
        start = re.search(r"^\[", done.stdout, re.M).start()
        cls.lines = done.stdout[:start].splitlines()
        cls.profiles = json.loads(done.stdout[start:])

    def test_launches_that_read_other_sizes_take_other_times(self):
        needed, few, many, again, real = re.findall(r"[\d.]+", self.lines[0])
        self.assertEqual(needed, "0")
        self.assertGreater(float(many), 20 * float(few))
        self.assertEqual(few, again)
        self.assertAlmostEqual(float(many), float(real), delta=0.02 * float(real))

    def test_memory_stays_as_it_was(self):
        self.assertEqual(self.lines[1], "memory is as before")

    def test_a_size_that_a_launch_would_have_written_needs_values(self):
        self.assertEqual(self.lines[2], "from a launch: 1 needed")
        needed, time = re.findall(r"[\d.]+", self.lines[3])
        real = re.findall(r"[\d.]+", self.lines[0])[-1]
        self.assertEqual(needed, "0")
        self.assertAlmostEqual(float(time), float(real), delta=0.02 * float(real))
        self.assertEqual(self.lines[4], "memory is changed")

    def test_what_the_host_reads_needs_values(self):
        self.assertEqual(self.lines[5], "read by the host: 1 needed")

    def test_profiles_say_what_they_are_for(self):
        purposes = [one["launches"].get("purpose", "") for one in self.profiles]
        self.assertIn("benchmark", purposes)
        self.assertEqual(purposes[0], "")


class Tracing(unittest.TestCase):
    def test_a_tracer_is_told_once_and_runs(self):
        done = profile(sys.executable, "-c", TRACE)
        self.assertIn("traced", done.stdout, done.stderr)
        self.assertEqual(done.stderr.count("see no GPU activity here"), 1)


if __name__ == "__main__":
    door_test.run_tests_in(FOLDER)
