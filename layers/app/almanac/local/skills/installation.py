"""Install skills of this machine on a server, one by one. A problem with one skill does not stop the others."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

import msgspec
from msgspec import Struct

from almanac.composition.commands.skills import Archive, DefaultSkill, FormatFinding, default_skills
from almanac.kernel.errors import AlmanacError, NotFound, Unavailable
from almanac.local.client.patient_calls import Rejected, ServerRefusal
from almanac.local.skills.server import SkillServer
from almanac.local.skills.sources import read_source
from almanac.local.skills.upload import send, size_of


class Source(Struct, frozen=True):
    """Source of a skill, as the user named it. Either `skill` or `problem` is set."""

    said: str
    skill: Archive | None = None
    problem: str | None = None

    @property
    def size(self) -> int:
        return size_of(self.skill) if self.skill is not None else 0


class InstallReport(Struct, frozen=True, kw_only=True):
    """Report on the installation of a skill. If `ok` is false, it is not installed, and `problem` says why. If
    `changed` is false, the same skill was installed already. `files` and `bytes` count the whole skill; `left_out`
    lists what is not part of it."""

    source: str
    ok: bool
    name: str | None = None
    version: int | None = None
    changed: bool = False
    valid: bool = False
    errors: tuple[FormatFinding, ...] = ()
    warnings: tuple[FormatFinding, ...] = ()
    redacted: tuple[str, ...] = ()
    files: int = 0
    bytes: int = 0
    left_out: tuple[str, ...] = ()
    problem: str | None = None


def sources_at(paths: Iterable[Path]) -> Iterator[Source]:
    for path in paths:
        try:
            yield Source(str(path), read_source(path))
        except AlmanacError as refused:
            yield Source(str(path), problem=str(refused))


def default_sources(names: Iterable[str], *, every: bool) -> Iterator[Source]:
    """Yield the named skills of Almanac's own catalogue, or all of them if `every` is true."""
    catalogue = {skill.name: skill for skill in default_skills()}
    for name in catalogue if every else dict.fromkeys(names):
        skill = catalogue.get(name)
        if skill is None:
            known = ", ".join(catalogue)
            yield Source(name, problem=str(NotFound(f"No default skill is called {name}.", f"There are: {known}.")))
        else:
            yield Source(name, _archive(skill))


def install(
    server: SkillServer, sources: Iterable[Source], add_bytes: Callable[[int], None], *, strict: bool
) -> Iterator[InstallReport]:
    """Install the skills and yield a report on each, including its problem if it has one. Raises Unavailable and
    ServerRefusal if the server does not answer or refuses the key, because all other skills would fail as well."""
    for source in sources:
        if source.skill is None:
            yield InstallReport(source=source.said, ok=False, problem=source.problem)
            continue
        left_out = source.skill.left_out
        try:
            answer = send(server, source.skill, add_bytes, strict=strict)
        except AlmanacError as refused:
            if isinstance(refused, Unavailable | ServerRefusal) and not isinstance(refused, Rejected):
                raise
            yield InstallReport(source=source.said, ok=False, problem=str(refused), left_out=left_out)
            continue
        yield InstallReport(
            source=source.said,
            ok=answer["ok"],
            name=answer["name"],
            version=answer["version"],
            changed=answer["changed"],
            valid=answer["valid"],
            errors=msgspec.convert(answer["errors"], tuple[FormatFinding, ...]),
            warnings=msgspec.convert(answer["warnings"], tuple[FormatFinding, ...]),
            redacted=tuple(answer["redacted"]),
            files=answer["files"],
            bytes=answer["size"],
            left_out=left_out,
            problem=answer["refused"],
        )


def _archive(skill: DefaultSkill) -> Archive:
    return Archive(skill.skill_md, {path: text.encode() for path, text in skill.files.items()}, skill.name)
