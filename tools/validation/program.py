"""What of the program a profile's numbers follow from: the rooms that `profile` is made of, and none of those that print, plan or lay out."""
import hashlib

from validation.cases import ROOT

# A profile is made by these and what they include (cmake/layers.txt); advice and limits are words about finished numbers.
MAKERS = {"profile/run"}
WORDS_ONLY = {"profile/advice", "profile/limits", "race", "store"}


def rooms_that_matter():
    above = {}
    for line in (ROOT / "cmake/layers.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            room, _, rest = line.partition(":")
            above[room] = rest.split()
    found, rest = {"base"}, list(MAKERS)
    while rest:
        room = rest.pop()
        if room not in found and room not in WORDS_ONLY:
            found.add(room)
            rest += above[room]
    return sorted(found)


def identity(binary):
    """Hashes the libraries that make numbers; an installed binary, which has none beside it, as a whole."""
    digest = hashlib.sha256()
    build = binary.resolve().parent.parent
    for room in rooms_that_matter():
        library = next(iter(build.rglob(f"libwl_{room.replace('/', '_')}.a")), None)
        if library is None or library.stat().st_mtime > binary.stat().st_mtime:
            return hashlib.sha256(binary.read_bytes()).hexdigest()
        digest.update(room.encode() + hashlib.sha256(members(library, room)).digest())
    return digest.hexdigest()


def members(library, room):
    """The objects of an archive; gpu's table of all GPU files is left out, because a case's own file is part of its key."""
    data, at, parts = library.read_bytes(), 8, []
    while at + 60 <= len(data):
        name, size = data[at:at + 16].rstrip(), int(data[at + 48:at + 58])
        if not (room == "gpu" and name.startswith(b"builtin.cpp")):
            parts.append(data[at + 60:at + 60 + size])
        at += 60 + size + size % 2
    return b"".join(parts)
