#!/usr/bin/env python3
"""What the machine refuses is said in one line: a full disk, a read-only home, no cache folder, no /dev/shm.

full_disk_test.py WARPLEDGER   exit code 77: no namespace for mounts here
"""
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(sys.argv.pop(1)).absolute())
PROFILE = ["profile", str(ROOT / "examples/profile/matmul.ptx"), "--kernel", "matmul_naive", "--gpu", "rtx3090", "--regs", "40",
           "--no-sass", "--grid", "1,1", "--block", "16,16", "--arg", "f32[256]", "--arg", "f32[256]", "--arg", "f32[256]",
           "--arg", "i32:16", "--arg", "i32:16", "--arg", "i32:16"]
MOUNTS = ["unshare", "--user", "--map-root-user", "--mount", "sh", "-c"]


def can_mount() -> bool:
    return subprocess.run([*MOUNTS, "mount -t tmpfs none /mnt"], capture_output=True, check=False).returncode == 0


class Refused(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = folder.name

    def run_with(self, mount: str, *words: str, variables: str = "", code: int = 0) -> list[str]:
        """The lines of standard error."""
        command = f"{mount}; env -u WARPLEDGER_STORE -u WARPLEDGER_CODE -u XDG_CACHE_HOME {variables} " + \
            shlex.join([BINARY, *PROFILE, *words]) + " >out"
        done = subprocess.run([*MOUNTS, command], capture_output=True, text=True, cwd=self.at, check=False)
        self.assertEqual(done.returncode, code, done.stderr)
        return done.stderr.splitlines()

    def test_a_full_disk_for_the_store(self) -> None:
        [line] = self.run_with("mkdir h; mount -t tmpfs -o size=40k none h", variables=f"HOME={self.at}/h")
        self.assertRegex(line, "^cannot store the result of this run: .*disk is full")

    def test_a_full_disk_for_an_output_file(self) -> None:
        line, *rest = self.run_with("mkdir h; mount -t tmpfs -o size=4k none h", "--no-store", "--export", "h/p.json", code=2)
        self.assertEqual((line, rest), ("error: cannot write 'h/p.json': No space left on device [file-access]", []))

    def test_a_full_disk_for_standard_output(self) -> None:
        [line] = self.run_with("ln -s /dev/full out", "--no-store", code=2)
        self.assertEqual(line, "error: cannot write standard output; is the disk full? [file-access]")

    def test_a_full_disk_for_a_programs_report(self) -> None:
        command = f"mkdir h; mount -t tmpfs -o size=4k none h; echo x >h/x; TMPDIR={self.at}/h {BINARY} -q profile --gpu a100 /bin/true"
        done = subprocess.run([*MOUNTS, command], capture_output=True, text=True, cwd=self.at, check=False)
        if "cannot run programs" in done.stderr or "no-doors" in done.stderr:
            self.skipTest("no libraries")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"\Aerror: cannot write '[^\n]*': No space left on device \[file-access\]\n\Z")

    def test_a_home_that_is_read_only(self) -> None:
        [line] = self.run_with("mkdir h; mount -t tmpfs -o ro none h", variables=f"HOME={self.at}/h")
        self.assertRegex(line, "^cannot store the result of this run: .*Read-only file system")

    def test_a_cache_folder_that_is_missing_is_made(self) -> None:
        self.assertEqual(self.run_with("true", variables=f"HOME={self.at}/no/home"), [])
        self.assertTrue((pathlib.Path(self.at) / "no/home/.cache/warpledger").exists())

    def test_a_cache_folder_that_cannot_be_made(self) -> None:
        [line] = self.run_with("echo x >file", variables=f"HOME={self.at}/file")
        self.assertRegex(line, "^cannot store the result of this run: .*Not a directory")

    def test_shared_memory_is_not_needed(self) -> None:
        self.assertEqual(self.run_with("mount -t tmpfs -o ro none /dev/shm", "--no-store"), [])


if __name__ == "__main__":
    if not can_mount():
        sys.exit(77)
    unittest.main()
