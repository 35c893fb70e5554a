"""Kernels in the sandbox: the same answers as without it, and the messages of failures.

    isolation_test.py WARPLEDGER [--cost]     --cost: what isolation costs, measured
"""
import os
import pathlib
import resource
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BINARY = str(pathlib.Path(sys.argv.pop(1)).absolute())
COST = "--cost" in sys.argv
if COST:
    sys.argv.remove("--cost")


def matmul(size: int) -> list[str]:
    blocks = size // 16
    return [str(ROOT / "examples/profile/matmul.ptx"), "--kernel", "matmul_naive", "--grid", f"{blocks},{blocks}", "--block", "16,16",
            "--arg", f"A=f32[{size}x{size}]:random", "--arg", f"B=f32[{size}x{size}]:random", "--arg", f"C=f32[{size}x{size}]",
            "--arg", f"i32:{size}", "--arg", f"i32:{size}", "--arg", f"i32:{size}"]


MODEL = ["--gpu", "rtx3090", "--regs", "40", "--no-sass", "--no-store"]


def run(*words: str, code: int = 0) -> subprocess.CompletedProcess:
    done = subprocess.run([BINARY, *words], capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL)
    if done.returncode != code:
        raise AssertionError(f"code {done.returncode}: {done.stderr}")
    return done


class Same(unittest.TestCase):
    def same(self, *words: str, code: int = 0) -> subprocess.CompletedProcess:
        isolated, open_ = run(*words, code=code), run(*words, "--no-isolation", code=code)
        self.assertEqual(isolated.stdout, open_.stdout)
        self.assertEqual(isolated.stderr, open_.stderr)
        return isolated

    def test_profiles_are_the_same(self) -> None:
        for more in (["--json"], [], ["--page", "raw", "--csv"], ["--band"], ["--cache-control", "none"], ["--engine", "reference"],
                     ["--trace-cache", "line=matmul.cu:11"], ["--racecheck"], ["--values", "on"]):
            with self.subTest(more=more):
                self.same("profile", *matmul(64), *MODEL, *more)

    def test_sampled_profiles_are_the_same(self) -> None:
        self.same("profile", *matmul(512), *MODEL, "--max-seconds", "0.05")

    def test_statistics_come_back(self) -> None:
        done = run("profile", *matmul(64), *MODEL, "--stats")
        for row in ("run and replay", "decode and compile", "accesses of warps"):
            self.assertIn(row, done.stderr)

    def test_runs_are_the_same(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for more in ([], ["--trace"], ["--values", "off"], ["--values", "auto", "--check", "C=0"], ["--json"], ["--racecheck"]):
                with self.subTest(more=more):
                    self.same("run", *matmul(32), *more, code=1 if "--check" in more else 0)
            dump, export = os.path.join(folder, "c.npy"), os.path.join(folder, "c.json")
            run("run", *matmul(32), "--dump", f"C={dump}", "--export", export)
            first = pathlib.Path(dump).read_bytes(), pathlib.Path(export).read_bytes()
            run("run", *matmul(32), "--dump", f"C={dump}", "--export", export, "--no-isolation")
            self.assertEqual(first, (pathlib.Path(dump).read_bytes(), pathlib.Path(export).read_bytes()))
            run("run", *matmul(32), "--check", f"C={dump}")

    def test_faults_are_the_same(self) -> None:
        small = [word.replace("C=f32[64x64]", "C=f32[4]") for word in matmul(64)]
        done = self.same("profile", *small, *MODEL, code=2)
        self.assertIn("out-of-bounds", done.stderr)
        self.same("run", *small, code=2)
        self.same("profile", *small, *MODEL, "--on-error", "continue")

    def test_code_is_kept_by_a_cell_and_found_again(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["WARPLEDGER_CODE"] = os.path.join(folder, "code")
            try:
                found = [run("profile", *matmul(64), *MODEL, "--stats", "--format", "csv").stderr for _ in range(2)]
            finally:
                del os.environ["WARPLEDGER_CODE"]
            self.assertIn("kernels compiled,1", found[0])
            self.assertIn("compiled kernels found on disk,1", found[1])


LIBRARIES = (pathlib.Path(BINARY).parent / "../lib/warpledger/libcudart.so.13").exists()


@unittest.skipUnless(LIBRARIES, "no libraries")
class Program(unittest.TestCase):
    def isolated(self, script: str, *words: str) -> subprocess.CompletedProcess:
        return subprocess.run([BINARY, "-q", "profile", "--gpu", "a100-80", "--isolate", *words, "--", "/bin/sh", "-c", script],
                              capture_output=True, text=True, check=False, cwd=self.folder)

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        if "needs Landlock" in self.isolated("true").stderr:
            self.skipTest("no Landlock")

    def test_it_changes_no_files(self) -> None:
        done = self.isolated("echo x >here; echo $?; echo x >$TMPDIR/there && cat $TMPDIR/there; cat /etc/hostname >/dev/null && echo read")
        self.assertIn("Permission denied", done.stderr)
        self.assertEqual(done.stdout.split(), ["2", "x", "read"])
        self.assertEqual(os.listdir(self.folder), [])

    def test_it_has_no_network(self) -> None:
        script = "import socket\ntry: socket.socket()\nexcept OSError as fault: print(type(fault).__name__)"
        self.assertEqual(self.isolated(f"{sys.executable} -c '{script}'").stdout, "PermissionError\n")

    def test_its_launches_are_profiled(self) -> None:
        sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
        import door_test
        if not door_test.find_nvcc():
            self.skipTest("no nvcc")
        folder = pathlib.Path(BINARY).absolute().parent.parent / "door_programs"
        folder.mkdir(exist_ok=True)
        program = door_test.build(door_test.find_nvcc(), door_test.HERE / "programs" / "vector_add.cu", folder)
        done = [subprocess.run([BINARY, "-q", "profile", "--gpu", "a100-80", "--no-store", *more, str(program)], capture_output=True,
                               text=True, check=True).stdout for more in ([], ["--isolate"])]
        self.assertIn("PASSED", done[0])
        self.assertEqual(done[0], done[1])


def seconds_of(words: list[str]) -> tuple[float, float]:
    """Of the clock, and of processors."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    run(*words)
    taken, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    return taken, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure() -> None:
    for name, words in (("profile, 64 cubed", ["profile", *matmul(64), *MODEL]),
                        ("profile, 512 cubed", ["profile", *matmul(512), *MODEL, "--exact"]),
                        ("run, 256 cubed", ["run", *matmul(256)])):
        apart, here = [], []
        run(*words)  # compiles
        for _ in range(20):  # in turns: the machine's mood is the same for both
            apart.append(seconds_of(words))
            here.append(seconds_of([*words, "--no-isolation"]))
        for kind, which in (("wall", 0), ("processor", 1)):
            with_cell, without = (statistics.median(one[which] for one in all_) for all_ in (apart, here))
            print(f"{name}, {kind}: {without * 1000:.0f} ms without, {with_cell * 1000:.0f} ms isolated, "
                  f"{(with_cell - without) * 1000:+.1f} ms ({(with_cell / without - 1) * 100:+.1f} %)")


if __name__ == "__main__":
    if COST:
        measure()
    else:
        unittest.main()
