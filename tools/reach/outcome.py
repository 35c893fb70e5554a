"""What became of a program: one class each, and one line that says why.

The classes, in the order in which they are asked:
    build failed   nvcc refused it
    crash          a signal ended it
    slow           it did not end within the limits
    program bug    our memory check stopped it: out of bounds, freed, misaligned
    deadlock       our scheduler found that nobody can go on
    refused        a diagnostic of ours names what is missing
    waived         it left by itself, for a reason it printed
    racing         its check failed, and a profile reports a race
    library        it ended with another code, links a library of NVIDIA's (cuBLAS, ...), and nothing of the above says why
    wrong          its check failed, or it ended with another code, and nothing of the above says why
    right          its check passed; or it has none, ended well and printed nothing suspicious ("no check")
A check that passed is right, whatever was reported beside it; a check that failed before the limit is wrong.
"""
import dataclasses
import re

from reach.run import LIMIT_CODES

CLASSES = ("right", "wrong", "racing", "crash", "deadlock", "refused", "library", "slow", "waived", "program bug",
           "build failed")

OURS = re.compile(r"^(?:warpledger: |error: |.*: error: )(.*)$", re.M)
MEMORY = re.compile(r"out-of-bounds|use-after-free|misaligned|read-only|was freed|has no allocation|not an allocation")
DEADLOCK = re.compile(r"waits? for another one|waits? for each other|never come|deadlock")
STOPPED = re.compile(r"did not (?:end|finish) in [\d.]+ s|time limit")
REFUSED = re.compile(r"not supported|not implemented|unsupported|cannot|refused|has no body|machine code|unknown name|"
                     r"linked in|no PTX|not available|is missing|does not exist")
LIBRARY = re.compile(r"-l(cublas|cudnn|cufft|curand|cusolver|cusparse|nvrtc|nvJitLink|npp)")
ENDED = re.compile(r"the program ended with code|no launch was profiled")
SIGNALS = {4: "SIGILL", 5: "SIGTRAP", 6: "SIGABRT", 7: "SIGBUS", 8: "SIGFPE", 9: "SIGKILL", 11: "SIGSEGV"}


@dataclasses.dataclass
class Outcome:
    kind: str
    why: str = ""
    checked: bool = False   # its own check said so
    profiles: int = 0       # how many were printed


def our_lines(stderr):
    """The diagnostics of warpledger, without the lines that only say that the program ended."""
    return [line for line in OURS.findall(stderr) if not ENDED.search(line)]


def first(pattern, lines):
    return next((line for line in lines if pattern.search(line)), None)


def signal_of(code):
    number = -code if code < 0 else code - 128
    return SIGNALS.get(number)


def line_with(pattern, text):
    """The line of the program's output that the pattern matches."""
    found = re.search(pattern, text, re.M) if pattern else None
    if found is None:
        return None
    start = text.rfind("\n", 0, found.start()) + 1
    end = text.find("\n", found.end())
    return text[start:end if end >= 0 else None].strip()


def own_check(program, said):
    """(passed, failed): lines that say so, or None."""
    return line_with(program.right, said) if program.check else None, line_with(program.wrong, said)


def stopped_by(lines):
    """The class and the line of a diagnostic that explains a failure."""
    for kind, pattern in (("slow", STOPPED), ("program bug", MEMORY), ("deadlock", DEADLOCK), ("refused", REFUSED)):
        if line := first(pattern, lines):
            return kind, line
    return None


def passed(program, result, right, wrong):
    if result["code"] != program.exit or result["late"] or wrong:
        return False
    return right is not None or not program.check or not program.right


def failure(program, result, lines, wrong):
    """Why a program that did not pass failed: (class, why)."""
    limit = result["late"] or result["code"] in LIMIT_CODES
    race = "; ".join(result["races"])
    if wrong and race:
        return "racing", race
    if signal_of(result["code"]) and not limit:
        return "crash", f"{signal_of(result['code'])}: {lines[-1] if lines else 'nothing printed by warpledger'}"
    if limit:
        # Of a program that was killed from outside the processor time is not known.
        spent = f"not done in {result['wall']} s" if result["late"] else f"not done in {result['cpu']} s of processor time"
        return ("wrong", wrong) if wrong else ("slow", spent)
    if found := stopped_by(lines):
        return found
    if waived := line_with(program.waived, result["stdout"] + result["stderr"]):
        return "waived", waived
    if race:
        return "racing", race
    if result["code"] != program.exit:
        if not wrong and (library := first(LIBRARY, program.flags)):
            return "library", f"{library[2:]}: {last_line(result)}"
        return "wrong", wrong or f"ended with code {result['code']}: {lines[-1] if lines else last_line(result)}"
    return "wrong", wrong or f"its check '{program.right}' printed nothing: {last_line(result)}"


def last_line(result):
    """Of the program's own."""
    lines = [line.strip() for line in (result["stdout"] + "\n" + result["stderr"]).splitlines()]
    lines = [line for line in lines if line and not OURS.match(line)]
    return lines[-1] if lines else "no output"


def classify(program, result):
    """The outcome of a run (run.run's values), or of a build that failed ({"build": why})."""
    if "build" in result:
        return Outcome("build failed", result["build"])
    profiles, lines = result["profiles"], our_lines(result["stderr"])
    theirs = "\n".join(line for line in result["stderr"].splitlines() if not OURS.match(line))
    right, wrong = own_check(program, result["stdout"] + "\n" + theirs)
    if passed(program, result, right, wrong):
        if not program.check and (fault := first(REFUSED, lines)):
            return Outcome("refused", fault, False, profiles)
        return Outcome("right", "; ".join(result["races"]), program.check, profiles)
    kind, why = failure(program, result, lines, wrong)
    return Outcome(kind, why, kind in ("wrong", "racing") and bool(wrong), profiles)
