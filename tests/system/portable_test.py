#!/usr/bin/env python3
"""The build without the drop-in CUDA libraries, as a system that is not Linux has it.   portable_test.py [--all]

Configures with WARPLEDGER_PROGRAMS=OFF and compiles what differs; --all builds the command and tries it (tools/nightly). And
cmake/linux_only.txt names every file outside interpose/ that calls what only Linux, or only x86, has.
"""
import json
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
LINUX_ONLY = re.compile(r"\b(prctl|pipe2|dl_iterate_phdr|getauxval|sigtimedwait|sigwaitinfo|memfd_create|gettid)\s*\(|LD_PRELOAD\"|"
                        r"MADV_(HUGEPAGE|DONTNEED)|MAP_NORESERVE|/proc/self|<(elf|link|immintrin|sys/prctl|sys/auxv)\.h>|"
                        r"__builtin_cpu_supports")
# The same name with another branch for other systems.
GUARDED = {"cli/terminal/own_process.cpp"}
DIFFERING = ["cli/commands/program_none.cpp", "cli/terminal/own_process.cpp"]


def check_list():
    listed = {line for line in (ROOT / "cmake/linux_only.txt").read_text().splitlines() if not line.startswith("#")}
    used = set()
    for folder in ["warpledger", "cli", "python/src", "examples/studies"]:
        for path in (ROOT / folder).rglob("*"):
            if path.suffix in (".cpp", ".h") and LINUX_ONLY.search(path.read_text()):
                used.add(str(path.relative_to(ROOT)))
    used -= GUARDED
    wrong = [f"{name} calls what only Linux has: guard it, or add it to cmake/linux_only.txt" for name in sorted(used - listed)]
    return wrong + [f"cmake/linux_only.txt names {name}, which calls nothing of that kind" for name in sorted(listed - used)]


def run(*command, **where):
    done = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **where)
    if done.returncode:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout[-4000:]}")
    return done.stdout


def check_command(binary):
    for words in [["gpus"], ["doctor", "--json"], ["layout", "show", "mma.m16n8k16.C.f32", "--where", "9,3"]]:
        run(binary, *words)
    with tempfile.TemporaryDirectory() as folder:
        run(binary, "demo", folder, "--ptx")
    refused = subprocess.run([binary, "profile", "--", "/bin/true"], text=True, capture_output=True)
    if refused.returncode != 2 or "cannot run programs" not in refused.stderr:
        sys.exit(f"a program is not refused: {refused.stderr}")


def compile_alone(build, source):
    """As the build compiles it, without the libraries that its program waits for."""
    known = {entry["file"]: entry for entry in json.loads((build / "compile_commands.json").read_text())}
    entry = known[str(ROOT / source)]
    run(*shlex.split(entry["command"]), "-fsyntax-only", cwd=entry["directory"])


def main():
    build = ROOT / "build/portable"  # as deep as other builds: ccache knows the files
    wrong = check_list()
    if wrong:
        sys.exit("\n".join(wrong))
    run("cmake", "--preset", "portable", cwd=ROOT)
    if "interpose/" in (build / "build.ninja").read_text():
        sys.exit("the build has parts of interpose/")
    for source in DIFFERING:
        compile_alone(build, source)
    if "--all" in sys.argv:
        run("cmake", "--build", build, "-j", "2", "--target", "warpledger")
        check_command(build / "cli/warpledger")
    print("portable")


if __name__ == "__main__":
    main()
