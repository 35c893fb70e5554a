#!/usr/bin/env python3
"""ncu's command lines, as public scripts and CI files write them, through `warpledger ncu`.

ncu_lines_test.py WARPLEDGER [unittest's words]   exit code 77: no nvcc here

The options are those of the scripts; their programs, kernels, ranges and files are those of the test.
"""
import csv
import io
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import door_test

BINARY = str(Path(sys.argv.pop(1)).resolve())
SECTIONS = "--section SpeedOfLight --section MemoryWorkloadAnalysis --section SchedulerStats --section WarpStateStats --section Occupancy"
THROUGHPUTS = ("gpu__compute_memory_throughput.avg.pct_of_peak_sustained_elapsed,"
               "sm__throughput.avg.pct_of_peak_sustained_elapsed")
# What works. PROGRAM and what follows it is left out; REPORT is a report that was written before; OUT a file to write.
WORKS = [
    "--force-overwrite --set full --target-processes all -o OUT",
    "-o OUT --target-processes all --set full -k forward -f",
    "--target-processes all --profile-from-start no --csv --metrics gpu__time_duration.sum,"
    "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed,sm__throughput.avg.pct_of_peak_sustained_elapsed",
    "--csv --log-file OUT --metrics gpu__time_duration.sum --kernel-name forward",
    "-o OUT --import-source 1 --set full --kernel-name forward -f",
    "--csv --log-file OUT --cache-control=all --clock-control=base --metrics gpu__time_duration.sum",
    "--csv -i REPORT --metrics sm__maximum_warps_per_active_cycle_pct,sm__warps_active.avg.pct_of_peak_sustained_active",
    "--target-processes all --clock-control none --set full -f -o OUT --csv",
    "-i REPORT --csv --page raw",
    "--nvtx --nvtx-include step/forward --metrics dram__bytes_read.sum --csv",
    "--nvtx --nvtx-include step/ --section ComputeWorkloadAnalysis --section MemoryWorkloadAnalysis --section SchedulerStats "
    "--section Occupancy --section SpeedOfLight --section LaunchStats --section InstructionStats --export OUT",
    "--nvtx --nvtx-include forward/ -k regex:for --set full -o OUT",
    "--nvtx --nvtx-include end --set full --force-overwrite -o OUT",
    "--nvtx --nvtx-include step/ -k regex:forward|backward --launch-skip 1 --launch-count 2 --metrics gpu__time_duration.sum",
    "--nvtx --nvtx-include step/ --set basic -f -c 4 -o OUT",
    "--nvtx --nvtx-include backward/ --kernel-name regex:back --launch-count 1 --section LaunchStats --section Occupancy "
    "--section SpeedOfLight --replay-mode kernel --cache-control all --clock-control none --export OUT",
    "--replay-mode application --nvtx --nvtx-include step/ --metrics gpu__time_duration.sum -o OUT",
    "--target-processes all --import-source yes --set full -f -o OUT.ncu-rep",
    "--target-processes all --metrics gpu__time_duration --csv",
    "--target-processes all --metrics " + THROUGHPUTS,
    "--profile-from-start off --kernel-name-base demangled --kernel-name regex:forward --set full --export OUT --force-overwrite",
    "--force-overwrite --target-processes all --devices 0 --profile-from-start off --range-filter :1: --graph-profiling node "
    "--set basic --kernel-name-base demangled --kernel-name regex:ward --launch-skip 0 --launch-count 2 --print-summary per-kernel",
    "--profile-from-start off " + SECTIONS + " --section LaunchStats --target-processes all --force-overwrite -o OUT",
    "--import REPORT --print-summary per-kernel",
    "--csv --print-summary per-kernel --import REPORT",
    "--set full -k regex:forward --launch-count 1 --print-summary per-kernel",
    "--kernel-name regex:forward --launch-count 1 " + SECTIONS + " --target-processes all --print-summary per-kernel",
    "-f -o OUT --import-source yes --clock-control none --set full --print-summary per-kernel --launch-count 3",
    "--replay-mode application --metrics gpu__time_duration,dram__bytes --csv --print-summary per-kernel --log-file OUT",
    "--set=basic --kernel-name=regex:^forward$",
    "--section SourceCounters --page source -k forward -c 1",
    "--csv --page raw --metrics gpu__time_duration.sum -k regex:forward|backward",
    "--section SpeedOfLight --section SpeedOfLight_RooflineChart --section SchedulerStats --section LaunchStats",
    "--set full --section SpeedOfLight_RooflineChart -o OUT",
    "--metrics launch__registers_per_thread,l1tex__t_bytes_pipe_lsu_mem_local_op_ld.sum,l1tex__t_bytes_pipe_lsu_mem_local_op_st.sum",
    "--metrics regex:.*throughput.avg.pct_of_peak_sustained_active$,regex:.*throughput.avg.pct_of_peak_sustained_elapsed$ --page raw",
    "--config-file off --target-processes application-only --devices 0 --kernel-name-base function --kernel-name regex:forward "
    "--launch-skip 0 --launch-count 1 --replay-mode kernel --force-overwrite --export OUT",
    "--replay-mode application -o OUT.%q{HOME_OF_NOBODY} --kernel-name regex:forward",
    "--import REPORT --page details --csv",
    "--kernel-id ::forward:2 --metrics gpu__time_duration.sum",
    "--target-processes all --metrics sm__warps_active.avg.pct_of_peak_sustained_active,launch__occupancy_limit_registers --csv",
]
# What is refused, and the words that name it.
REFUSED = {
    "-o OUT --replay-mode range --force-overwrite --set roofline": "--replay-mode range",
    "--replay-mode app-range --cache-control all": "--replay-mode app-range",
    "--replay-mode application --app-replay-match all --app-replay-mode strict --cache-control none --clock-control none "
    "--export OUT --set full": "--cache-control none",
    "--csv --kernel-id :::0|.*0 --metrics gpu__time_duration.sum": "--kernel-id",
    "-f --set full --target-processes all --call-stack --nvtx -o OUT": "--call-stack",
    "--devices 0 --set basic --list-sections": "--list-sections",
    "--devices 0 --query-metrics-mode all --query-metrics": "--query-metrics",
    "--target-processes all --nvtx --kernel-regex-exclude .*warmup.* --csv": "--kernel-regex-exclude",
    SECTIONS + " --page all --print-summary per-gpu --details-all --log-file OUT --export OUT.%i": "--page",
    "--metrics group:memory__chart --csv": "group:memory__chart",
    "--metrics regex:sm__sass_inst_executed.*sum$ --page raw --set full": "regex:sm__sass_inst_executed.*sum$",
    "--set pmsampling -o OUT": "--set pmsampling",
    "--section-folder sections --section Mine": "--section-folder",
    "--target-processes all --devices 3 --csv --metrics gpu__time_duration.sum": "--devices 3",
    "--metrics smsp__pcsamp_sample_buffer_full --csv": "smsp__pcsamp_sample_buffer_full",
}
# Which kernels ranges choose, with how many launches.
ALL = {"warm": 1, "forward": 2, "backward": 2, "load": 1, "tail": 1}
CHOSEN = {
    "--disable-profiler-start-stop": ALL,
    "": ALL,  # the program stops the profiler once, and starts it again
    "--profile-from-start off": {"forward": 2, "backward": 2, "load": 1, "tail": 1},
    "--range-filter :1:": {"forward": 1, "backward": 1},
    "--range-filter :[2-9]: ": {"forward": 1, "backward": 1, "load": 1, "tail": 1},
    "--nvtx --nvtx-include forward/": {"forward": 2},
    "--nvtx --nvtx-include step/": {"forward": 2, "backward": 2},
    "--nvtx --nvtx-include [forward": {},
    "--nvtx --nvtx-include backward]": {"backward": 2},
    "--nvtx --nvtx-include step/*/backward": {"backward": 2},
    "--nvtx --nvtx-include regex:^(for|back)ward/": {"forward": 2, "backward": 2},
    "--nvtx --nvtx-include forward": {},  # that is not a start/end range
    "--nvtx --nvtx-include end": {"load": 1, "tail": 1},
    "--nvtx --nvtx-include end --nvtx-exclude loader@batch/": {"tail": 1},
    "--nvtx --nvtx-include loader@batch/": {"load": 1},
    "--nvtx --nvtx-include forward/ --range-filter ::2": {"forward": 1},
    "--nvtx --nvtx-include forward/ --range-filter yes:2:1": {"forward": 1},
    "--nvtx --nvtx-include forward/ --range-filter yes:2:2": {},
}


