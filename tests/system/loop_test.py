#!/usr/bin/env python3
"""Programs that loop, take long, fail or are interrupted, under `warpledger profile`.

loop_test.py WARPLEDGER [unittest's words]   exit code 77: no nvcc here
"""
import csv
import io
import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
import door_test

BINARY = sys.argv.pop(1)
FOLDER = Path(BINARY).resolve().parent.parent / "door_programs"


def program(name):
    folder = "programs" if (door_test.HERE / "programs" / f"{name}.cu").exists() else "loops"
    return str(door_test.build(door_test.find_nvcc(), door_test.HERE / folder / f"{name}.cu", FOLDER))


def profile(*words, **options):
    return subprocess.run([BINARY, "profile", "--gpu", "a100-80", "--no-store", *words], capture_output=True, text=True,
                          timeout=600, check=False, **options)


def profiles(*words):
    done = profile("--json", *words)
    text = done.stdout[re.search(r"^\[", done.stdout, re.M).start():]
    answer = json.loads(text)
    assert isinstance(answer, list), "a program's JSON is an array"
    return answer


def numbers(one):
    return [n for r in one["launches"]["numbers"] for n in range(r["first"], r["last"] + 1, r["step"])]


class Terminal:
    """The command with both streams on a pseudo-terminal that is its controlling one."""

    def __init__(self, *words):
        self.pid, self.file = pty.fork()
        if self.pid == 0:
            os.environ.pop("NO_COLOR", None)
            os.execv(BINARY, [BINARY, *words])
        self.text = ""

    def read(self):
        try:
            chunk = os.read(self.file, 4096)
        except OSError:  # the other side is closed
            return False
        self.text += chunk.decode(errors="replace")
        return bool(chunk)

    def read_until(self, word):
        while word not in self.text:
            if not self.read():
                raise AssertionError(f"{word!r} never came: {self.text}")

    def finish(self):
        while self.read():
            pass
        code = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.file)
        return code


class Samples(unittest.TestCase):
    """Long launches: a part of the grid goes through the models, all of it gives the program its values."""

    ALIKE = ("smsp__inst_executed.sum", "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")

    def test_a_sampled_launch_gives_the_program_its_values(self):
        self.assertIn("PASSED", profile("-k", "add_rows", "--quick", program("long_launch")).stdout)

    def test_counters_that_follow_from_addresses_are_those_of_all_blocks(self):
        sampled, = profiles("-k", "add_rows", "--quick", program("long_launch"))
        exact, = profiles("-k", "add_rows", "--exact", program("long_launch"))
        self.assertEqual(["sampled" in one for one in (sampled, exact)], [True, False])
        for name in self.ALIKE:
            self.assertEqual(sampled["metrics"][name]["value"], exact["metrics"][name]["value"], name)
        times = [one["timing"]["elapsed_cycles"] for one in (sampled, exact)]
        self.assertAlmostEqual(times[0], times[1], delta=0.1 * times[1])

    def test_what_a_sample_wrote_for_its_own_addresses_is_taken_back(self):
        self.assertTrue("PASSED" in profile("-k", "follow", "--quick", program("long_launch")).stdout)

    def test_a_launch_that_costs_little_runs_in_full(self):
        made, = profiles("-k", "add_rows", program("long_launch"))
        self.assertFalse("sampled" in made)


