#!/usr/bin/env python3
"""A program's work over time, `profile --trace FILE.json`: what holds for every trace.

trace_test.py WARPLEDGER [unittest's words]   exit code 77: no nvcc here
Where Python has jsonschema, traces are also held against docs/schema/trace.json. perfetto_test.py opens them in Perfetto.
"""
import collections
import functools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import door_test

try:
    import jsonschema
except ImportError:
    jsonschema = None

BINARY = sys.argv.pop(1)
FOLDER = Path(BINARY).resolve().parent.parent / "door_programs"
ROUNDING = 1e-3  # microseconds: times are whole nanoseconds


SCHEMA = door_test.HERE.parents[2] / "docs/schema/trace.json"
# Programs with streams, copies, graphs, several devices, libraries.
PROGRAMS = {"streams_events": (), "graph_fork_join": (), "graph_nodes": (), "graph_memory_nodes": (), "conditional_nodes": (),
            "two_devices": ("--devices", "2"), "blas": ()}


def profile(*words, gpu="a100-80"):
    return subprocess.run([BINARY, "profile", "--gpu", gpu, *words], capture_output=True, text=True, timeout=900, check=False)


@functools.cache
def trace_of(name, *options):
    program = door_test.build(door_test.find_nvcc(), door_test.HERE / "programs" / f"{name}.cu", FOLDER)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        done = profile(*options, "--trace", str(file), str(program))
        assert done.returncode == 0, done.stderr
        return json.loads(file.read_text())