def run(*words):
    environment = dict(os.environ, XDG_CACHE_HOME=str(FOLDER / "cache"))
    return subprocess.run([BINARY, "ncu", *words], cwd=FOLDER, env=environment, capture_output=True, text=True, timeout=300,
                          check=False)


def rows(text):
    start = text.find('"ID"')
    return list(csv.DictReader(io.StringIO(text[start:] if start >= 0 else "")))


def launches(text):
    """Kernels of ncu's CSV with the number of their launches."""
    found = {}
    for row in rows(text):
        found[row["Kernel Name"].partition("(")[0]] = int(row.get("Launches") or 1)
    return found


class Lines(unittest.TestCase):
    def run_line(self, line):
        words = [word.replace("REPORT", str(REPORT)).replace("OUT", str(FOLDER / "out")) for word in line.split()]
        reads = "REPORT" in line
        return run(*words) if reads else run(*words, str(PROGRAM))

    def test_lines_that_work(self):
        for line in WORKS:
            with self.subTest(line=line):
                done = self.run_line(line)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertNotIn("no launch was profiled", done.stderr)

    def test_lines_that_are_refused_by_name(self):
        for line, name in REFUSED.items():
            with self.subTest(line=line):
                done = self.run_line(line)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertIn(name, done.stderr)

    def test_ranges_choose_launches(self):
        for line, kernels in CHOSEN.items():
            with self.subTest(line=line):
                done = self.run_line(line + " --csv --metrics launch__grid_size")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(launches(done.stdout), kernels)

    def test_a_bad_range_is_named_before_the_program_runs(self):
        for option, text in (("--nvtx-include", "a@b@c"), ("--nvtx-include", "a//b"), ("--range-filter", "1"),
                             ("--range-filter", "maybe::")):
            done = self.run_line(f"{option} {text}")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(f"'{text}'", done.stderr)
            self.assertNotIn("PASSED", done.stdout)

    def test_a_log_file_has_what_else_is_printed(self):
        line = "--csv --page raw --metrics launch__grid_size"
        printed = self.run_line(line).stdout.replace("PASSED\n", "")
        done = self.run_line(line + " --log-file OUT")
        self.assertEqual(done.stdout, "PASSED\n")
        self.assertEqual((FOLDER / "out").read_text(), printed)

    def test_a_summary_has_least_most_and_mean(self):
        done = self.run_line("--csv --print-summary per-kernel --metrics gpu__time_duration.sum -k forward")
        row = next(csv.DictReader(io.StringIO(done.stdout[done.stdout.index('"Process ID"'):])))
        self.assertEqual((row["Kernel Name"].partition("(")[0], row["Invocations"]), ("forward", "2"))
        self.assertLessEqual(float(row["Minimum"]), float(row["Average"]))
        self.assertLessEqual(float(row["Average"]), float(row["Maximum"]))

    def test_percent_signs_name_a_new_file_each_time(self):
        for number in (1, 2):
            done = self.run_line("-o OUT-%i -k forward")
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue((FOLDER / f"out-{number}.ncu-rep").exists())

    def test_clocks_without_locks_are_faster(self):
        times = []
        for clocks in ("base", "none"):
            done = self.run_line(f"--gpu rtx3090 --csv --print-units base --clock-control {clocks} -k forward --metrics gpu__time_duration.sum")
            times.append(float(rows(done.stdout)[0]["Metric Value"].replace(",", "")))
        self.assertGreater(times[0], times[1])


if __name__ == "__main__":
    nvcc = door_test.find_nvcc()
    if nvcc is None:
        print("skipped: no nvcc")
        sys.exit(77)
    if not any(Path(nvcc).resolve().parents[up].joinpath("include/nvtx3").exists() for up in (1, 2, 3)) and \
            not Path("/usr/local/cuda/include/nvtx3").exists():
        print("skipped: no NVTX headers")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as folder:
        FOLDER = Path(folder)
        PROGRAM = door_test.build(nvcc, door_test.HERE / "ranges/steps.cu", FOLDER)
        REPORT = FOLDER / "before.ncu-rep"
        made = run("-o", str(REPORT), str(PROGRAM))
        assert made.returncode == 0, made.stderr
        result = unittest.main(exit=False).result
    sys.exit(0 if result.wasSuccessful() else 1)
