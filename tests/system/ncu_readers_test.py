#!/usr/bin/env python3
"""Public programs that read ncu's CSV and report files take ours unchanged: nsightful and perfdigest.

ncu_readers_test.py WARPLEDGER PYTHON   PYTHON has perfdigest-mcp and ncu-report, perhaps nsightful; exit code 77 where it has not
"""
import csv
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY, PYTHON = (str(pathlib.Path(word).absolute()) for word in sys.argv[1:3])
SQUARE = ["--arg", "f32[64x64]"] * 3 + ["--arg", "i32:64"] * 3
LAUNCH = ["examples/profile/matmul.ptx", "--kernel", "matmul_naive", "--gpu", "rtx3090", "--grid", "4,4", "--block", "16,16", *SQUARE]
# What perfdigest asks for, and the factor from our base units to its own.
DIGEST = {"gpu__time_duration.sum": ("duration_us", 1e-3), "sm__throughput.avg.pct_of_peak_sustained_elapsed": ("compute_pct_peak", 1),
          "gpu__dram_throughput.avg.pct_of_peak_sustained_elapsed": ("dram_pct_peak", 1),
          "sm__warps_active.avg.pct_of_peak_sustained_active": ("achieved_occupancy", 1),
          "l1tex__t_sector_hit_rate.pct": ("l1_hit_rate", 1), "lts__t_sector_hit_rate.pct": ("l2_hit_rate", 1),
          "launch__registers_per_thread": ("registers_per_thread", 1), "launch__grid_size": ("grid_size", 1),
          "dram__bytes.sum.per_second": ("mem_throughput_gbps", 1e-9)}
NSIGHTFUL = """
import json, sys
from nsightful.ncu import convert_ncu_csv_to_flat_markdown, parse_ncu_csv
text = open(sys.argv[1]).read().splitlines()
print(json.dumps({"parsed": parse_ncu_csv(text), "markdown": convert_ncu_csv_to_flat_markdown(text)}))
"""
PERFDIGEST = """
import json, sys
from perfdigest.adapters.nsight import csv_reader, pri_reader
read = pri_reader.load_kernels if sys.argv[1].endswith(".ncu-rep") else csv_reader.load_units
print(json.dumps([[unit.name, unit.metrics] for unit in read(sys.argv[1])]))
"""


def has(modules):
    return subprocess.run([PYTHON, "-c", f"import {modules}"], capture_output=True, check=False).returncode == 0


def profile(*options):
    return subprocess.run([BINARY, "-q", "profile", *LAUNCH, *options], cwd=ROOT, capture_output=True, text=True, check=True).stdout


def read(script, path):
    return json.loads(subprocess.run([PYTHON, "-c", script, str(path)], capture_output=True, text=True, check=True).stdout)


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


class Readers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name) / "ours.csv"

    @unittest.skipUnless(has("nsightful"), "nsightful is not installed (it is not on PyPI)")
    def test_nsightful_has_every_metric_and_rule_of_the_details_page(self):
        text = profile("--csv")
        self.path.write_text(text)
        read_back = read(NSIGHTFUL, self.path)
        (kernel, sections), = read_back["parsed"].items()
        self.assertEqual(kernel, "matmul_naive")
        metrics = sum(len(section["Metrics"]) for section in sections.values())
        rules = [rule for section in sections.values() for rule in section["Rules"]]
        self.assertEqual(metrics, sum(1 for row in rows(text) if row["Metric Name"]))
        self.assertEqual(len(rules), sum(1 for row in rows(text) if row["Rule Name"]))
        self.assertTrue(any(rule["Type"] == "OPT" and float(rule["Speedup"]) > 0 for rule in rules), rules)
        self.assertIn("## Speed Of Light", read_back["markdown"])

    def digest(self, path):
        units = read(PERFDIGEST, path)
        self.assertEqual(len(units), 1)
        base = {row["Metric Name"]: float(row["Metric Value"].replace(",", ""))
                for row in rows(profile("--csv", "--print-units", "base", "--metrics", ",".join(DIGEST)))}
        for name, (term, factor) in DIGEST.items():
            with self.subTest(metric=name):
                ours = base[name] * factor
                self.assertAlmostEqual(units[0][1][term], ours, delta=0.006 + 0.005 * abs(ours))

    def test_perfdigest_reads_the_metrics_from_csv(self):
        self.path.write_text(profile("--csv", "--metrics", ",".join(DIGEST)))
        self.digest(self.path)

    def test_perfdigest_reads_the_report_file(self):
        report = pathlib.Path(self.folder.name) / "ours.ncu-rep"
        profile("-o", str(report))
        self.digest(report)


if __name__ == "__main__":
    if not has("perfdigest, ncu_report"):
        print("skipped: perfdigest-mcp or ncu-report is not there")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1] + sys.argv[3:])
