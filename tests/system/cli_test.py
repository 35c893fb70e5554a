"""The command line in a terminal and in a pipe."""
import os
import pty
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

BINARY = sys.argv.pop(1)


def run(*words, env=None):
    merged = {**{k: v for k, v in os.environ.items() if k not in ("NO_COLOR", "CLICOLOR_FORCE")}, **(env or {})}
    return subprocess.run([BINARY, *words], capture_output=True, text=True, env=merged, check=False,
                          stdin=subprocess.DEVNULL)


def run_in_terminal(*words, env=None):
    """Both streams of the command on a pseudo-terminal, as text."""
    reader, writer = pty.openpty()
    merged = {"PATH": os.environ["PATH"], "TERM": "xterm", **(env or {})}
    child = subprocess.Popen([BINARY, *words], stdout=writer, stderr=writer, stdin=subprocess.DEVNULL,
                             env=merged)
    child.wait()
    os.close(writer)
    chunks = []
    try:
        while chunk := os.read(reader, 4096):
            chunks.append(chunk)
    except OSError:  # the other side is closed: all was read
        pass
    os.close(reader)
    return b"".join(chunks).decode()


class Profile(unittest.TestCase):
    MATMUL = [os.path.join(os.path.dirname(__file__), "../..", "examples/profile/matmul.ptx"), "--kernel", "matmul_naive", "--gpu", "rtx3090",
              "--regs", "40", "--no-sass", "--grid", "8,8", "--block", "16,16", "--arg", "A=f32[128x128]:random", "--arg",
              "B=f32[128x128]:random", "--arg", "C=f32[128x128]", "--arg", "i32:128", "--arg", "i32:128", "--arg", "i32:128"]

    def test_threads_change_no_byte(self):
        for output in (["--json"], ["--csv", "--page", "raw"], []):
            one = run("profile", *self.MATMUL, *output, "--threads", "1")
            self.assertEqual(one.returncode, 0, one.stderr)
            self.assertEqual(one.stdout, run("profile", *self.MATMUL, *output, "--threads", "2").stdout)
            self.assertEqual(one.stdout, run("profile", *self.MATMUL, *output, "--exact").stdout)

    def test_progress_never_goes_into_a_pipe(self):
        self.assertNotIn("\r", run("profile", *self.MATMUL).stderr)

    def test_no_threads_at_all_is_refused(self):
        self.assertEqual(run("profile", *self.MATMUL, "--threads", "0").returncode, 2)

    def test_options_of_a_file_are_refused_for_a_program(self):
        for option in (["--regs", "40"], ["--grid", "8"], ["--seed", "3"]):
            refused = run("profile", *option, "/bin/true")
            self.assertEqual(refused.returncode, 2)
            self.assertIn(f"{option[0]} does not work with a program", refused.stderr)

    def test_doctor_calls_a_compiler_that_cannot_be_loaded_broken(self):
        with tempfile.TemporaryDirectory() as folder:
            with open(os.path.join(folder, "libwarpledger_jit.so"), "w", encoding="ascii") as file:
                file.write("not a library")
            done = run("doctor", "jit", env={"WARPLEDGER_PLUGINS": folder})
        self.assertEqual(done.returncode, 1)
        self.assertIn("jit is broken: cannot load the compiler", done.stdout)

    def test_a_program_that_is_not_there_is_said(self):
        for name, why in (("./no-such-program", "no such file"), ("no-such-program", "none in PATH")):
            self.assertIn(why, run("profile", name, "--its", "option").stderr)

    @unittest.skipUnless(os.path.exists(os.path.join(os.path.dirname(BINARY), "../lib/warpledger/libcudart.so.13")), "no libraries")
    def test_a_program_dies_with_the_command(self):
        child = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
        with subprocess.Popen([BINARY, "profile", sys.executable, "-c", child], stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, text=True) as command:
            program = int(command.stdout.readline())
            command.kill()
        deadline = time.monotonic() + 5
        while os.path.exists(f"/proc/{program}") and time.monotonic() < deadline:
            time.sleep(0.02)
        self.assertFalse(os.path.exists(f"/proc/{program}"))

    def test_an_exported_file_holds_every_launch(self):
        one = run("profile", *self.MATMUL, "--json").stdout
        with tempfile.TemporaryDirectory() as folder:
            report, text = os.path.join(folder, "two.wlrep"), os.path.join(folder, "two.txt")
            with open(report, "w") as file:
                file.write(f"[{one},{one}]")
            printed = run("profile", "--import", report, "--export", text)
            self.assertEqual(printed.returncode, 0, printed.stderr)
            with open(text) as file:
                self.assertEqual(file.read(), printed.stdout)


