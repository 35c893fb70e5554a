#!/usr/bin/env python3
"""tools/wheel-pack: the same content is the same bytes, and pip takes it."""
import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
FILES = {"thing/__init__.py": "value = 42\n", "thing/run": "#!/bin/sh\n", "thing.libs/a,b.so": "x" * 5000,
         "thing-1.0.dist-info/METADATA": "Metadata-Version: 2.1\nName: thing\nVersion: 1.0\n",
         "thing-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: x\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
         "thing-1.0.dist-info/RECORD": "old\n"}


class Packed(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def pack(self, name: str, names: list[str], mode: int, when: int, epoch: str = "1700000000") -> pathlib.Path:
        tree = self.at / name
        for file in names:
            path = tree / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(FILES[file])
            path.chmod(mode | (0o111 if file.endswith("run") else 0))
            os.utime(path, (when, when))
        made = subprocess.run([ROOT / "tools/wheel-pack", tree, self.at / f"{name}-out"], check=True, capture_output=True, text=True,
                              env={**os.environ, "SOURCE_DATE_EPOCH": epoch})
        return pathlib.Path(made.stdout.strip())

    def test_same_content_is_the_same_bytes(self) -> None:
        first = self.pack("one", list(FILES), 0o644, 1_600_000_000)
        second = self.pack("two", list(reversed(FILES)), 0o600, 1_750_000_000)
        self.assertEqual(first.name, "thing-1.0-py3-none-any.whl")
        self.assertEqual(first.read_bytes(), second.read_bytes())
        self.assertNotEqual(first.read_bytes(), self.pack("three", list(FILES), 0o644, 0, epoch="1800000000").read_bytes())

    @unittest.skipUnless(importlib.util.find_spec("pip"), "no pip")
    def test_it_can_be_installed(self) -> None:
        wheel = self.pack("one", list(FILES), 0o644, 0)
        with zipfile.ZipFile(wheel) as packed:
            self.assertIsNone(packed.testzip())
            self.assertEqual(packed.getinfo("thing/run").external_attr >> 16 & 0o777, 0o755)
        # pip checks RECORD.
        subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", self.at / "to", wheel],
                       check=True)
        told = subprocess.run([sys.executable, "-c", "import thing; print(thing.value)"], cwd=self.at / "to", check=True,
                              capture_output=True, text=True)
        self.assertEqual(told.stdout, "42\n")


if __name__ == "__main__":
    unittest.main()
