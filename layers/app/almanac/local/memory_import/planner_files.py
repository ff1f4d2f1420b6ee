"""Import issues of beads as cards, and notes of basic-memory as notes of the planner."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal, cast

import msgspec
import yaml
from msgspec.structs import replace

from almanac.composition.commands.planner_import import BODY_BYTES, CardsImport, CardToImport, NotesImport, NoteToImport
from almanac.kernel.errors import AlmanacError, InvalidInput
from almanac.local.memory_import.importer import NotTaken
from almanac.local.memory_import.lines import lines_of

_STATES = {"in_progress": "started", "hooked": "started", "closed": "done"}
_PRIORITIES = ("urgent", "high", "normal", "low", "low")
_SECTIONS = {
    "design": "Design",
    "acceptance_criteria": "Acceptance criteria",
    "notes": "Notes",
    "close_reason": "Closed because",
    "external_ref": "Elsewhere",
}
_DATES = {"created_at": "created", "closed_at": "closed"}
_LABEL_CHARACTERS = 50
_MOST_LABELS = 29
_FRONT_BYTES = 64 * 1024
_FILE_BYTES = 4 * 1024 * 1024
_FENCE = "---"
_Link = tuple[str, Literal["blocks", "belongs_to"], str]


class PlannerReport(NotTaken):
    """Result of an import into the planner. `new`, `changed` and `known` count cards or notes, and `links` counts new
    links between cards."""

    new: int = 0
    changed: int = 0
    known: int = 0
    links: int = 0

    def count_stored(self, keep: Callable[[], str], place: str) -> None:
        """Store one card or note and count the outcome. Errors that may pass on a later attempt are raised again."""
        try:
            outcome = keep()
        except AlmanacError as problem:
            if problem.retryable:
                raise
            self.refused += 1
            self.note(f"{place}: {problem}")
        else:
            setattr(self, outcome, getattr(self, outcome) + 1)


def issues_file(path: Path) -> Path:
    """Return the file of issues in a repository or its folder .beads, or `path` itself if it is a file. Raises
    InvalidInput if a folder has none."""
    if not path.is_dir():
        return path
    for folder in (path / ".beads", path):
        for name in ("issues.jsonl", "beads.jsonl"):
            if (folder / name).is_file():
                return folder / name
    raise InvalidInput(
        f"There is no .beads/issues.jsonl in {path}.", "Write it by `bd export -o issues.jsonl`, and name that file."
    )


def import_issues(
    file: Path, cards: CardsImport | None, report: PlannerReport, progress: Callable[[int], None]
) -> None:
    """Import each issue as a card, then link the cards that block or contain others. A `cards` of None makes a dry
    run."""
    links: list[_Link] = []
    with file.open("rb") as source:
        for line in lines_of(source):
            place = f"{file}, line {line.number}"
            try:
                issue, more = _issue(msgspec.json.decode(line.text or b"null"))
            except _LeftOut as reason:
                report.leave_out(str(reason))
            except (ValueError, RecursionError) as problem:
                report.unreadable += 1
                report.note(f"{place}: {problem if isinstance(problem, _NoIssue) else 'It is not JSON, or too long.'}")
            else:
                links += more
                report.count_stored(lambda issue=issue: cards.keep(issue) if cards is not None else "new", place)
            progress(line.end)
    if cards is not None:
        for link in links:
            _link(cards, link, report)


def _link(cards: CardsImport, link: _Link, report: PlannerReport) -> None:
    try:
        linked = cards.link(*link)
    except AlmanacError as problem:
        if problem.retryable:
            raise
        report.refused += 1
        report.note(f"{' '.join(link)}: {problem}")
        return
    if linked is None:
        report.leave_out("links to issues that are not in the file")
    else:
        report.links += linked


class _LeftOut(Exception):
    """Raised for a line that is skipped on purpose. The text is the reason."""


class _NoIssue(ValueError):
    """Raised for a value that is not an issue in the form of beads. The text is the reason."""


def _issue(value: Any) -> tuple[CardToImport, list[_Link]]:
    """Return an issue's card and its links to other cards."""
    if not isinstance(value, Mapping):
        raise _NoIssue("It is not a JSON object.")
    issue = cast("Mapping[str, Any]", value)
    if issue.get("_type", "issue") != "issue":
        raise _LeftOut("lines that are no issues")
    name, title = _text(issue.get("id")), _text(issue.get("title"))
    if not name or not title:
        raise _NoIssue("id or title is missing.")
    if issue.get("status") == "tombstone" or issue.get("deleted_at"):
        raise _LeftOut("deleted there")
    priority = issue.get("priority")
    rank = priority if isinstance(priority, int) and 0 <= priority < len(_PRIORITIES) else 2
    kind = _text(issue.get("issue_type"))
    labels = [*([kind] if kind and kind != "task" else []), *map(_text, _list(issue.get("labels")))]
    card = CardToImport(
        name=name[:_LABEL_CHARACTERS],
        title=title,
        description=_cut_body(_description(issue)),
        state=cast(Any, _STATES.get(_text(issue.get("status")), "open")),
        priority=cast(Any, _PRIORITIES[rank]),
        labels=tuple(dict.fromkeys(label[:_LABEL_CHARACTERS] for label in labels if label))[:_MOST_LABELS],
    )
    links: list[_Link] = []
    for need in _objects(issue.get("dependencies")):
        other = _text(need.get("depends_on_id"))[:_LABEL_CHARACTERS]
        match need.get("type", "blocks"):
            case "blocks" if other:
                links.append((other, "blocks", card.name))
            case "parent-child" if other:
                links.append((card.name, "belongs_to", other))
            case _:
                pass
    return card, links


