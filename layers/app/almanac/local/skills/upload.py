"""Send a skill to a server. A small skill takes one call. The files of a large one are uploaded first, and the last
call refers to them."""

import json
from base64 import b64encode
from collections.abc import Callable, Iterator, Mapping
from hashlib import sha256

from almanac.composition.commands.skills import Archive, bundle_of, is_text
from almanac.local.client.patient_calls import Json
from almanac.local.skills.server import DamagedAnswer, SkillServer

AT_ONCE = 3_000_000
"""Bytes of JSON for the files in one call. A request has at most 4 MB, and SKILL.md takes up to one of them."""
PART = 2_000_000
"""Bytes in each part of a file that is sent in several parts."""

Content = Json | str


def size_of(skill: Archive) -> int:
    """Return the size of all files in bytes."""
    return len(skill.skill_md.encode()) + sum(map(len, skill.files.values()))


def send(server: SkillServer, skill: Archive, add_bytes: Callable[[int], None], *, strict: bool) -> Json:
    """Install the skill and return the server's answer.

    `add_bytes` is called with the number of bytes that have arrived since its last call.

    Raises InvalidInput above the limits of a skill, before anything is sent, and the errors of the server.
    """
    main = len(skill.skill_md.encode())
    bundle_of(skill.files, main)
    files: dict[str, Content] = {path: _content(data) for path, data in skill.files.items()}
    if _json_size(files) > AT_ONCE:
        files = _upload_files(server, skill.files, add_bytes)
        left = main
    else:
        left = size_of(skill)
    answer = server.install(skill.skill_md, files, skill.folder, strict=strict)
    add_bytes(left)
    return answer


def _upload_files(
    server: SkillServer, files: Mapping[str, bytes], add_bytes: Callable[[int], None]
) -> dict[str, Content]:
    """Upload the files in parts, and return references to the parts of each. Equal parts are sent once."""
    parts = {path: list(_parts(data)) for path, data in files.items()}
    sizes = dict[str, int]()
    for batch in _batches(parts):
        received = server.upload({path: _content(data) for path, data in batch.items()})
        for path, data in batch.items():
            if received.get(path) != (digest := sha256(data).hexdigest()):
                raise DamagedAnswer(f"{path} did not arrive as it was sent.", "Try again.")
            sizes[digest] = len(data)
        add_bytes(sum(map(len, batch.values())))
    # Also count parts that were not sent because another file has the same.
    add_bytes(sum(map(len, files.values())) - sum(sizes.values()))
    return {path: {"uploads": [sha256(each).hexdigest() for each in some]} for path, some in parts.items()}


def _parts(data: bytes) -> Iterator[bytes]:
    for start in range(0, max(len(data), 1), PART):
        yield data[start : start + PART]


def _batches(parts: Mapping[str, list[bytes]]) -> Iterator[dict[str, bytes]]:
    """Group the distinct parts into batches that fit into one call. A batch has at most one part of each path."""
    seen, batch, size = set[str](), dict[str, bytes](), 0
    for path, some in parts.items():
        for data in some:
            if (digest := sha256(data).hexdigest()) in seen:
                continue
            seen.add(digest)
            more = _json_size({path: _content(data)})
            if batch and (path in batch or size + more > AT_ONCE):
                yield batch
                batch, size = {}, 0
            batch[path] = data
            size += more
    if batch:
        yield batch


def _content(data: bytes) -> Content:
    return data.decode() if is_text(data) else {"base64": b64encode(data).decode()}


def _json_size(files: Mapping[str, Content]) -> int:
    return len(json.dumps(files, ensure_ascii=False).encode())
