"""Checks the voice of the pages and of the messages: tools/check-prose runs it.

proselint reads a copy of each page without its code, at the same lines and columns. The wordings of tools/prose.toml are searched for in the
same copies and in the list that tools/messages makes from the sources.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "RELEASING.md", "docs/**/*.md", "python/warpledger/mcp/SKILL.md"]
QUOTES = ROOT / "docs/decisions/015-one-voice.md"  # lists what was wrong
# Fences, comments, HTML tags, code in backticks, targets of links.
CODE = re.compile(r"^(```+).*?^\1|<!--.*?-->|<[^<>\n]*>|``.+?``|`[^`]*`|(?<=\])\([^()\n]*\)", re.S | re.M)


def without_code(text):
    """The text with blanks for code, so that places stay what they are."""
    return CODE.sub(lambda code: re.sub(r"[^\n]", " ", code[0]), text)


def read_pages():
    paths = [path for pattern in PAGES for path in sorted(ROOT.glob(pattern)) if path != QUOTES]
    return {str(path.relative_to(ROOT)): without_code(path.read_text()) for path in paths}


def read_messages():
    """{place: message}, escapes of line ends as blanks."""
    listed = subprocess.run([sys.executable, ROOT / "tools/messages"], stdout=subprocess.PIPE, text=True, check=True).stdout
    found = re.finditer(r"^([\w./-]+:\d+): (.*?)(?=^[\w./-]+:\d+: |\Z)", listed, re.S | re.M)
    return {match[1]: re.sub(r"`[^`]*`", " ", match[2].replace(r"\n", " ")) for match in found}


def compiled(rule):
    return re.compile(rule["find"].replace(" ", r"\s+"), re.I), re.compile(rule.get("allow", r"(?!)"), re.I | re.S), rule["instead"]


def wordings(text, rules):
    """(offset, what was found, what to write) of each match."""
    for find, allow, instead in rules:
        for match in find.finditer(text):
            if not allow.fullmatch(match[0]):
                yield match.start(), " ".join(match[0].split()), instead


def of_pages(pages, rules):
    for name, text in pages.items():
        for offset, found, instead in wordings(text, rules):
            yield f"{name}:{text.count(chr(10), 0, offset) + 1}: '{found}': write {instead}"


def of_messages(messages, rules):
    for place, text in messages.items():
        for _, found, instead in wordings(text, rules):
            yield f"{place}: message '{found}': write {instead}"


def of_proselint(pages):
    with tempfile.TemporaryDirectory() as folder:
        copies = pathlib.Path(folder).resolve()
        for name, text in pages.items():
            (copies / name).parent.mkdir(parents=True, exist_ok=True)
            (copies / name).write_text(text)
        command = ["proselint", "--config", ROOT / ".proselintrc.json", "check", "-o", "json", *(copies / name for name in pages)]
        printed = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False).stdout
        for address, result in json.loads(printed)["result"].items():
            for finding in result.get("diagnostics", []):
                name = address.removeprefix(copies.as_uri() + "/")
                yield f"{name}:{finding['pos'][0]}: {finding['check_path']}: {finding['message']}"


def main():
    with open(ROOT / "tools/prose.toml", "rb") as file:
        rules = [compiled(rule) for rule in tomllib.load(file)["wording"]]
    pages = read_pages()
    found = [*of_pages(pages, rules), *of_messages(read_messages(), rules), *of_proselint(pages)]
    for line in found:
        print(line, file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
