#!/usr/bin/env python3
"""tools/same-numbers: a binary equals itself, one changed digit is seen, a changed label is excepted.

    same_numbers_test.py BINARY
"""
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))
from sameness import compare_json, compare_text  # noqa: E402

CASE = "tests/golden/profile/strided.test"


def compared(old, edit, folder):
    """The exit code and the output, where the new binary's output goes through sed."""
    wrapper = pathlib.Path(folder) / "edited"
    wrapper.write_text(f"#!/bin/bash\nset -o pipefail\n{old} \"$@\" | sed '{edit}'\n")
    wrapper.chmod(0o755)
    command = [sys.executable, str(ROOT / "tools/same-numbers"), old, str(wrapper), CASE, "--folder", folder]
    done = subprocess.run(command, capture_output=True, text=True)
    return done.returncode, done.stdout + done.stderr


def check(condition, text):
    if not condition:
        sys.exit(f"FAILED {text}")


def check_comparison():
    check(compare_json({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}) == [], "equal values differ")
    check(compare_json({"a": [1, {"b": 2}]}, {"a": [1, {"b": 3}]}) == [(None, ".a[1].b", "2", "3")], "path of a number")
    check(compare_json(1, 1.0) and compare_json(True, 1) and compare_json(0, None), "kinds of values")
    check(compare_json({"a": 1}, {})[0] == (None, ".a", "1", "absent"), "a missing key")
    check(compare_json([1, 2], [1])[0][0] is None, "a shorter list")
    check(compare_json({"unit": "KB"}, {"unit": "MB"})[0][0] is None, "a unit is not words")
    check(compare_json({"fidelity": "measured"}, {"fidelity": "exact"})[0][0] == "fidelity", "a label")
    check(compare_json({"fidelity": "exact", "value": 1}, {"fidelity": "exact", "value": 2})[0][0] is None, "its value")
    check(compare_text("read 5 bytes", "reads 5 bytes", "")[0][0] == "words", "words")
    check(compare_text("read 5 KB", "read 5 MB", "")[0][0] is None, "a unit in a text")
    check(compare_text("5~ 6", "5 7", "out") == [(None, "out line 1 (5~ 6)", "6", "7")], "a number in a text")


def check_binaries(binary):
    with tempfile.TemporaryDirectory() as folder:
        code, text = compared(binary, "", folder)
        check(code == 0 and "1 cases the same, 0 different" in text, f"a binary against itself:\n{text}")
        code, text = compared(binary, '/"dram__bytes_read.sum"/{n;s/[0-9]/9/}', folder)
        check(code == 1 and "dram__bytes_read.sum.value: 262144 -> 962144" in text, f"one digit:\n{text}")
        code, text = compared(binary, 's/"modeled"/"exact"/', folder)
        check(code == 0 and "excepted, fidelity" in text, f"a label:\n{text}")


def main():
    check_comparison()
    check_binaries(sys.argv[1])
    print("same-numbers notices a digit, not a label")


if __name__ == "__main__":
    main()
