"""Runs a built program under `warpledger profile`, within limits of processor time, wall time and output."""
import hashlib
import json
import os
import pathlib
import re
import resource
import signal
import subprocess
import time

from reach.programs import prepare_folder

OUTPUT_BYTES = 1 << 30   # a file that the program writes, its output included
KEPT_CHARACTERS = 20000  # of each stream: half from its beginning, half from its end
LIMIT_CODES = {-24, 128 + 24, -25, 128 + 25}  # SIGXCPU, SIGXFSZ


def identity_of(binary):
    """Of the command and of the libraries that programs find in place of CUDA's."""
    digest = hashlib.sha256()
    binary = binary.resolve()
    places = [binary.parent, binary.parent / "warpledger", binary.parent.parent / "lib/warpledger"]
    libraries = sorted({path.resolve() for place in places for path in place.glob("*.so*")})
    for path in [binary, *libraries]:
        digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()


def command_of(program, executable, options):
    command = [str(options.binary.resolve()), "-q", "profile", "--json", "--gpu", options.gpu, "-c", str(options.count)]
    if options.engine != "auto":
        command += ["--engine", options.engine]
    return [*command, *options.option, "--", str(executable), *program.arguments]


def limited(seconds):
    """Before the program starts: its own limits, which its children inherit."""
    def apply():
        os.setsid()
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_FSIZE, (OUTPUT_BYTES, OUTPUT_BYTES))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    return apply


def wait_for(process, wall):
    """(exit code, its processor seconds, whether the wall limit ended it)"""
    end, late = time.monotonic() + wall, False
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage.ru_utime + usage.ru_stime, late
        if time.monotonic() > end and not late:
            late = True
            os.killpg(process.pid, signal.SIGKILL)
        time.sleep(0.02)


def ends_of(text):
    half = KEPT_CHARACTERS // 2
    return text if len(text) <= 2 * half else f"{text[:half]}\n...\n{text[-half:]}"


def split_output(text):
    """(what the program printed, the profiles that follow it): JSON, an object or an array of them, when it has ended."""
    for start in re.finditer(r"^(?:\[\]?|{)$", text, re.M):
        try:
            profiles = json.loads(text[start.start():])
        except ValueError:
            continue
        return text[:start.start()], profiles if isinstance(profiles, list) else [profiles]
    return text, []


def races_of(profiles):
    """One line for each race that a profile reports, without repetition."""
    def side(one):
        return f"{one['access']} at {pathlib.Path(one['file']).name}:{one['line']}"
    found = [race for profile in profiles for race in profile.get("races", {}).get("found", [])]
    return sorted({f"{race['hazard']} race in {race['space']} memory: {side(race['first'])}, {side(race['second'])}"
                   for race in found})


def run(program, results, options, identity):
    """What happened, as plain values: code, seconds, output."""
    home = (results / program.path).resolve()
    folder = home / "run"
    prepare_folder(program, folder)
    # What an earlier warpledger kept must not answer for this one.
    environment = {**os.environ, "XDG_CACHE_HOME": str(results.resolve() / "cache" / identity[:16])}
    start = time.monotonic()
    with open(home / "stdout", "wb") as out, open(home / "stderr", "wb") as err:
        process = subprocess.Popen(command_of(program, home / "program", options), cwd=folder, stdout=out, stderr=err,
                                   stdin=subprocess.DEVNULL, env=environment, preexec_fn=limited(options.cpu))
        code, cpu, late = wait_for(process, options.wall)
    said, profiles = split_output((home / "stdout").read_text(errors="replace"))
    return {"code": code, "cpu": round(cpu, 1), "wall": round(time.monotonic() - start, 1), "late": late,
            "limits": [options.cpu, options.wall], "profiles": len(profiles), "races": races_of(profiles), "stdout": ends_of(said), "stderr": ends_of((home / "stderr").read_text(errors="replace"))}


def key_of(program, results, options, identity):
    """What a result depends on; a kept one with the same key is not run again."""
    executable = results / program.path / "program"
    facts = [identity, hashlib.sha256(executable.read_bytes()).hexdigest(), program.arguments, program.data, program.files,
             options.gpu, options.engine, options.count, options.option]
    return hashlib.sha256(repr(facts).encode()).hexdigest()[:24]


def was_cut_short(result, options):
    """Whether a limit ended it that is wider now."""
    ended = result["late"] or result["code"] in LIMIT_CODES
    return ended and (options.cpu, options.wall) > tuple(result["limits"])
