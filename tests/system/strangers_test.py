#!/usr/bin/env python3
"""From nothing to the README's first answer, by the README's own lines, in a clean Debian 12 and in a clean venv.

strangers_test.py [--deb FILE] [--wheel FILE] [--root FOLDER]

The Debian root is FOLDER, made by debootstrap when it is not there (root's rights are needed). The lines are those of the
README's section «Install» that name the package; the first ```console block must then print what the README shows.
"""
import argparse
import difflib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
PLAIN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb",
         "DEBIAN_FRONTEND": "noninteractive", "HOME": "/stranger"}


def install_lines(word):
    """The lines of the one block under «Install» that holds `word`."""
    section = README.split("## Install\n", 1)[1].split("\n## ", 1)[0]
    (block,) = [b for b in re.findall(r"^```\n(.*?)^```$", section, flags=re.M | re.S) if word in b]
    return block.splitlines()


def first_example():
    block = re.search(r"^```console\n\$ (.*?)^```$", README, flags=re.M | re.S).group(1)
    command, printed = block.split("\n", 1)
    return command, printed


def furnish(folder, package):
    """What a stranger has: the package and the examples, not the sources."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copy(package, folder)
    shutil.copytree(ROOT / "examples", folder / "examples", dirs_exist_ok=True)


def run(command, line, **where):
    print(f"  $ {line}", flush=True)
    done = subprocess.run([*command, line], text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, **where)
    if done.returncode:
        sys.exit(f"{done.stdout[-3000:]}\ncode {done.returncode}")
    return done.stdout


def judge(place, printed):
    _, expected = first_example()
    if printed == expected:
        return print(f"{place}: the README's example prints what the README shows")
    sys.exit("".join(difflib.unified_diff(expected.splitlines(True), printed.splitlines(True), "README", place)))


def in_debian(package, root):
    if not (root / "usr/bin/apt-get").exists():
        subprocess.run(["debootstrap", "--variant=minbase", "bookworm", str(root)], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(root / "stranger", ignore_errors=True)
    furnish(root / "stranger", package)
    shutil.copy("/etc/resolv.conf", root / "etc/resolv.conf")
    shell = ["chroot", str(root), "/bin/bash", "-c"]
    subprocess.run(["mount", "-t", "proc", "proc", str(root / "proc")], check=True)  # as every Debian has it
    try:
        for line in install_lines(".deb"):
            run(shell, f"cd /stranger && {line}", env=PLAIN)
        judge("Debian 12", run(shell, f"cd /stranger && {first_example()[0]}", env=PLAIN))
    finally:
        subprocess.run(["umount", str(root / "proc")], check=True)


def in_venv(package):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        furnish(folder, package)
        pip = {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}
        env = PLAIN | pip | {"HOME": name}
        for line in install_lines(".whl"):
            run(["/bin/bash", "-c"], line, env=env, cwd=folder)
        env["PATH"] = f"{folder / 'venv/bin'}:{env['PATH']}"
        judge("venv", run(["/bin/bash", "-c"], first_example()[0], env=env, cwd=folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deb", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--root", type=pathlib.Path, default=ROOT / "build/debian")
    options = parser.parse_args()
    if options.deb:
        in_debian(options.deb, options.root)
    if options.wheel:
        in_venv(options.wheel)


if __name__ == "__main__":
    main()
