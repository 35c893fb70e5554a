#!/usr/bin/env python3
"""Installs a build into a folder, builds a project that finds it there, and runs both:  run.py BUILD_FOLDER"""
import pathlib
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def run(*command):
    done = subprocess.run([str(word) for word in command], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def main():
    build = pathlib.Path(sys.argv[1]).resolve()
    with tempfile.TemporaryDirectory(prefix="warpledger-consumer-") as name:
        folder = pathlib.Path(name)
        for component in ("command", "library", "Unspecified"):
            run("cmake", "--install", build, "--prefix", folder / "prefix", "--component", component)
        prefix = folder / "prefix"
        assert "gpus" in run(prefix / "bin/warpledger", "--help")
        assert (prefix / "share/man/man1/warpledger.1").read_text().startswith(".TH WARPLEDGER 1")
        assert "_warpledger" in (prefix / "share/bash-completion/completions/warpledger").read_text()
        shown = run(prefix / "bin/warpledger", "--version", "--verbose")
        assert "revision" in shown and "compiler" in shown, shown
        jit = [line for line in shown.splitlines() if line.strip().startswith("JIT")]
        assert "none" in shown or str(prefix) in jit[0], shown
        shutil.copytree(HERE, folder / "source")
        run("cmake", "-S", folder / "source", "-B", folder / "build", f"-DCMAKE_PREFIX_PATH={prefix}")
        run("cmake", "--build", folder / "build")
        said = run(folder / "build/consumer")
        assert said == "6 blocks per SM\n", said
    print("installed, found, linked and run")


if __name__ == "__main__":
    main()
