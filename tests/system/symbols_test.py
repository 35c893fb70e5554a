"""tools/wheel-symbols: versions as binutils reads them, and a wheel that needs more than it says."""
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zipfile

from tool_module import load_tool

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = pathlib.Path(sys.argv.pop(1))


def tool():
    return load_tool("wheel-symbols")


class Symbols(unittest.TestCase):
    def files(self):
        libraries = [path for path in sorted((BINARY.parent / "../lib/warpledger").glob("lib*.so*")) if path.exists()]
        return [BINARY, *libraries[:4], pathlib.Path(sys.executable).resolve()]

    @unittest.skipUnless(shutil.which("objdump"), "no binutils")
    def test_versions_are_those_that_objdump_prints(self):
        for path in self.files():
            needs = subprocess.run(["objdump", "-p", path], capture_output=True, text=True, check=True).stdout
            expected = re.findall(r"0x[0-9a-f]+ 0x[0-9a-f]+ \d+ (\S+)", needs.partition("Version References:")[2])
            read = [version for versions in tool().needs_of(path.read_bytes()).values() for version in versions]
            self.assertEqual(sorted(read), sorted(expected), path)
            self.assertTrue(read, path)

    def test_the_loader_of_each_machine_is_glibc(self):
        for loader in ("ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"):
            self.assertTrue(tool().GLIBC.match(loader), loader)

    def check(self, name, *options):
        with tempfile.TemporaryDirectory() as folder:
            wheel = pathlib.Path(folder) / name
            with zipfile.ZipFile(wheel, "w") as file:
                file.write(BINARY, "warpledger/_command")
                file.writestr("warpledger/__init__.py", "")
            return subprocess.run([sys.executable, ROOT / "tools/wheel-symbols", wheel, *options], capture_output=True, text=True)

    def test_a_wheel_that_needs_more_than_its_name_says_is_refused(self):
        done = self.check("x-1-cp310-abi3-manylinux_2_5_x86_64.whl")
        self.assertEqual(done.returncode, 1)
        self.assertIn("_command needs GLIBC_2.", done.stdout)

    def test_a_wheel_that_needs_what_its_name_says_passes(self):
        done = self.check("x-1-cp310-abi3-manylinux_2_99_x86_64.whl")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertIn("1 files need nothing above glibc 2.99", done.stdout)

    @unittest.skipUnless(shutil.which("gcc"), "no compiler")
    def test_a_function_that_no_file_of_the_wheel_defines_is_named(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "a.c").write_text("void of_nobody(void);\nvoid of_b(void);\nvoid call(void) { of_nobody(); of_b(); }\n")
            (folder / "b.c").write_text("void of_b(void) {}\n")
            for letter in "ab":
                subprocess.run(["gcc", "-shared", "-fPIC", f"{letter}.c", "-o", f"{letter}.so"], cwd=folder, check=True)
            with zipfile.ZipFile(folder / "x-1-cp310-abi3-manylinux_2_99_x86_64.whl", "w") as file:
                for letter in "ab":
                    file.write(folder / f"{letter}.so", f"{letter}.so")
            done = subprocess.run([sys.executable, ROOT / "tools/wheel-symbols", folder / "x-1-cp310-abi3-manylinux_2_99_x86_64.whl"],
                                  capture_output=True, text=True)
            self.assertEqual(done.returncode, 1)
            self.assertEqual(done.stdout.splitlines()[-1], "a.so needs the symbol of_nobody, which neither the wheel nor glibc 2.99 defines")

    def test_versions_are_compared_as_numbers(self):
        self.assertGreater(tool().number_of("GLIBC_2.28"), tool().number_of("GLIBC_2.4"))
        self.assertGreater(tool().number_of("GLIBC_PRIVATE"), tool().number_of("GLIBC_2.99"))


if __name__ == "__main__":
    unittest.main()
