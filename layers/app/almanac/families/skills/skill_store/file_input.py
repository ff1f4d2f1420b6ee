"""The files of a skill as a caller sends them, converted to bytes without secrets."""

import binascii
from base64 import b64decode
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Annotated

from msgspec import Meta, Struct
from msgspec.structs import replace

from almanac.content.redaction import SecretFinding, redact
from almanac.families.skills.bundle.file_kinds import is_text
from almanac.families.skills.bundle.files import MAX_FILES, check_file_size, check_totals
from almanac.families.skills.bundle.paths import check_path
from almanac.families.skills.core.records import UPLOADS
from almanac.families.skills.core.skills import SkillProject
from almanac.kernel.errors import InvalidInput

_MAX_PARTS = 64
_SHOWN = 80

Digest = Annotated[str, Meta(pattern="^[0-9a-f]{64}$")]


class SkillFileInput(Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """Bytes in base64, or `uploads`: parts sent before, in order."""

    base64: str | None = None
    uploads: Annotated[list[Digest], Meta(min_length=1, max_length=_MAX_PARTS)] | None = None


Files = Annotated[
    dict[str, str | SkillFileInput],
    Meta(
        description="Files by path: text, {base64} or {uploads: [sha256]}. Left out, the old ones stay.",
        max_length=MAX_FILES - 1,
        examples=[{"references/format.md": "# Format\n"}],
    ),
]


class CleanFile(Struct, frozen=True):
    """A file without secrets. `findings` are the secrets removed from `data`; `lost` are the kinds removed from its
    uploads before."""

    data: bytes
    findings: tuple[SecretFinding, ...] = ()
    lost: tuple[str, ...] = ()


def decode_bytes(path: str, file: str | SkillFileInput) -> bytes:
    """Return the bytes that the call itself carries. Raises InvalidInput if they cannot be decoded."""
    if isinstance(file, str):
        return text_bytes(file, path)
    if file.base64 is None or file.uploads is not None:
        raise InvalidInput(
            f"{path[:_SHOWN]!a} needs exactly one of text, base64 and uploads.", "Give one of them.", path="files"
        )
    try:
        return b64decode(file.base64, validate=True)
    except (binascii.Error, ValueError) as broken:
        raise InvalidInput(f"{path[:_SHOWN]!a} is not base64.", "Send RFC 4648 base64.", path="files") from broken


def text_bytes(text: str, path: str) -> bytes:
    """Encode a text. Raises InvalidInput for lone surrogates."""
    try:
        return text.encode()
    except UnicodeEncodeError as broken:
        raise InvalidInput(
            f"{path[:_SHOWN]!a} has incomplete characters (lone surrogates).",
            "Send valid Unicode, or base64.",
            path="files",
        ) from broken


def remove_secrets(path: str, data: bytes) -> CleanFile:
    """Remove secrets from a text file. Other bytes stay as they are."""
    if not is_text(data):
        return CleanFile(data)
    redacted = redact(data.decode())
    findings = tuple(replace(each, path=path) for each in redacted.findings)
    return CleanFile(redacted.text.encode() if findings else data, findings)


def read_sent_files(
    project: SkillProject, files: Mapping[str, str | SkillFileInput], skill_md_bytes: int
) -> dict[str, CleanFile]:
    """Return every sent file by its path. Raises InvalidInput for an unsafe path, over the limits, and for a missing
    upload."""
    uploaded = _read_uploads(project, files)
    found: dict[str, tuple[bytes, tuple[str, ...]]] = {}
    total = skill_md_bytes
    for path, file in files.items():
        check_path(path)
        if isinstance(file, SkillFileInput) and file.uploads is not None and file.base64 is None:
            parts = [uploaded[each] for each in file.uploads]
            found[path] = (b"".join(data for data, _ in parts), tuple(kind for _, lost in parts for kind in lost))
        else:
            found[path] = (decode_bytes(path, file), ())
        check_file_size(path, len(found[path][0]))
        # Check before joining the next file: a small call can name the same large upload again and again.
        check_totals(len(found) + 1, total := total + len(found[path][0]))
    return {path: replace(remove_secrets(path, data), lost=lost) for path, (data, lost) in found.items()}


def _read_uploads(
    project: SkillProject, files: Mapping[str, str | SkillFileInput]
) -> dict[str, tuple[bytes, tuple[str, ...]]]:
    wanted = dict.fromkeys(
        each
        for file in files.values()
        if isinstance(file, SkillFileInput) and file.base64 is None
        for each in file.uploads or ()
    )
    found = project.rows(UPLOADS).by_id(wanted)
    whole = {name: each for name, each in found.items() if sha256(each.data).hexdigest() == each.stored}
    missing = [each for each in wanted if each not in whole]
    if missing:
        raise InvalidInput(
            f"{_list_missing(missing)} missing: no content with this SHA-256 was uploaded to this project "
            "in the last day.",
            "Send the contents with upload_only=true, and call again.",
            path="files",
        )
    return {name: (each.data, each.redacted) for name, each in whole.items()}


def _list_missing(missing: Sequence[str]) -> str:
    more = f" and {len(missing) - 3} more are" if len(missing) > 3 else " is" if len(missing) == 1 else " are"
    return f"{', '.join(missing[:3])}{more}"
