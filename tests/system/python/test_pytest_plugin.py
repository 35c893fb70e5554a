"""The pytest plugin, in the sample project as a user would have it."""
import pathlib
import shutil

import pytest

SAMPLE = pathlib.Path(__file__).with_name("sample_project")


@pytest.fixture
def project(pytester):
    shutil.copytree(SAMPLE, pytester.path, dirs_exist_ok=True)
    return pytester


def test_the_sample_project_passes_with_its_baselines(project):
    project.runpytest_subprocess("-p", "no:cacheprovider").assert_outcomes(passed=3)


def test_a_missing_baseline_fails_and_says_how_to_write_it(project):
    shutil.rmtree(project.path / "warpledger_baselines")
    result = project.runpytest_subprocess("-k", "baseline")
    result.assert_outcomes(failed=1, deselected=2)
    result.stdout.fnmatch_lines(["*--warpledger-update writes it*"])


def test_update_writes_what_then_passes(project):
    original = (project.path / "warpledger_baselines/test_transpose/test_bytes_stay_as_the_baseline_says.json")
    wanted = original.read_text()
    shutil.rmtree(project.path / "warpledger_baselines")
    project.runpytest_subprocess("--warpledger-update").assert_outcomes(passed=3)
    assert original.read_text() == wanted
    project.runpytest_subprocess().assert_outcomes(passed=3)


def test_a_kernel_that_changed_fails_with_both_numbers(project):
    path = project.path / "test_transpose.py"
    path.write_text(path.read_text().replace("TILE = 33", "TILE = 32"))
    result = project.runpytest_subprocess()
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*bank conflicts (exact)*"])
    result.stdout.fnmatch_lines(["*l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum: 0 -> 992 *"])  # 32 x 31
