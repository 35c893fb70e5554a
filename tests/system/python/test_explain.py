"""What `explain`, `profile` and `check` write for models and CI servers, against published schemas."""
import importlib.util
import json
import os
import pathlib
import subprocess

import pytest

import warpledger

ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = pathlib.Path(warpledger.__file__).with_name("_command")
LAUNCH = ["examples/budgets/transpose.ptx", "-k", "transpose_tiled", "--gpu", "a100", "--grid", "8,8", "--block", "32,32", "--regs", "16",
          "--no-sass", "--arg", "in=f32[256x256]:index", "--arg", "out=f32[256x256]", "--arg", "i32:256"]


def run(*words, code=0):
    done = subprocess.run([COMMAND, "-q", *words], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode == code, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def explained():
    return json.loads(run("explain", *LAUNCH, "--json"))


def validate(value, schema):
    jsonschema = pytest.importorskip("jsonschema")  # nbclient brings it
    jsonschema.validate(value, schema)


def test_an_explanation_is_what_its_schema_says(explained):
    validate(explained, json.loads((ROOT / "docs/schema/explain.json").read_text()))


def test_a_difference_is_what_its_schema_says(tmp_path):
    kept = tmp_path / "before.wlrep"
    run("profile", *LAUNCH, "-o", str(kept), "--no-pages")
    after = [word if word != "transpose_tiled" else "transpose_padded" for word in LAUNCH]
    answer = json.loads(run("explain", *after, "--against", str(kept), "--json"))
    validate(answer, json.loads((ROOT / "docs/schema/explain.json").read_text()))
    assert answer["since"]["saving"] > 0
    assert "bank-conflicts" in answer["since"]["gone"]


def test_the_change_names_the_array_of_the_source(explained):
    finding = explained["launches"][0]["findings"][0]
    assert finding["rule"] == "bank-conflicts"
    assert finding["where"] == {"file": "transpose.cu", "line": 17}
    assert finding["snippet"] == "__shared__ float tile[kTile][kTile + 1];"


def test_every_rule_has_a_page_that_the_command_prints():
    for page in sorted((ROOT / "docs/rules").glob("*.md")):
        assert run("explain", page.stem) == page.read_text()


# The required properties of each object of SARIF 2.1.0 that we write (OASIS, sarif-schema-2.1.0.json).
REQUIRED = {"log": ["version", "runs"], "run": ["tool"], "driver": ["name"], "rule": ["id"], "result": ["message"]}


def sarif_of(tmp_path, *words, code=0):
    path = tmp_path / "out.sarif"
    run(*words, "--sarif", str(path), code=code)
    return json.loads(path.read_text())


def check_sarif(log):
    run_of = log["runs"][0]
    driver = run_of["tool"]["driver"]
    for kind, value in [("log", log), ("run", run_of), ("driver", driver), *(("rule", r) for r in driver["rules"]),
                        *(("result", r) for r in run_of["results"])]:
        assert all(name in value for name in REQUIRED[kind]), (kind, value)
    for result in run_of["results"]:
        place = result["locations"][0]["physicalLocation"]
        assert (ROOT / place["artifactLocation"]["uri"]).is_file() and place["region"]["startLine"] >= 1
        assert driver["rules"][result["ruleIndex"]]["id"] == result["ruleId"]
    # OASIS' own schema where WL_SARIF_SCHEMA names the file; a typed model of it where there is one (tools/nightly).
    if "WL_SARIF_SCHEMA" in os.environ:
        validate(log, json.loads(pathlib.Path(os.environ["WL_SARIF_SCHEMA"]).read_text()))
    if importlib.util.find_spec("sarif_pydantic"):
        from sarif_pydantic import Sarif
        Sarif.model_validate(log)


def test_findings_are_sarif_at_their_lines(tmp_path):
    log = sarif_of(tmp_path, "profile", *LAUNCH)
    check_sarif(log)
    result = log["runs"][0]["results"][0]
    place = result["locations"][0]["physicalLocation"]
    assert result["ruleId"] == "bank-conflicts"
    assert place == {"artifactLocation": {"uri": "examples/budgets/transpose.cu"}, "region": {"startLine": 17}}


def test_broken_budgets_are_sarif_at_their_lines(tmp_path):
    log = sarif_of(tmp_path, "check", "examples/budgets/planted.toml", "--only", "no conflicts", code=1)
    check_sarif(log)
    assert [result["ruleId"] for result in log["runs"][0]["results"]] == ["broken-limit"]


def test_kept_budgets_are_a_run_without_results(tmp_path):
    log = sarif_of(tmp_path, "check", "examples/budgets/transpose.toml")
    check_sarif(log)
    assert log["runs"][0]["results"] == []


def test_code_quality_and_summary_are_written(tmp_path):
    quality, summary = tmp_path / "gl.json", tmp_path / "summary.md"
    run("profile", *LAUNCH, "--codequality", str(quality), "--summary", str(summary))
    remarks = json.loads(quality.read_text())
    assert remarks[0]["check_name"] == "bank-conflicts" and remarks[0]["location"]["lines"]["begin"] == 17
    assert summary.read_text().startswith("### warpledger")
