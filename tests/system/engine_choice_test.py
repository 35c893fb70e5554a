"""`warpledger run` with and without its compiler: which engine runs, what it says, what it loads.

    engine_choice_test.py BINARY [FOLDER OF libwarpledger_jit.so, absent when it was not built]
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

BINARY = pathlib.Path(sys.argv.pop(1)).resolve()
PLUGINS = pathlib.Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else None
LIBRARY = "libwarpledger_jit.so"
KERNEL = """.version 8.0
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 x) {
  .reg .b32 %r<3>; .reg .b64 %rd<3>;
  ld.param.u64 %rd0, [x];
  mov.u32 %r0, %tid.x;
  mul.wide.u32 %rd1, %r0, 4;
  add.s64 %rd2, %rd0, %rd1;
  add.u32 %r1, %r0, %r0;
  st.global.u32 [%rd2], %r1;
  ret;
}
"""


class Runner(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "k.ptx").write_text(KERNEL)

    def run_kernel(self, *words, binary=BINARY, **env):
        env = {**os.environ, "WARPLEDGER_CODE": str(self.folder / "code"), **env}
        return subprocess.run([binary, "run", self.folder / "k.ptx", "--kernel", "twice", "--grid", "1", "--block",
                               "32", "--arg", "x=u32[32]:zero", "--check", "x=2*i", *words],
                              capture_output=True, text=True, env=env, check=False)

    def alone(self):
        """The command copied to where no library is near."""
        (self.folder / "bin").mkdir()
        return shutil.copy(BINARY, self.folder / "bin/warpledger")


class NotCompiled(Runner):
    def test_without_its_library_it_interprets_and_says_why(self):
        result = self.run_kernel(binary=self.alone())
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("interpreted", result.stdout)
        self.assertIn(f"cannot find the compiler plugin {LIBRARY}", result.stderr)

    def test_without_its_library_jit_is_an_error_that_says_where_it_looked(self):
        result = self.run_kernel("--engine", "jit", binary=self.alone())
        self.assertEqual(result.returncode, 2)
        self.assertIn("[no-jit]", result.stderr)
        self.assertIn(str(self.folder / "lib/warpledger"), result.stderr)

    def test_what_is_not_the_library_is_refused(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        (plugins / LIBRARY).write_text("not a library")
        result = self.run_kernel(WARPLEDGER_PLUGINS=str(plugins))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("cannot load the compiler", result.stderr)

    @unittest.skipUnless(shutil.which("cc"), "no C compiler")
    def test_a_library_of_another_version_is_refused(self):
        plugins = self.folder / "plugins"
        plugins.mkdir()
        source = self.folder / "other.c"
        source.write_text('const char* wl_jit_version(void) { return "0"; } void wl_jit_open(void) {}')
        subprocess.run(["cc", "-shared", "-fPIC", "-o", plugins / LIBRARY, source], check=True)
        result = self.run_kernel(WARPLEDGER_PLUGINS=str(plugins))
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("belongs to another version of warpledger", result.stderr)
        self.assertIn("interpreted", result.stdout)


@unittest.skipUnless(PLUGINS, "built without LLVM")
class Compiled(Runner):
    def test_a_launch_is_compiled(self):
        result = self.run_kernel()
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("compiled to native code", result.stdout)

    def test_the_interpreter_can_be_asked_for(self):
        result = self.run_kernel("--engine", "reference")
        self.assertEqual((result.returncode, result.stderr), (0, ""))
        self.assertIn("interpreted", result.stdout)
        self.assertFalse((self.folder / "code").exists())

    def test_the_library_is_found_where_an_installation_has_it(self):
        binary = self.alone()
        (self.folder / "lib/warpledger").mkdir(parents=True)
        shutil.copy(PLUGINS / LIBRARY, self.folder / "lib/warpledger")
        result = self.run_kernel("--engine", "jit", binary=binary)
        self.assertEqual((result.returncode, result.stderr), (0, ""))

    def test_the_second_run_loads_neither_the_library_nor_llvm(self):
        self.assertIn("libLLVM", self.run_kernel("--engine", "jit", "--no-isolation", LD_DEBUG="files").stderr)
        again = self.run_kernel("--engine", "jit", "--no-isolation", LD_DEBUG="files")
        self.assertIn("compiled to native code", again.stdout)
        self.assertNotIn("libLLVM", again.stderr)
        self.assertNotIn(LIBRARY, again.stderr)

    def test_other_commands_load_nothing_of_it(self):
        result = subprocess.run([BINARY, "layout", "show", "wmma.m16n16k16.C.f32", "--arch", "sm_90"], text=True,
                                capture_output=True, check=True, env={**os.environ, "LD_DEBUG": "files"})
        self.assertIn("libc.so", result.stderr)  # what is loaded is listed there
        self.assertNotIn("LLVM", result.stderr)


if __name__ == "__main__":
    unittest.main()
