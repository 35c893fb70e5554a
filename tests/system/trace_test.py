#!/usr/bin/env python3
"""A program's work over time, `profile --trace FILE.json`: what holds for every trace.

trace_test.py WARPLEDGER [unittest's words]   exit code 77: no nvcc here
"""
import collections
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import door_test

BINARY = sys.argv.pop(1)
FOLDER = Path(BINARY).resolve().parent.parent / "door_programs"
ROUNDING = 1e-6  # microseconds


def profile(*words, gpu="a100-80"):
    return subprocess.run([BINARY, "profile", "--gpu", gpu, *words], capture_output=True, text=True, timeout=900, check=False)


def trace_of(name, *options):
    program = door_test.build(door_test.find_nvcc(), door_test.HERE / "programs" / f"{name}.cu", FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        done = profile(*options, "--trace", str(file), str(program))
        assert done.returncode == 0, done.stderr
        return json.loads(file.read_text())


def work_of(trace):
    return [event for event in trace["traceEvents"] if event["ph"] == "X"]


class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = trace_of("streams_events")

    def assert_one_at_a_time(self, events):
        events = sorted(events, key=lambda event: event["ts"])
        for before, after in zip(events, events[1:]):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + ROUNDING, (before, after))

    def test_work_of_a_stream_follows_the_work_before_it(self):
        by_stream = collections.defaultdict(list)
        for event in work_of(self.trace):
            by_stream[event["tid"]].append(event)
        self.assertGreater(len(by_stream), 1)
        for events in by_stream.values():
            self.assert_one_at_a_time(events)

    def test_kernels_follow_each_other(self):
        kernels = [event for event in work_of(self.trace) if event["cat"] == "kernel"]
        self.assertGreater(len(kernels), 1)
        self.assert_one_at_a_time(kernels)

    def test_copies_say_where_to_and_how_much(self):
        self.assertTrue(any(event["name"].startswith("memcpy device to host, ") for event in work_of(self.trace)))

    def test_it_says_that_it_is_a_prediction(self):
        self.assertEqual(self.trace["otherData"]["fidelity"], "modeled")
        names = [event["args"]["name"] for event in self.trace["traceEvents"] if event["name"] == "process_name"]
        self.assertEqual(names, ["a100-80, predicted by warpledger"])

    def test_every_stream_has_a_name(self):
        named = {event["tid"] for event in self.trace["traceEvents"] if event["name"] == "thread_name"}
        self.assertEqual(named, {event["tid"] for event in work_of(self.trace)})

    def test_each_device_is_a_process_and_they_work_at_once(self):
        work = work_of(trace_of("two_devices", "--devices", "2"))
        spans = {device: [(event["ts"], event["ts"] + event["dur"]) for event in work
                          if event["pid"] == device and event["cat"] == "kernel"] for device in (1, 2)}
        self.assertTrue(any(a < d and c < b for a, b in spans[1] for c, d in spans[2]), spans)
        self.assertTrue(any(event["name"].startswith("memcpy to another device, ") for event in work))

    def test_a_library_call_stands_under_its_name(self):
        self.assertTrue(any(event["name"].startswith("cublas") for event in work_of(trace_of("blas"))))

    def test_a_kernels_file_has_its_blocks_on_a_simulated_sm(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "trace.json"
            done = profile(str(door_test.HERE.parents[2] / "examples" / "profile" / "matmul.ptx"), "--kernel", "matmul_naive",
                           "--grid", "4,4", "--block", "16,16", *(f"--arg={name}=f32[64x64]" for name in "ABC"),
                           *["--arg=i32:64"] * 3, "--no-pages", "-o", str(Path(folder) / "r"), "--trace", str(file),
                           gpu="rtx3090")
            self.assertEqual(done.returncode, 0, done.stderr)
            work = work_of(json.loads(file.read_text()))
        kernel, = (event for event in work if event["cat"] == "kernel")
        blocks = [event for event in work if event["cat"] == "block"]
        self.assertTrue(blocks)
        for place in {event["tid"] for event in blocks}:
            self.assert_one_at_a_time([event for event in blocks if event["tid"] == place])
        for event in blocks:
            self.assertLessEqual(event["ts"] + event["dur"], kernel["ts"] + kernel["dur"] + ROUNDING)


if __name__ == "__main__":
    door_test.run_tests_in(FOLDER)