class Repeats(unittest.TestCase):
    def test_a_loop_of_two_kernels_is_two_profiles(self):
        made = profiles(program("jacobi_loop"), "600")
        self.assertEqual([one["launches"]["count"] for one in made], [600, 600])
        self.assertEqual([one["launches"]["modeled"] for one in made], [1, 1])
        self.assertEqual(numbers(made[0]), list(range(0, 1200, 2)))
        self.assertEqual(numbers(made[1]), list(range(1, 1200, 2)))

    def test_every_launch_is_modeled_where_it_is_asked_for(self):
        made = profiles("--all-launches", program("jacobi_loop"), "3")
        self.assertEqual([one["launches"]["count"] for one in made], [1] * 6)
        self.assertEqual([numbers(one) for one in made], [[i] for i in range(6)])

    def test_what_stands_for_others_has_their_counters(self):
        once, = profiles("-k", "relax", program("jacobi_loop"), "50")
        each = profiles("-k", "relax", "--all-launches", program("jacobi_loop"), "4")
        for one in each:
            self.assertEqual(one["metrics"], once["metrics"])

    def test_a_count_is_ncus(self):
        made = profiles("-s", "2", "-c", "3", program("jacobi_loop"), "10")
        self.assertEqual([one["launches"]["count"] for one in made], [1, 1, 1])
        self.assertEqual([one["kernel"] == made[0]["kernel"] for one in made], [True, False, True])

    def test_a_skip_alone_leaves_the_others_together(self):
        made = profiles("-s", "3", "-k", "relax", program("jacobi_loop"), "10")
        self.assertEqual([one["launches"]["count"] for one in made], [7])
        self.assertEqual(numbers(made[0]), list(range(7)))

    def test_two_sets_of_arguments_are_modeled_each(self):
        done = profile("--json", program("ping_pong"))
        made = profiles(program("ping_pong"))
        self.assertEqual([(one["launches"]["count"], one["launches"]["modeled"]) for one in made], [(200, 2)])
        elapsed = float(re.search(r"elapsed (\S+) ms", done.stdout).group(1))
        one = made[0]["timing"]
        self.assertAlmostEqual(elapsed, 200e3 * one["elapsed_cycles"] / one["sm_hertz"], delta=0.02 * elapsed)

    def test_other_work_is_another_profile(self):
        made = profiles("-k", "by_memory", program("work_by_argument"))
        self.assertEqual([one["launches"]["count"] for one in made], [6, 2])
        self.assertEqual(numbers(made[1]), [1, 6])
        self.assertEqual([one["launches"]["unlike"] for one in made], [0, 0])

    def test_durations_are_right_without_a_profile(self):
        done = profile("-k", "nothing", program("work_by_argument"))
        self.assertIn("PASSED", done.stdout)

    def test_text_and_csv_and_html_say_how_many(self):
        page = FOLDER / "loop.html"
        text = profile("-o", str(page), program("jacobi_loop"), "20").stdout
        self.assertIn("x 20: this profile represents launches 0..38 by 2; 1 modeled, 19 only run", text)
        self.assertIn("CC 8.0, x 20", text)
        self.assertIn("x 20: this profile represents launches 1..39 by 2", page.read_text())
        for extra in ([], ["--page", "raw"], ["--metrics", "gpu__time_duration.sum"]):
            out = profile("--csv", *extra, program("jacobi_loop"), "20").stdout
            rows = list(csv.DictReader(io.StringIO(out[out.index('"ID"'):])))
            found = {row["ID"]: row["Launches"] for row in rows if row["ID"]}
            self.assertEqual(found, {"0": "20", "1": "20"})

    def test_a_loop_is_quick(self):
        for name, launches in (("jacobi_loop", 3000), ("reduction_loop", 200)):
            before = os.times()
            made = profiles(program(name))
            after = os.times()
            spent = after.children_user + after.children_system - before.children_user - before.children_system
            print(f"{name}: {launches} launches, {spent:.1f} s of processor time")
            self.assertEqual(sum(one["launches"]["count"] for one in made), launches)
            self.assertLess(spent, 10)


