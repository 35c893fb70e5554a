#!/usr/bin/env python3
"""The HTML report is one well-formed, self-contained file.   report_test.py WARPLEDGER"""
import csv
import html.parser
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

BINARY = pathlib.Path(sys.argv.pop()).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
LAUNCH = ["examples/profile/matmul.ptx", "--kernel", "matmul_tiled", "--gpu", "rtx3090", "--regs", "38", "--no-sass",
          "--engine", "reference", "--grid", "2,2", "--block", "16,16", "--arg", "A=f32[32x32]", "--arg",
          "B=f32[32x32]", "--arg", "C=f32[32x32]", "--arg", "i32:32", "--arg", "i32:32", "--arg", "i32:32"]
VOID = {"meta", "link", "br", "img", "input", "hr"}


class Checker(html.parser.HTMLParser):
    """Every tag is closed by its own, ids are unique, links lead inside."""

    def __init__(self):
        super().__init__()
        self.open, self.ids, self.links, self.faults, self.tables = [], [], [], [], 0

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            self.open.append(tag)
        self.tables += tag == "table"
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src"):
                self.links.append(value)
            if name.startswith("on"):
                self.faults.append(f"{tag} has {name}")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open.pop() != tag:
            self.faults.append(f"</{tag}> at {self.getpos()}")


def run(*arguments, **more):
    return subprocess.run([str(BINARY), *arguments], cwd=ROOT, text=True, capture_output=True, **more)


class Report(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = pathlib.Path(cls.folder.name)
        done = run("-q", "profile", *LAUNCH, "--source-folder", "kernels", "-o", str(cls.path / "r.html"),
                   "--report-json", str(cls.path / "r.json"), "--charts", str(cls.path / "charts"), "--json")
        assert done.returncode == 0, done.stderr
        (cls.path / "profile.json").write_text(done.stdout)
        cls.text = (cls.path / "r.html").read_text()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def parsed(self, text):
        checker = Checker()
        checker.feed(text)
        checker.close()
        return checker

    def test_is_well_formed(self):
        checker = self.parsed(self.text)
        self.assertEqual(checker.faults, [])
        self.assertEqual(checker.open, [])

    def test_ids_are_unique_and_links_lead_to_them(self):
        checker = self.parsed(self.text)
        self.assertEqual(len(checker.ids), len(set(checker.ids)))
        for link in checker.links:
            self.assertTrue(link == "data:," or link[1:] in checker.ids, link)

    def test_needs_nothing_from_outside(self):
        self.assertNotRegex(self.text, r"https?:|//[a-z]+\.|@import|url\(")

    def test_weighs_less_than_two_megabytes(self):
        self.assertLess((self.path / "r.html").stat().st_size, 2_000_000)

    def test_shows_every_part(self):
        for part in ["What to do", "Memory chart", "Roofline", "Access patterns", "Shared Memory", "Launch Statistics",
                     "__global__ void matmul_tiled", "ld.shared.f32"]:
            self.assertIn(part, self.text)

    def test_charts_come_as_svg_png_and_csv(self):
        names = sorted(path.name for path in (self.path / "charts").iterdir())
        self.assertIn("memory-chart.svg", names)
        self.assertIn("roofline.png", names)
        self.assertIn("memory-chart.csv", names)
        for path in (self.path / "charts").glob("*.png"):
            self.assertEqual(path.read_bytes()[:8], b"\x89PNG\r\n\x1a\n")

    def test_model_has_raw_integers_with_fidelity(self):
        model = json.loads((self.path / "r.json").read_text())
        memory = next(panel for panel in model["pages"][0]["panels"] if panel["title"] == "Memory")
        rows = memory["blocks"][0]["data"]["rows"]
        dram = next(row for row in rows if row["from"] == "Device Memory")
        self.assertIsInstance(dram["bytes"], int)
        self.assertEqual(dram["fidelity"]["bytes"], "modeled")

    def test_several_profiles_make_one_report(self):
        one = str(self.path / "profile.json")
        out = self.path / "two.html"
        done = run("report", one, one, "-o", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("matmul_tiled", done.stdout)
        text = out.read_text()
        self.assertEqual(text.count('<article class="page"'), 2)
        self.assertEqual(self.parsed(text).faults, [])

    def test_the_same_profile_makes_the_same_page_from_json(self):
        out = self.path / "again.html"
        done = run("-q", "report", str(self.path / "profile.json"), "--source-folder", "kernels", "-o", str(out))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)
        self.assertEqual(out.read_text(), self.text)

    def test_a_kept_report_makes_the_same_page(self):
        kept, out = str(self.path / "k.wlrep"), self.path / "imported.html"
        done = run("-q", "profile", *LAUNCH, "-o", kept, "--metrics", "dram__bytes.sum")
        self.assertEqual(done.returncode, 0, done.stderr)
        done = run("-q", "profile", "--import", kept, "--source-folder", "kernels", "-o", str(out))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(out.read_text(), self.text)

    def test_an_answer_from_the_store_makes_the_same_page(self):
        out = self.path / "stored.html"
        for _ in range(2):
            done = run("-q", "profile", *LAUNCH, "--source-folder", "kernels", "-o", str(out),
                       env={**os.environ, "WARPLEDGER_STORE": str(self.path / "store.sqlite")})
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertEqual(out.read_text(), self.text)

    def test_several_launches_are_one_sortable_list(self):
        one, out = str(self.path / "profile.json"), self.path / "list.html"
        run("report", one, one, one, "-o", str(out))
        text = out.read_text()
        self.assertEqual(text.count("<tr data-page="), 3)
        self.assertIn('<table class="sortable index"><caption>Launches', text)

    def test_every_view_comes_as_json_with_raw_numbers(self):
        done = run("report", str(self.path / "profile.json"), "--json")
        row = json.loads(done.stdout)["tables"][0]["rows"][0]
        self.assertIsInstance(row["dram_bytes"], int)
        self.assertEqual(row["fidelity"]["dram_bytes"], "modeled")
        with open(self.path / "charts" / "memory-chart.csv", newline="") as file:
            for row in csv.DictReader(file):
                for column in ["instructions", "requests", "bytes"]:
                    self.assertRegex(row[column], "^[0-9]*$")

    def test_no_color_codes_in_a_pipe(self):
        for variables in ({"NO_COLOR": "1"}, {}):
            done = run("report", str(self.path / "profile.json"), env={"PATH": "/usr/bin", **variables})
            self.assertNotIn("\x1b", done.stdout)
        self.assertNotIn("\x1b", self.text)

    def test_quiet_prints_nothing_but_the_answer(self):
        done = run("-q", "report", str(self.path / "profile.json"), "-o", str(self.path / "q.html"))
        self.assertEqual((done.returncode, done.stdout, done.stderr), (0, "", ""))

    def test_a_source_name_that_no_file_can_have_is_no_fault(self):
        kept = json.loads((self.path / "profile.json").read_text())
        kept["code"][0].update(file="x" * 999, line=1, executions=1)
        (self.path / "long.json").write_text(json.dumps(kept))
        done = run("-q", "report", str(self.path / "long.json"), "-o", str(self.path / "long.html"))
        self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_folder_that_is_not_there_is_named(self):
        done = run("report", str(self.path / "profile.json"), "-o", str(self.path / "no" / "where.html"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("where.html", done.stderr)

    def test_a_file_that_is_no_profile_is_refused(self):
        done = run("report", "README.md")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'README.md' is not a report", done.stderr)


if __name__ == "__main__":
    unittest.main()
