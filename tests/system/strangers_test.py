#!/usr/bin/env python3
"""From nothing to the README's first answer, by the README's own lines, in a clean Debian 12 and in a clean venv.

strangers_test.py [--deb FILE] [--wheel FILE] [--roots FOLDER] [--suites bookworm,trixie,jammy,noble,focal] [--arm64]

The package is tried in Debian 12, the wheel in a venv here and in one of each suite, of Debian or Ubuntu. The roots are made in
FOLDER by debootstrap when they are not there (root's rights are needed). The lines are those of the README's section «Install» that
name the package; the first ```console block must then print what the README shows. Where a suite's Python is older than 3.10 (focal),
the wheel's command is unpacked and run without it. --arm64: the wheel and the suites are of that machine, under qemu-user
(docs/decisions/019-arm64.md), and no venv here; qemu-user filters no system calls, so there the example is told --no-isolation.
"""
import argparse
import difflib
import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text()
MACHINE = platform.machine()
DEBIAN, UBUNTU = "http://deb.debian.org/debian", "http://archive.ubuntu.com/ubuntu"
MIRRORS = {"bookworm": DEBIAN, "trixie": DEBIAN, "focal": UBUNTU, "jammy": UBUNTU, "noble": UBUNTU}
PLAIN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8", "TERM": "dumb",
         "DEBIAN_FRONTEND": "noninteractive", "HOME": "/stranger"}


def install_lines(word, machine=MACHINE):
    """The lines of the one block under «Install» that holds `word`, with the name of the machine's wheel."""
    section = README.split("## Install\n", 1)[1].split("\n## ", 1)[0]
    (block,) = [b for b in re.findall(r"^```\n(.*?)^```$", section, flags=re.M | re.S) if word in b]
    return block.replace("x86_64", machine).splitlines()


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


class Root:
    """The bare root file system of a Debian or Ubuntu suite, with a shell in it."""

    chroot = ("chroot",)
    machine = MACHINE

    def __init__(self, folder, suite):
        self.path = folder / self.name_of(suite)
        if not self.is_made():
            self.make(suite, [])
        self.take("etc/resolv.conf")

    def name_of(self, suite):
        return suite

    def is_made(self):
        return (self.path / "usr/bin/apt-get").exists()

    def make(self, suite, words):
        # The other distribution's key is not here, and nothing of these roots leaves the test. Ubuntu has python3-venv in universe.
        words = [*words, "--components=main,universe"] if MIRRORS[suite] == UBUNTU else words
        subprocess.run(["debootstrap", "--variant=minbase", "--no-check-gpg", *words, suite, str(self.path), MIRRORS[suite]],
                       check=True, stdout=subprocess.DEVNULL)

    def take(self, file):
        """This machine's way to the network."""
        shutil.copy(f"/{file}", self.path / file)

    def __enter__(self):
        subprocess.run(["mount", "-t", "proc", "proc", str(self.path / "proc")], check=True)  # as every system has it
        return self

    def __exit__(self, *_):
        subprocess.run(["umount", str(self.path / "proc")], check=True)

    def stranger(self, package):
        shutil.rmtree(self.path / "stranger", ignore_errors=True)
        furnish(self.path / "stranger", package)

    def run(self, line, env):
        return run([*self.chroot, str(self.path), "/bin/bash", "-c"], f"cd /stranger && {line}", env=env)

    def example(self):
        return first_example()[0]


class Arm64Root(Root):
    """The same for arm64, its programs under qemu-user."""

    chroot = (str(ROOT / "tools/with-arm64"), "chroot")
    machine = "aarch64"

    def name_of(self, suite):
        return f"{suite}-arm64"

    def is_made(self):
        return super().is_made() and not (self.path / "debootstrap").exists()

    def make(self, suite, words):
        """debootstrap's second half runs programs of the root, in a namespace that may make no devices: the first half made them."""
        shutil.rmtree(self.path, ignore_errors=True)
        super().make(suite, [*words, "--foreign", "--arch=arm64"])
        functions = self.path / "debootstrap/functions"
        functions.write_text(functions.read_text().replace("check_sane_mount () {", "check_sane_mount () {\n\treturn 0"))
        with self:
            subprocess.run([*self.chroot, str(self.path), "/debootstrap/debootstrap", "--second-stage"], check=True,
                           stdout=subprocess.DEVNULL, env=PLAIN)

    def example(self):
        return super().example().replace("warpledger profile", "warpledger profile --no-isolation", 1)


def in_debian(package, roots):
    with Root(roots, "bookworm") as root:
        root.stranger(package)
        for line in install_lines(".deb"):
            root.run(line, PLAIN)
        judge("Debian 12", root.run(first_example()[0], PLAIN))


def pip_env():
    return {key: value for key, value in os.environ.items() if key.startswith(("PIP_", "SSL_"))}


def in_suite(package, root, suite):
    with root:
        root.stranger(package)
        root.run("apt-get update && apt-get install -y --no-install-recommends ca-certificates python3-venv", PLAIN)
        root.take("etc/ssl/certs/ca-certificates.crt")
        env = PLAIN | pip_env()
        if root.run("python3 -c 'import sys; print(sys.version_info >= (3, 10))'", env).strip() == "True":
            for line in install_lines(".whl", root.machine):
                root.run(line, env)
            env["PATH"] = f"/stranger/venv/bin:{env['PATH']}"
        else:
            root.run(f"python3 -m zipfile -e {package.name} . && ln -s _command warpledger/warpledger && chmod +x warpledger/_command", env)
            env["PATH"] = f"/stranger/warpledger:{env['PATH']}"
        place = f"{suite}, {root.run('uname -m', env).strip()}, {root.run('ldd --version', env).splitlines()[0]}"
        judge(place, root.run(root.example(), env))


def in_venv(package):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        furnish(folder, package)
        env = PLAIN | pip_env() | {"HOME": name}
        for line in install_lines(".whl"):
            run(["/bin/bash", "-c"], line, env=env, cwd=folder)
        env["PATH"] = f"{folder / 'venv/bin'}:{env['PATH']}"
        judge("venv", run(["/bin/bash", "-c"], first_example()[0], env=env, cwd=folder))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deb", type=pathlib.Path)
    parser.add_argument("--wheel", type=pathlib.Path)
    parser.add_argument("--roots", type=pathlib.Path, default=ROOT / "build/roots")
    parser.add_argument("--suites", type=lambda words: words.split(","), default=[])
    parser.add_argument("--arm64", action="store_true")
    options = parser.parse_args()
    if options.deb:
        in_debian(options.deb, options.roots)
    if options.wheel and not options.arm64:
        in_venv(options.wheel)
    for suite in options.suites:
        in_suite(options.wheel, (Arm64Root if options.arm64 else Root)(options.roots, suite), suite)


if __name__ == "__main__":
    main()