@functools.cache
def kernel_trace():
    """Of a kernel's file."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "trace.json"
        done = profile(str(door_test.HERE.parents[2] / "examples" / "profile" / "matmul.ptx"), "--kernel", "matmul_naive",
                       "--grid", "4,4", "--block", "16,16", *(f"--arg={name}=f32[64x64]" for name in "ABC"),
                       *["--arg=i32:64"] * 3, "--no-pages", "-o", str(Path(folder) / "r"), "--trace", str(file), gpu="rtx3090")
        assert done.returncode == 0, done.stderr
        return json.loads(file.read_text())


def all_traces():
    yield "matmul.ptx", kernel_trace()
    for name, options in PROGRAMS.items():
        yield name, trace_of(name, *options)


def work_of(trace, category=None):
    return [event for event in trace["traceEvents"] if event["ph"] == "X" and category in (None, event["cat"])]


def by_row(events):
    rows = collections.defaultdict(list)
    for event in events:
        rows[event["pid"], event["tid"]].append(event)
    return rows


def end_of(event):
    return event["ts"] + event["dur"]


class Laws(unittest.TestCase):
    """Of every trace."""

    def each(self):
        for name, trace in all_traces():
            with self.subTest(trace=name):
                yield trace

    @unittest.skipIf(jsonschema is None, "no jsonschema")
    def test_it_is_what_its_schema_says(self):
        check = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        for trace in self.each():
            self.assertEqual([error.message for error in check.iter_errors(trace)], [])

    @unittest.skipIf(jsonschema is None, "no jsonschema")
    def test_the_schema_refuses_a_damaged_one(self):
        check = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        for damage in ({"dur": -1}, {"ts": "0"}, {"ph": "B"}, {"pid": 0}, {"cat": "other"}):
            trace = json.loads(json.dumps(kernel_trace()))
            work_of(trace)[0].update(damage)
            self.assertFalse(check.is_valid(trace), damage)

    def test_slices_of_a_row_do_not_overlap(self):
        for trace in self.each():
            for events in by_row(work_of(trace)).values():
                events.sort(key=lambda event: event["ts"])
                for before, after in zip(events, events[1:]):  # in whole nanoseconds, as Perfetto keeps them
                    self.assertLessEqual(int(1000 * before["ts"] + 0.5) + int(1000 * before["dur"] + 0.5), int(1000 * after["ts"] + 0.5))

    def test_times_are_whole_nanoseconds(self):
        for trace in self.each():
            for event in work_of(trace):
                for time in (event["ts"], event["dur"]):
                    self.assertAlmostEqual(1000 * time, round(1000 * time), delta=1e-4)

    def test_processes_and_rows_have_one_name_each(self):
        for trace in self.each():
            names = [(event["name"], event["pid"], event["tid"]) for event in trace["traceEvents"] if event["ph"] == "M"]
            self.assertEqual(len(names), len(set(names)))
            rows = by_row(work_of(trace))
            self.assertEqual({place[1:] for place in names if place[0] == "thread_name"}, set(rows))
            self.assertTrue(all(tid not in (0, pid) for pid, tid in rows))  # which Perfetto takes for threads of its own
            self.assertEqual({place[1] for place in names if place[0] == "process_name"}, {1, *(pid for pid, _ in rows)})

    def test_blocks_lie_within_a_kernel_of_their_device(self):
        for trace in self.each():
            kernels = sorted((event["ts"], end_of(event)) for event in work_of(trace, "kernel"))
            for block in work_of(trace, "block"):
                self.assertTrue(any(begin <= block["ts"] + ROUNDING and end_of(block) <= end + ROUNDING for begin, end in kernels), block)

    def test_the_counts_are_those_of_its_kernels(self):
        for trace in self.each():
            self.assertEqual(trace["otherData"]["kernels"], len(work_of(trace, "kernel")))
            some = bool(work_of(trace, "block"))
            self.assertEqual(trace["otherData"]["kernels with thread blocks"] > 0, some)


class Trace(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.trace = trace_of("streams_events")

    def assert_one_at_a_time(self, events):
        events = sorted(events, key=lambda event: event["ts"])
        for before, after in zip(events, events[1:]):
            self.assertLessEqual(end_of(before), after["ts"] + ROUNDING, (before, after))

    def test_a_program_of_several_streams_has_a_row_for_each(self):
        self.assertGreater(len(by_row(work_of(self.trace, "memcpy"))), 3)

    def test_profiled_kernels_have_their_blocks(self):
        kernels = work_of(self.trace, "kernel")
        blocks = work_of(self.trace, "block")
        for kernel in kernels:
            within = [block for block in blocks if kernel["ts"] - ROUNDING <= block["ts"] and end_of(block) <= end_of(kernel) + ROUNDING]
            self.assertTrue(within, kernel)

    def test_nodes_of_a_graph_lie_within_its_launch(self):
        trace = trace_of("graph_fork_join")
        names = {(event["pid"], event["tid"]): event["args"]["name"] for event in trace["traceEvents"] if event["name"] == "thread_name"}
        nodes = [event for event in work_of(trace) if names[event["pid"], event["tid"]].startswith("graph nodes")]
        launches = work_of(trace, "graph")
        self.assertEqual(len(launches), 9)  # of four kernels each
        self.assertEqual({event["name"] for event in launches}, {"graph launch, 4 nodes"})
        self.assertEqual(len(nodes), 4 * len(launches))
        for node in nodes:
            self.assertTrue(any(event["ts"] <= node["ts"] + ROUNDING and end_of(node) <= end_of(event) + ROUNDING
                                for event in launches), node)

    def test_kernels_follow_each_other(self):
        kernels = work_of(self.trace, "kernel")
        self.assertGreater(len(kernels), 1)
        self.assert_one_at_a_time(kernels)

    def test_copies_say_where_to_and_how_much(self):
        self.assertTrue(any(event["name"].startswith("memcpy device to host, ") for event in work_of(self.trace)))

    def test_it_says_that_it_is_a_prediction(self):
        self.assertEqual(self.trace["otherData"]["fidelity"], "modeled")
        names = [event["args"]["name"] for event in self.trace["traceEvents"] if event["name"] == "process_name"]
        self.assertEqual(names[0], "a100-80, predicted by warpledger")
        self.assertTrue(all("predicted by warpledger" in name for name in names))

    def test_each_device_is_a_process_and_they_work_at_once(self):
        work = work_of(trace_of("two_devices", "--devices", "2"))
        spans = {device: [(event["ts"], event["ts"] + event["dur"]) for event in work
                          if event["pid"] == device and event["cat"] == "kernel"] for device in (1, 2)}
        self.assertTrue(any(a < d and c < b for a, b in spans[1] for c, d in spans[2]), spans)
        self.assertTrue(any(event["name"].startswith("memcpy to another device, ") for event in work))

    def test_a_library_call_stands_under_its_name(self):
        self.assertTrue(any(event["name"].startswith("cublas") for event in work_of(trace_of("blas"))))

    def test_a_kernels_file_has_its_blocks_on_a_simulated_sm(self):
        work = work_of(kernel_trace())
        kernel, = (event for event in work if event["cat"] == "kernel")
        blocks = [event for event in work if event["cat"] == "block"]
        self.assertTrue(blocks)
        for place in {event["tid"] for event in blocks}:
            self.assert_one_at_a_time([event for event in blocks if event["tid"] == place])
        for event in blocks:
            self.assertLessEqual(event["ts"] + event["dur"], kernel["ts"] + kernel["dur"] + ROUNDING)


if __name__ == "__main__":
    door_test.run_tests_in(FOLDER)
