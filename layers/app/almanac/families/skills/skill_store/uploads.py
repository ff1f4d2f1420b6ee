"""Contents that are sent before their skill, because they do not fit into one call."""

from collections.abc import Mapping
from hashlib import sha256

from msgspec import Struct

from almanac.families.skills.bundle.files import check_file_size
from almanac.families.skills.bundle.paths import check_path
from almanac.families.skills.core.records import UPLOAD_MS, UPLOADS, SkillUpload
from almanac.families.skills.core.skills import SkillProject
from almanac.families.skills.skill_store.contents import write_in_steps
from almanac.families.skills.skill_store.file_input import CleanFile, SkillFileInput, decode_bytes, remove_secrets
from almanac.platform.redactions.rows import redaction_changes


class UploadResult(Struct, frozen=True):
    """A stored upload. `sha256` and `size` belong to the bytes as they were sent."""

    path: str
    sha256: str
    size: int


def upload(project: SkillProject, files: Mapping[str, str | SkillFileInput]) -> tuple[UploadResult, ...]:
    """Store contents for a day. Raises InvalidInput for a content that cannot be decoded, is too large, or is itself an
    upload."""
    read = {path: decode_bytes(path, file) for path, file in files.items()}
    for path, data in read.items():
        check_file_size(check_path(path), len(data))
    digests = {path: sha256(data).hexdigest() for path, data in read.items()}
    wanted = {digests[path]: path for path in read}
    now = project.now()
    expires_at = now + UPLOAD_MS
    rows = project.rows(UPLOADS)
    ready = [(digest, remove_secrets(path, read[path])) for digest, path in wanted.items()]
    write_in_steps(
        project, ((rows.put(_upload_record(digest, sent, expires_at)), len(sent.data)) for digest, sent in ready)
    )
    told = redaction_changes(project, "upload", "skill", [each for _, sent in ready for each in sent.findings], now)
    if told:
        project.store.write(told)
    return tuple(UploadResult(path, digests[path], len(data)) for path, data in read.items())


def _upload_record(digest: str, sent: CleanFile, expires_at: int) -> SkillUpload:
    return SkillUpload(
        sha256=digest,
        stored=sha256(sent.data).hexdigest(),
        data=sent.data,
        redacted=tuple(dict.fromkeys(each.kind for each in sent.findings)),
        expires_at=expires_at,
    )
