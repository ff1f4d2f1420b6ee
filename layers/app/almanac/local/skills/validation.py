"""Validation of a skill before it is sent anywhere."""

from pathlib import Path

from msgspec import Struct

from almanac.composition.commands.skills import FormatFinding, bundle_of, read_skill
from almanac.kernel.errors import InvalidInput
from almanac.local.skills.sources import read_source


class Verdict(Struct, frozen=True):
    """Result of a validation. `valid` is true if the reference validator accepts the skill and it is within the limits.
    `loads` is true if a lenient client can use it. `files` and `bytes` count the whole skill. `left_out` lists paths
    that are not part of it."""

    path: str
    valid: bool
    loads: bool
    name: str | None = None
    version: str | None = None
    errors: tuple[FormatFinding, ...] = ()
    warnings: tuple[FormatFinding, ...] = ()
    files: int = 0
    bytes: int = 0
    left_out: tuple[str, ...] = ()


def verdict_on(path: Path) -> Verdict:
    """Validate the skill at a path. Problems of the skill are part of the verdict and are never raised."""
    try:
        source = read_source(path)
        size = len(source.skill_md.encode())
        files = bundle_of(source.files, size)
    except InvalidInput as refused:
        problem = FormatFinding("", "bundle", _printable_path(str(refused)))
        return Verdict(_printable_path(str(path)), valid=False, loads=False, errors=(problem,))
    reading = read_skill(source.skill_md, source.folder)
    manifest = reading.manifest
    return Verdict(
        _printable_path(str(path)),
        reading.valid,
        manifest is not None,
        manifest.name if manifest else None,
        manifest.version if manifest else None,
        reading.errors,
        reading.warnings,
        len(files) + 1,
        size + sum(file.size for file in files),
        tuple(map(_printable_path, source.left_out)),
    )


def _printable_path(path: str) -> str:
    """Return a text in which characters that UTF-8 cannot encode are replaced, because a path may have some."""
    return path.encode(errors="replace").decode()