def _description(issue: Mapping[str, Any]) -> str:
    parts = [_text(issue.get("description"))]
    parts += [f"## {title}\n\n{text}" for name, title in _SECTIONS.items() if (text := _text(issue.get(name)))]
    others: dict[str, list[str]] = {}
    for need in _objects(issue.get("dependencies")):
        if (kind := _text(need.get("type"))) not in ("", "blocks", "parent-child"):
            others.setdefault(kind, []).append(_text(need.get("depends_on_id")))
    parts += [f"{kind}: {', '.join(names)}" for kind, names in others.items()]
    sections = [
        f"- {_text(one.get('created_at'))[:10]} {_text(one.get('author'))}: {_text(one.get('text'))}"
        for one in _objects(issue.get("comments"))
    ]
    if sections:
        parts.append("## Comments\n\n" + "\n".join(sections))
    dated = [f"{label} {_text(issue.get(name))[:10]}" for name, label in _DATES.items() if issue.get(name)]
    if dated:
        parts.append(", ".join(dated))
    return "\n\n".join(part for part in parts if part)


def import_notes(
    folder: Path, notes: NotesImport | None, report: PlannerReport, progress: Callable[[int], None]
) -> None:
    """Import each Markdown file in the folder and its subfolders as a note. Each folder becomes a note above its files.
    A `notes` of None makes a dry run."""
    seen = set[tuple[str, ...]]()
    for count, file in enumerate(_files(folder, report), 1):
        note = _note(folder, file, report)
        if note is not None:
            # Imports find notes by their titles, so a second note of the same title also gets its file's name.
            if (name := (*note.folders, note.title.casefold())) in seen:
                note = replace(note, title=f"{note.title} ({file.stem})")
            seen.add(name)
            report.count_stored(lambda note=note: notes.keep(note) if notes is not None else "new", str(file))
        progress(count)


def count_notes(folder: Path) -> int:
    return sum(1 for _ in _files(folder, PlannerReport()))


def _files(folder: Path, report: PlannerReport) -> Iterator[Path]:
    if not folder.is_dir():
        yield folder
        return
    for file in sorted(folder.rglob("*")):
        inside = file.relative_to(folder).parts
        if any(part.startswith(".") for part in inside) or not file.is_file():
            continue
        if file.suffix.lower() == ".md":
            yield file
        else:
            report.leave_out("files that are no Markdown")


def _note(folder: Path, file: Path, report: PlannerReport) -> NoteToImport | None:
    try:
        text = _read(file)
    except (OSError, ValueError) as problem:
        report.unreadable += 1
        why = "It is no text in UTF-8." if isinstance(problem, UnicodeDecodeError) else problem
        report.note(f"{file}: {why}")
        return None
    front, body = _split_front_matter(text)
    title = _one_line(front.get("title")) or file.stem
    kind = _one_line(front.get("type"))
    tags = [*_tags(front.get("tags")), *([kind] if kind and kind != "note" else [])]
    inside = file.relative_to(folder).parts[:-1] if folder.is_dir() else ()
    root = folder.absolute().name if folder.is_dir() else file.absolute().parent.name
    return NoteToImport(
        folders=(root or "Notes", *inside),
        title=title,
        body=body.strip("\n"),
        tags=tuple(dict.fromkeys(tag[:_LABEL_CHARACTERS] for tag in tags if tag))[:30],
    )


def _read(file: Path) -> str:
    if file.stat().st_size > _FILE_BYTES:
        raise ValueError("It is too large.")
    return file.read_bytes().decode("utf-8-sig").replace("\x00", "").replace("\r\n", "\n")


class _Loader(yaml.SafeLoader):
    """YAML loader that rejects aliases, because a few lines with aliases can expand to a huge value."""

    def compose_node(self, parent: Any, index: Any) -> Any:
        if self.check_event(yaml.AliasEvent):  # pyright: ignore[reportUnknownMemberType]
            raise yaml.YAMLError("aliases are not read")
        return super().compose_node(parent, index)  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]


def _split_front_matter(text: str) -> tuple[Mapping[str, Any], str]:
    """Return the front matter and the text below it. Without readable front matter, return {} and the whole text."""
    if not text.startswith(_FENCE + "\n"):
        return {}, text
    front, found, body = text[len(_FENCE) + 1 :].partition(f"\n{_FENCE}")
    if not found or len(front) > _FRONT_BYTES:
        return {}, text
    try:
        read = yaml.load(front, _Loader)  # noqa: S506 - a loader of safe values
    except (yaml.YAMLError, ValueError, RecursionError):
        return {}, text
    rest = body.partition("\n")[2]
    return (cast("Mapping[str, Any]", read), rest) if isinstance(read, dict) else ({}, rest if read is None else text)


def _tags(value: Any) -> list[str]:
    parts = value.split(",") if isinstance(value, str) else _list(value)
    return [_one_line(part).lstrip("#") for part in parts]


def _one_line(value: Any) -> str:
    return "" if value is None else ", ".join(map(str, _list(value))) if isinstance(value, list) else str(value).strip()


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []


def _objects(value: Any) -> list[Mapping[str, Any]]:
    return [cast("Mapping[str, Any]", one) for one in _list(value) if isinstance(one, Mapping)]


def _cut_body(text: str) -> str:
    """Return `text` cut to the longest description that a card may have, with a note at the end if it was cut."""
    content = text.encode("utf-8", "replace")
    if len(content) <= BODY_BYTES:
        return content.decode()
    end = "\n\n(cut: it was too long)"
    return content[: BODY_BYTES - len(end)].decode("utf-8", "ignore") + end
