#!/usr/bin/env python3
"""Installs a build into a folder, builds a project that finds it there, and runs both:  run.py BUILD_FOLDER

The installed headers are the public ones (cmake/public_headers.txt) and what they include: each compiles alone, none
includes what is not installed, and nothing else is there."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PUBLIC = ROOT / "cmake/public_headers.txt"
INCLUDE = re.compile(r'^\s*#\s*include\s*"([^"]+)"', re.M)


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(build, prefix):
    for component in ("command", "library", "Unspecified"):
        run("cmake", "--install", build, "--prefix", prefix, "--component", component)


def check_command(prefix):
    assert "gpus" in run(prefix / "bin/warpledger", "--help")
    assert (prefix / "share/man/man1/warpledger.1").read_text().startswith(".TH WARPLEDGER 1")
    assert "_warpledger" in (prefix / "share/bash-completion/completions/warpledger").read_text()
    shown = run(prefix / "bin/warpledger", "--version", "--verbose")
    assert "revision" in shown and "compiler" in shown, shown
    jit = [line for line in shown.splitlines() if line.strip().startswith("JIT")]
    assert "none" in shown or str(prefix) in jit[0], shown


def check_headers(include):
    """Checks that the installed headers are the public ones and what those include, and nothing else."""
    installed = {str(p.relative_to(include)): p.read_text() for p in (include / "warpledger").rglob("*") if p.is_file()}
    public = {line.strip() for line in PUBLIC.read_text().splitlines() if line.startswith("warpledger/")}
    included = {name for text in installed.values() for name in INCLUDE.findall(text)}
    assert public <= installed.keys(), f"public, not installed: {sorted(public - installed.keys())}"
    assert included <= installed.keys(), f"included, not installed: {sorted(included - installed.keys())}"
    assert installed.keys() <= public | included, f"of the inside: {sorted(installed.keys() - public - included)}"
    inside = [name for name in installed if re.match(r"warpledger/(exec/jit|cuda|interpose)/", name)]
    assert not inside, f"of the inside: {inside}"


def check_programs(prefix, folder):
    shutil.copytree(HERE, folder / "source")
    run("cmake", "-S", folder / "source", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
        f"-DEXAMPLE={ROOT / 'examples/cpp'}", f"-DPUBLIC_HEADERS={PUBLIC}")
    run("cmake", "--build", folder / "build", "--parallel", "2")
    said = run(folder / "build/consumer")
    assert said == "6 blocks per SM\n", said
    said = run(folder / "build/dram_bytes", ROOT / "examples/profile/matmul.ptx")
    assert re.match(r"dram__bytes_read\.sum: \d+ byte \(modeled\)\ndram__bytes_write\.sum: \d+ byte \(modeled\)\n\S+: .",
                    said), said


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="warpledger-consumer-") as name:
        folder = pathlib.Path(name)
        install(build, folder / "prefix")
        check_command(folder / "prefix")
        check_headers(folder / "prefix/include")
        check_programs(folder / "prefix", folder)
    print("installed, found, linked and run")


if __name__ == "__main__":
    main()
