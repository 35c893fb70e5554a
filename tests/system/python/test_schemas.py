"""Real outputs against docs/schema: each is what its schema says, and a damaged one is not."""
import copy
import json
import pathlib
import subprocess

import pytest

import warpledger

jsonschema = pytest.importorskip("jsonschema")  # nbclient brings it
ROOT = pathlib.Path(__file__).resolve().parents[3]
COMMAND = pathlib.Path(warpledger.__file__).with_name("_command")
TRANSPOSE = ["examples/budgets/transpose.ptx", "-k", "transpose_tiled", "--gpu", "a100", "--grid", "8,8", "--block", "32,32", "--regs", "16",
             "--no-sass", "--arg", "in=f32[256x256]:index", "--arg", "out=f32[256x256]", "--arg", "i32:256"]
RACE = ["examples/races/block_sum.ptx", "-k", "mean_and_variance", "--gpu", "a100", "--regs", "32", "--no-sass", "--grid", "1", "--block",
        "64", "--arg", "x=f32[768]:random", "--arg", "out=f32[4]", "--arg", "i32:768"]
ANSWERS = [["gpus"], ["gpus", "rtx3090"], ["occupancy", "--gpu", "rtx3090", "--block", "256", "--regs", "42"],
           ["layout", "show", "mma.m16n8k16.C.f32", "--where", "9,3"], ["plan", "examples/plans/gemm.plan"],
           ["tile", "cost", "tiles/attention_tile_naive.tile"], ["explain", "--rules"], ["doctor"]]


def run(*words, codes=(0,)):
    done = subprocess.run([COMMAND, "-q", *words], cwd=ROOT, text=True, capture_output=True)
    assert done.returncode in codes, done.stderr
    return done.stdout


def schema(name):
    found = json.loads((ROOT / f"docs/schema/{name}.json").read_text())
    jsonschema.Draft202012Validator.check_schema(found)
    return jsonschema.Draft202012Validator(found)


def assert_valid(name, value):
    errors = [f"{'/'.join(map(str, e.absolute_path))}: {e.message[:300]}" for e in schema(name).iter_errors(value)]
    assert not errors, "\n".join(errors[:5])


@pytest.fixture(scope="module")
def outputs(tmp_path_factory):
    """One real value for each schema."""
    folder = tmp_path_factory.mktemp("schemas")
    profile = json.loads(run("profile", *TRANSPOSE, "--json", "--report-json", str(folder / "report.json")))
    run("tile", "cost", "tiles/attention_tile_naive.tile", "--ledger", str(folder / "ledger.json"))
    return {"profile": profile, "explain": json.loads(run("explain", *TRANSPOSE, "--json")),
            "report": json.loads((folder / "report.json").read_text()), "ledger": json.loads((folder / "ledger.json").read_text()),
            "answer": json.loads(run("gpus", "--json"))}


def test_every_schema_is_listed_with_its_output(outputs):
    names = {path.stem for path in (ROOT / "docs/schema").glob("*.json")}
    assert names == {*outputs, "trace"}  # which takes a toolkit: trace_test.py
    page = (ROOT / "docs/schema/README.md").read_text()
    assert all(f"[{name}.json]({name}.json)" in page for name in names)


def test_outputs_are_what_their_schemas_say(outputs):
    for name, value in outputs.items():
        assert_valid(name, value)


def test_an_output_without_a_required_field_is_refused(outputs):
    for name, value in outputs.items():
        check = schema(name)
        for field in value:
            damaged = copy.deepcopy(value)
            del damaged[field]
            optional = name == "profile" and field in ("timing", "states", "no_states", "awaited", "machine")
            assert check.is_valid(damaged) == optional, f"{name} without {field}"


def test_another_schema_version_is_refused(outputs):
    for name, value in outputs.items():
        key = "schema" if name == "explain" else "schema_version"
        assert not schema(name).is_valid({**value, key: 2}), name


def test_a_metric_without_fidelity_is_refused(outputs):
    damaged = copy.deepcopy(outputs["profile"])
    del damaged["metrics"]["dram__bytes.sum"]["fidelity"]
    assert not schema("profile").is_valid(damaged)


def test_a_profile_with_a_race_is_what_its_schema_says():
    profile = json.loads(run("profile", *RACE, "--json", codes=(0, 1)))
    assert profile["races"]["found"]
    assert_valid("profile", profile)


def test_profiles_of_a_program_are_an_array(outputs):
    assert_valid("profile", [outputs["profile"], outputs["profile"]])


def test_a_ledger_with_formulas_is_what_its_schema_says(tmp_path):
    run("tile", "cost", "tiles/attention_naive.tile", "--ledger", str(tmp_path / "formulas.json"))
    ledger = json.loads((tmp_path / "formulas.json").read_text())
    assert any(isinstance(row["total_bytes"], str) for row in ledger["rows"])
    assert_valid("ledger", ledger)


@pytest.mark.parametrize("words", ANSWERS, ids=lambda words: words[0])
def test_answers_are_what_their_schema_says(words):
    answer = json.loads(run(*words, "--json", codes=(0, 1)))
    assert_valid("answer", answer)
    for table in answer["tables"]:
        for row in table["rows"]:
            numbers = {key for key, value in row.items() if isinstance(value, (int, float)) and not isinstance(value, bool)}
            said = row.get("fidelity", {})  # of each number, or of the row's only one
            assert isinstance(said, str) or numbers <= set(said), row