class FirstContact(unittest.TestCase):
    def test_no_words_gives_help_that_gets_one_going(self):
        result = run()
        self.assertEqual(result.returncode, 0)
        self.assertIn("Start here:", result.stdout)
        self.assertEqual(result.stdout, run("--help").stdout)

    def test_a_misspelt_command_is_suggested(self):
        result = run("ocupancy")
        self.assertEqual((result.returncode, result.stdout), (2, ""))
        self.assertIn("did you mean 'occupancy'?", result.stderr)

    def test_a_misspelt_option_is_suggested(self):
        result = run("occupancy", "--gup", "rtx3090")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean '--gpu'?", result.stderr)

    def test_a_misspelt_gpu_is_suggested(self):
        result = run("occupancy", "--gpu", "rtx309", "--block", "256", "--regs", "32")
        self.assertEqual(result.returncode, 2)
        self.assertIn("did you mean 'rtx3090'?", result.stderr)

    def test_every_command_shows_an_example_first(self):
        commands = run("completion", "bash").stdout.split('"warpledger") words="')[1].split(" -")[0].split()
        self.assertIn("gpus", commands)
        for command in commands:
            text = run(command, "--help").stdout
            self.assertIn("Examples:\n  ", text, command)
            self.assertLess(text.index("Examples:"), text.index("Usage:"), command)


class Streams(unittest.TestCase):
    def test_a_terminal_gets_color(self):
        self.assertIn("\033[1;31merror:", run_in_terminal("nonsense"))

    def test_no_color_is_respected(self):
        self.assertNotIn("\033", run_in_terminal("nonsense", env={"NO_COLOR": "1"}))

    def test_a_dumb_terminal_gets_none(self):
        self.assertNotIn("\033", run_in_terminal("nonsense", env={"TERM": "dumb"}))

    def test_a_pipe_gets_none_unless_forced(self):
        self.assertNotIn("\033", run("nonsense").stderr)
        self.assertIn("\033", run("nonsense", env={"CLICOLOR_FORCE": "1"}).stderr)
        self.assertIn("\033", run("--color", "always", "nonsense").stderr)

    def test_a_closed_pipe_is_no_crash(self):
        code = subprocess.run(["bash", "-c", f"{BINARY} gpus | head -n 1; exit ${{PIPESTATUS[0]}}"],
                              capture_output=True, check=False).returncode
        self.assertIn(code, (0, 141))


class Completion(unittest.TestCase):
    def complete(self, line):
        words = line.split(" ")
        script = (f"source <({BINARY} completion bash); COMP_WORDS=({' '.join(words)}); "
                  f"COMP_CWORD={len(words) - 1}; [ -n '{words[-1]}' ] || COMP_WORDS+=(''); "
                  "_warpledger; echo ${COMPREPLY[@]}")
        return subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=True).stdout.split()

    def test_commands_complete(self):
        self.assertIn("occupancy", self.complete("warpledger occ"))

    def test_options_complete(self):
        self.assertIn("--regs", self.complete("warpledger occupancy --gpu rtx3090 --re"))

    def offered(self, shell, line):
        """What zsh or fish offers behind the line, with the words that it shows beside each."""
        words = line.split(" ")
        scripts = {"fish": f"{BINARY} completion fish | source; complete -C '{line}'",
                   "zsh": "compdef() { :; }; _files() { :; }; _describe() { print -l -- \"${(@P)3}\"; }; "
                          f"source <({BINARY} completion zsh); words=({' '.join(map(repr, words))}); CURRENT={len(words)}; _warpledger"}
        options = {"zsh": ["-f"], "fish": ["--no-config"]}[shell]
        return subprocess.run([shell, *options, "-c", scripts[shell]], capture_output=True, text=True, check=True,
                              env={**os.environ, "HOME": tempfile.gettempdir()}).stdout

    def check(self, shell, between):
        self.assertIn(f"occupancy{between}", self.offered(shell, "warpledger occ"))
        self.assertIn(f"--regs{between}", self.offered(shell, "warpledger occupancy --gpu rtx3090 --re"))
        self.assertIn(f"--where{between}", self.offered(shell, "warpledger layout show --wh"))
        self.assertNotIn("--where", self.offered(shell, "warpledger layout --wh"))

    @unittest.skipUnless(shutil.which("zsh"), "no zsh")
    def test_zsh_offers_words_with_their_meaning(self):
        self.check("zsh", ":")

    @unittest.skipUnless(shutil.which("fish"), "no fish")
    def test_fish_offers_words_with_their_meaning(self):
        self.check("fish", "\t")


if __name__ == "__main__":
    unittest.main()
