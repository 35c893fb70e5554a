"""The list of programs: what to build from which checkout, how to run it, and what its own check says.

A list is a TOML file:

    [[project]]                     # one row of the table
    name = "our samples"
    folder = "samples"              # in FOLDER
    flags = ["-Iinclude"]           # for nvcc; `{project}` and `{folder}` are the checkouts' full paths
    right = "PASSED"                # regular expressions for all its programs; a program may have its own. Where it
                                    # is empty, the exit code is the check
    wrong = "FAILED"
    [[project.program]]
    name = "add"
    folder = "src/add"              # in the project; sources are relative to it
    sources = ["add.cu"]
    flags = ["-O3"]                 # after the project's
    arguments = ["1024"]            # cut to a size that fits
    check = false                   # the program checks nothing itself
    exit = 0                        # the code that means success
    waived = "not supported"        # the program leaves by itself
    files = ["input.txt"]           # copied from `folder` into the folder where it runs
    data = [{file = "made.txt", lines = 4096, line = "{i} {r:.3f}"}]     # i: line number; r: random in [0, 1)
    edits = [{file = "add.cu", find = "N = 1 << 24", replace = "N = 4096"}]   # in a copy: sizes that no argument sets
"""
import dataclasses
import pathlib
import random
import shutil

import tomllib


@dataclasses.dataclass
class Program:
    project: str
    name: str
    folder: pathlib.Path
    sources: list
    flags: list
    arguments: list
    right: str = ""
    wrong: str = ""
    waived: str = ""
    exit: int = 0
    check: bool = True
    files: list = dataclasses.field(default_factory=list)
    data: list = dataclasses.field(default_factory=list)
    edits: list = dataclasses.field(default_factory=list)

    @property
    def path(self):
        """Where its build and its run are kept, in the folder of the results."""
        return pathlib.Path(self.project.replace("/", "-")) / self.name


class BadList(Exception):
    """What is wrong with the list, for the user."""


KEYS = {field.name for field in dataclasses.fields(Program)} - {"project"}
INHERITED = ("right", "wrong", "waived", "check", "exit")


def place(texts, project, folder):
    """The texts with `{project}` and `{folder}` replaced; other braces stay."""
    return [text.replace("{project}", str(project)).replace("{folder}", str(folder)) for text in texts]


def program_of(project, entry, root):
    unknown = sorted(set(entry) - KEYS)
    if unknown or "name" not in entry or "sources" not in entry:
        what = f"unknown key '{unknown[0]}'" if unknown else "a program needs 'name' and 'sources'"
        raise BadList(f"{project.get('name', '?')}, {entry.get('name', '?')}: {what}")
    home = root / project.get("folder", ".")
    folder = home / entry.get("folder", ".")
    inherited = {key: project[key] for key in INHERITED if key in project}
    own = {key: value for key, value in entry.items() if key != "folder"}
    flags = place(project.get("flags", []) + entry.get("flags", []), home, folder)
    arguments = place(entry.get("arguments", []), home, folder)
    return Program(**{**inherited, **own, "project": project["name"], "folder": folder, "flags": flags,
                      "arguments": arguments})


def read_list(path, root):
    """All programs of the list, in its order."""
    with open(path, "rb") as file:
        projects = tomllib.load(file).get("project", [])
    programs = [program_of(p, entry, root.resolve()) for p in projects for entry in p.get("program", [])]
    seen = set()
    for program in programs:
        if program.path in seen:
            raise BadList(f"{program.project}, {program.name}: listed twice")
        seen.add(program.path)
    return programs


def prepare_folder(program, folder):
    """The folder where the program runs: what it writes stays out of the checkout."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    for name in program.files:
        target = folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(program.folder / name, target)
    draw = random.Random(1)
    for made in program.data:
        lines = (made["line"].format(i=i, r=draw.random()) for i in range(made["lines"]))
        (folder / made["file"]).write_text("\n".join(lines) + "\n")
