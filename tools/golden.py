#!/usr/bin/env python3
"""Golden tests: byte-exact files that hold a command, its input and its output.

    tools/golden.py --binary build/dev/cli/warpledger [--update] [FILTER ...]
    tools/golden.py --binary ... --docs README.md docs/*.md [--update]

A case is tests/golden/<topic>/<case>.test:

    --- file a.json      a file in the working folder (any number of them)
    --- run              the command lines, run by bash
    --- exit 1           the exit code, 0 when absent
    --- stdout           what is printed, to the byte
    --- stderr           the same; nothing may be printed there when absent

With --docs, every ```console block of a document is run again: lines that start with "$ " are
commands, what follows them is their output (both streams). All commands of one document share a
working folder, so that a later one finds what an earlier one wrote.
"""
import argparse
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
LINKED = ["gpus", "tiles", "plans", "kernels", "examples"]
TIMEOUT_SECONDS = 600


def working_folder(stack):
    folder = pathlib.Path(stack.name)
    for name in LINKED:
        if (ROOT / name).exists():
            (folder / name).symlink_to(ROOT / name)
    return folder


def environment(binary):
    env = {"PATH": f"{binary.parent}:{os.environ['PATH']}", "HOME": os.environ.get("HOME", "/"),
           "LC_ALL": "C.UTF-8", "TERM": "dumb",
           "WARPLEDGER_STORE": "store/kept.sqlite"}  # in the working folder: no answer from before
    for name in ("CUDA_HOME", "LD_LIBRARY_PATH", "ASAN_OPTIONS", "LSAN_OPTIONS", "UBSAN_OPTIONS"):
        if name in os.environ:
            env[name] = os.environ[name]
    return env


def shell(command, folder, env, merge=False):
    return subprocess.run(["bash", "-c", command], cwd=folder, env=env, text=True,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT if merge else subprocess.PIPE,
                          timeout=TIMEOUT_SECONDS)


def difference(name, expected, actual):
    import difflib
    lines = difflib.unified_diff(expected.splitlines(True), actual.splitlines(True),
                                 f"{name} expected", f"{name} actual")
    return "".join(line if line.endswith("\n") else line + "\n\\ no newline at end\n" for line in lines)


def parse_case(text):
    """[(heading, body)] in order."""
    parts = re.split(r"^--- (file \S+|run|exit \d+|stdout|stderr)\n", text, flags=re.M)
    return list(zip(parts[1::2], parts[2::2]))


def actual_case(sections, binary):
    """The same sections with what the command really prints."""
    with tempfile.TemporaryDirectory() as name:
        stack = type("Folder", (), {"name": name})
        folder = working_folder(stack)
        inputs = [s for s in sections if s[0].startswith("file ") or s[0] == "run"]
        for heading, body in inputs:
            if heading.startswith("file "):
                path = folder / heading[5:]
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(body)
        result = shell(dict(sections)["run"], folder, environment(binary))
    outputs = [(f"exit {result.returncode}", "")] if result.returncode else []
    outputs.append(("stdout", result.stdout))
    if result.stderr:
        outputs.append(("stderr", result.stderr))
    return inputs + outputs


def case_text(sections):
    return "".join(f"--- {heading}\n{body}" for heading, body in sections)


def check_case(path, binary, update):
    expected = path.read_text()
    actual = case_text(actual_case(parse_case(expected), binary))
    if actual == expected:
        return True
    if update:
        path.write_text(actual)
        print(f"updated {path.relative_to(ROOT)}")
        return True
    print(f"FAILED {path.relative_to(ROOT)}\n{difference(path.name, expected, actual)}")
    return False


def rerun_block(block, folder, env):
    """The block with the output of its commands replaced by what they print now."""
    lines = block.splitlines()
    text, i = "", 0
    while i < len(lines):
        command = lines[i][2:]
        text += lines[i] + "\n"
        i += 1
        while command.endswith("\\") and i < len(lines):
            command += "\n" + lines[i]
            text += lines[i] + "\n"
            i += 1
        text += shell(command, folder, env, merge=True).stdout
        while i < len(lines) and not lines[i].startswith("$ "):
            i += 1
    return text


def check_document(path, binary, update):
    expected = path.read_text()
    with tempfile.TemporaryDirectory() as name:
        folder = working_folder(type("Folder", (), {"name": name}))
        env = environment(binary)
        actual = re.sub(r"^```console\n(\$ .*?)^```$",
                        lambda m: "```console\n" + rerun_block(m.group(1), folder, env) + "```",
                        expected, flags=re.M | re.S)
    if actual == expected:
        return True
    if update:
        path.write_text(actual)
        print(f"updated {path}")
        return True
    print(f"FAILED {path}\n{difference(path.name, expected, actual)}")
    return False


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--binary", type=pathlib.Path, default=ROOT / "build/dev/cli/warpledger")
    parser.add_argument("--update", action="store_true")
    parser.add_argument("--docs", nargs="+", type=pathlib.Path)
    parser.add_argument("filters", nargs="*")
    args = parser.parse_args()
    binary = args.binary.resolve()
    if args.docs:
        outcomes = [check_document(path, binary, args.update) for path in args.docs]
    else:
        paths = sorted((ROOT / "tests/golden").rglob("*.test"))
        chosen = [p for p in paths if not args.filters or any(f in str(p) for f in args.filters)]
        outcomes = [check_case(path, binary, args.update) for path in chosen]
    print(f"{sum(outcomes)} passed, {len(outcomes) - sum(outcomes)} failed")
    return 0 if all(outcomes) and outcomes else 1


if __name__ == "__main__":
    sys.exit(main())