class Ends(unittest.TestCase):
    """However the program ends, what was profiled is printed."""

    def check_profiles(self, text):
        self.assertIn("x 5: this profile represents launches 0..4", text)
        self.assertIn("other(float *, int)", text)

    def test_a_program_that_dies(self):
        for how, code in (("abort", 128 + signal.SIGABRT), ("crash", 128 + signal.SIGSEGV), ("_exit", 5)):
            done = profile(program("slow_loop"), how)
            self.assertEqual(done.returncode, code, done.stderr)
            self.check_profiles(done.stdout)

    def test_a_program_that_forks(self):
        done = profile(program("slow_loop"), "fork")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.check_profiles(done.stdout)
        self.assertEqual(done.stdout.count("x 5: this profile"), 1)

    def test_a_program_with_threads(self):
        done = profile("--all-launches", program("slow_loop"), "threads")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("other(float *, int) ("), 5, done.stdout)

    def test_ctrl_c(self):
        for how in ("loop", "kernel"):
            terminal = Terminal("profile", "--gpu", "a100-80", "--no-store", program("slow_loop"), how)
            terminal.read_until("ready")
            time.sleep(0.5)
            os.write(terminal.file, b"\x03")
            self.assertEqual(terminal.finish(), 130, terminal.text)
            self.assertIn("interrupted after 6 launches; the profiles so far follow", terminal.text)
            self.check_profiles(terminal.text)

    def test_a_program_that_will_not_end_is_killed(self):
        terminal = Terminal("profile", "--gpu", "a100-80", "--no-store", program("slow_loop"), "stubborn")
        terminal.read_until("ready")
        start = time.time()
        os.write(terminal.file, b"\x03")
        self.assertEqual(terminal.finish(), 130, terminal.text)
        self.assertLess(time.time() - start, 60)
        self.check_profiles(terminal.text)

    def test_a_signal_for_us_alone_is_passed_on(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            child = subprocess.Popen([BINARY, "profile", "--gpu", "a100-80", "--no-store", program("slow_loop")],
                                     stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            self.assertEqual(child.stdout.readline(), "ready\n")
            child.send_signal(number)
            out, err = child.communicate(timeout=60)
            self.assertEqual(child.returncode, 128 + number, err)
            self.check_profiles(out)

    def test_a_launch_that_failed_is_not_none(self):
        done = profile(program("failing"))
        self.assertEqual(done.returncode, 0)
        self.assertIn("no launch was profiled: the program made 1 launch; the first failure: "
                      "out-of-bounds", done.stderr)

    def test_launches_that_nobody_asked_for(self):
        done = profile("-k", "nothing", program("jacobi_loop"), "2")
        self.assertIn("-k, -s and -c select none of the program's 4 launches", done.stderr)


class Progress(unittest.TestCase):
    def test_a_line_for_each_profile(self):
        terminal = Terminal("profile", "--gpu", "a100-80", "--no-store", program("jacobi_loop"), "20")
        self.assertEqual(terminal.finish(), 0)
        self.assertRegex(terminal.text, r'==PROF== Profiling "relax" - 0: done, \d+\.\d s')
        self.assertRegex(terminal.text, r'==PROF== Profiling "copy_back" - 1: done, \d+\.\d s')
        self.assertIn("==PROF== 40 launches, 2 profiled", terminal.text)

    def test_what_takes_long_shows_that_it_goes_on(self):
        terminal = Terminal("profile", "--gpu", "a100-80", "--no-store", "--timeout", "4", "-k", "other",
                            program("slow_loop"), "kernel")
        terminal.read_until("did not finish in 4 s")
        self.assertRegex(terminal.text, r'==PROF== Profiling "other" - 1: (\d+ %, )?[123] s')
        os.write(terminal.file, b"\x03")
        terminal.finish()

    def test_nothing_in_a_pipe_or_when_quiet(self):
        self.assertNotIn("==PROF==", profile(program("jacobi_loop"), "2").stderr)
        terminal = Terminal("-q", "profile", "--gpu", "a100-80", "--no-store", program("jacobi_loop"), "2")
        self.assertEqual(terminal.finish(), 0)
        self.assertNotIn("==PROF==", terminal.text)

    def test_verbose_says_what_compiling_took(self):
        self.assertRegex(profile("-v", program("jacobi_loop"), "2").stderr,
                         r'==PROF== Profiling "relax" - 0: done, \d+\.\d s')


class Arrays(unittest.TestCase):
    def test_one_launch_is_an_array_that_compare_reads(self):
        made = profiles(program("vector_add"))
        self.assertEqual(len(made), 1)
        path = FOLDER / "one-launch.json"
        path.write_text(json.dumps(made))
        done = subprocess.run([BINARY, "compare", str(path), str(path)], capture_output=True, text=True, timeout=600,
                              check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        again = subprocess.run([BINARY, "profile", "--import", str(path), "--csv"], capture_output=True, text=True,
                               timeout=600, check=False)
        self.assertTrue(again.stdout.startswith('"ID",'), again.stderr)


class WithoutTheCommand(unittest.TestCase):
    def run_alone(self, settings):
        path = FOLDER / "settings.json"
        path.write_text(settings)
        doors = FOLDER.parent / "lib/warpledger"
        environment = {**os.environ, "WARPLEDGER_SETTINGS": str(path),
                       "LD_PRELOAD": f"{doors / 'libcudart.so.13'}:{doors / 'libcuda.so.1'}"}
        return subprocess.run([program("vector_add")], env=environment, capture_output=True, text=True, timeout=600,
                              check=False)

    def test_a_file_has_the_settings(self):
        done = self.run_alone('{"query": {"gpu": "rtx3090"}, "memory_mib": 1024}')
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stderr, "")

    def test_a_bad_file_is_reported(self):
        done = self.run_alone('{"query": {"gup": "rtx3090"}}')
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("unknown field 'gup'", done.stderr)


class Timeouts(unittest.TestCase):
    def test_compiling_counts(self):
        folder = FOLDER / "no-code"
        environment = {**os.environ, "WARPLEDGER_CODE": str(folder)}
        for old in folder.glob("*"):
            old.unlink()
        start = time.time()
        done = profile("--timeout", "1", "--no-sass", program("many_branches"), env=environment)
        self.assertEqual(done.returncode, 2, done.stdout)
        self.assertIn("the kernel did not finish in 1 s (--timeout)", done.stderr)
        self.assertIn("while it was being compiled", done.stderr)
        print(f"stopped after {time.time() - start:.1f} s")

    def test_the_message_says_what_ran_it(self):
        endless = str(door_test.build(door_test.find_nvcc(), door_test.HERE / "planted" / "endless.cu", FOLDER))
        for engine, word in (("jit", "(compiled)"), ("reference", "(interpreted)")):
            done = profile("--timeout", "3", "--engine", engine, endless)
            self.assertIn(word, done.stderr)
            self.assertIn("endless.cu:", done.stderr)


if __name__ == "__main__":
    door_test.run_tests_in(FOLDER)
