"""Add Almanac's entries to the text of a configuration file, and remove exactly these entries again."""

import json
import re
import tomllib
from collections.abc import Iterator, Sequence
from hashlib import sha256
from typing import Any, Literal, cast

from msgspec import Struct

from almanac.platform.clients.entries import as_inline_toml, as_toml
from almanac.platform.clients.json_text import JsonText, NotEditable, cut

Json = dict[str, Any]
Format = Literal["json", "toml", "whole"]
MARKER = "almanac_hook.py"
"""Name of the hook script. Each of Almanac's hooks contains it."""
_MOST_BRACES = 100
"""Maximum number of closing braces to try as the place of a new entry. Each attempt parses the whole file."""


class Entry(Struct, frozen=True):
    """Entry of a configuration file: the member at `path`, or an item of the array at `path` if `is_item` is true. An
    entry with `is_shared` may exist already with any value. It is not removed while other entries remain."""

    path: tuple[str, ...]
    value: Any
    is_item: bool = False
    is_shared: bool = False


class OwnedPieces(Struct, frozen=True, kw_only=True):
    """Pieces of a configuration file that Almanac inserted. `pieces` holds their positions and texts, in the order of
    insertion. `digest` identifies the text of the file after the insertion. `made` lists the paths of the objects and
    arrays that had to be created. `before` is the original text of a blank file, or None for a file with content."""

    format: Format
    entries: tuple[Entry, ...] = ()
    pieces: tuple[tuple[int, str], ...] = ()
    made: tuple[tuple[str, ...], ...] = ()
    before: str | None = None
    digest: str = ""


class EditedByHand(Exception):
    """Raised if a user has edited one of Almanac's entries. The message shows the entry."""


class NameTaken(NotEditable):
    """Raised if the file already has an entry with the same name as Almanac's, but with another value."""


def add(text: str, kind: Format, entries: Sequence[Entry]) -> tuple[str, OwnedPieces]:
    """Return the text with the entries added, and the inserted pieces. Raises NotEditable."""
    blank = text if not text.strip() else None
    if kind == "toml":
        return _add_table(text, entries[0])
    after = "{}\n" if blank is not None else text
    pieces: list[tuple[int, str]] = []
    made: list[tuple[str, ...]] = []
    added: list[Entry] = []
    for entry in entries:
        read = JsonText(after)
        present = read.at(entry.path)
        if entry.is_item:
            if isinstance(present, list) and entry.value in present:
                continue
        elif present is not None:
            if entry.is_shared or present == entry.value:
                continue
            raise NameTaken(f"it has another {'.'.join(entry.path)} already, which is left as it is")
        ends = range(1, len(entry.path) + entry.is_item)
        made += [entry.path[:end] for end in ends if read.at(entry.path[:end]) is None]
        put = read.with_item if entry.is_item else read.with_member
        after, insertions = put(entry.path, entry.value)
        pieces += insertions
        added.append(entry)
    owned = OwnedPieces(
        format=kind,
        entries=tuple(added),
        pieces=tuple(pieces),
        made=tuple(made),
        before=blank,
        digest=digest(after),
    )
    return after, owned


def remove(text: str, owned: OwnedPieces) -> str:
    """Return the text without Almanac's pieces. Raises EditedByHand and NotEditable."""
    if digest(text) == owned.digest:
        before = owned.before if owned.before is not None else _without_pieces(text, owned)
        if before is not None:
            return before
    match owned.format:
        case "whole":
            raise EditedByHand(text[:2000])
        case "toml":
            return _remove_table(text, owned)
        case "json":
            return _remove_entries(text, owned)


def has_all(text: str, owned: OwnedPieces) -> bool:
    """Tell whether the text contains all of Almanac's entries, unchanged."""
    try:
        match owned.format:
            case "whole":
                return digest(text) == owned.digest
            case "toml":
                return _table(tomllib.loads(text), owned.entries[0].path) == owned.entries[0].value
            case "json":
                read = JsonText(text or "{}")
                return all(_is_in(read, entry) for entry in owned.entries)
    except (NotEditable, ValueError):
        return False


def digest(text: str) -> str:
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def _is_in(read: JsonText, entry: Entry) -> bool:
    present = read.at(entry.path)
    if entry.is_item:
        return isinstance(present, list) and entry.value in present
    return present == entry.value or (entry.is_shared and present is not None)


def _without_pieces(text: str, owned: OwnedPieces) -> str | None:
    after: str | None = text
    for piece in reversed(owned.pieces):
        after = cut(after, [piece]) if after is not None else None
    return after


def _remove_entries(text: str, owned: OwnedPieces) -> str:
    if not text.strip():
        return text
    for entry in owned.entries:
        if not entry.is_shared:
            text = _without_item(text, entry, owned) if entry.is_item else _without_member(text, entry)
    for path in sorted(owned.made, key=len, reverse=True):
        read = JsonText(text)
        if read.at(path) in ({}, []):
            text = read.without(path)
    shared = {entry.path[0] for entry in owned.entries if entry.is_shared}
    if owned.before is not None and set(JsonText(text).value) <= shared:
        return owned.before
    return text


def _without_member(text: str, entry: Entry) -> str:
    read = JsonText(text)
    present = read.at(entry.path)
    if present is None:
        return text
    if present != entry.value:
        raise EditedByHand(_format_json({entry.path[-1]: present}))
    return read.without(entry.path)


def _without_item(text: str, entry: Entry, owned: OwnedPieces) -> str:
    read = JsonText(text)
    present = read.at(entry.path)
    items = cast("list[Any]", present) if isinstance(present, list) else []
    if entry.value in items:
        return read.without(entry.path, items.index(entry.value))
    ours = [other.value for other in owned.entries]
    if edited := [one for one in items if MARKER in json.dumps(one) and one not in ours]:
        raise EditedByHand(_format_json(edited))
    return text


def _format_json(value: Any) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False, default=str)


def _add_table(text: str, entry: Entry) -> tuple[str, OwnedPieces]:
    before = _toml(text)
    if (present := _table(before, entry.path)) is not None:
        if present == entry.value:
            return text, OwnedPieces(format="toml", entries=(), digest=digest(text))
        raise NameTaken(f"it has another {'.'.join(entry.path)} already, which is left as it is")
    servers: Json = {**before.get(entry.path[0], {}), entry.path[-1]: entry.value}
    expected = {**before, entry.path[0]: servers}
    newline = "\r\n" if "\r\n" in text else "\n"
    gap = "" if not text or text.endswith(("\n\n", "\n\r\n")) else "\n" if text.endswith("\n") else "\n\n"
    piece = f"{gap}{as_toml(entry.path[0], entry.value)}\n".replace("\n", newline)
    inline = f"{entry.path[-1]} = {as_inline_toml(entry.value)}"
    places = ((len(text), piece), *_ends_of_inline_tables(text, inline))
    for at, piece in places:
        after = f"{text[:at]}{piece}{text[at:]}"
        if _means(after, expected):
            return after, OwnedPieces(format="toml", entries=(entry,), pieces=((at, piece),), digest=digest(after))
    raise NotEditable(f"{entry.path[0]} is written there in a way that nothing can be added to; write it as tables")


def _ends_of_inline_tables(text: str, inline: str) -> Iterator[tuple[int, str]]:
    """Yield positions before closing braces, each with the text to insert there. The caller parses the result to find
    out whether the brace closes the table of servers."""
    braces = [at for at, character in enumerate(text) if character == "}"][:_MOST_BRACES]
    for brace in braces:
        at = len(text[:brace].rstrip())
        yield at, f", {inline}"
        yield at, f" {inline} "


def _means(text: str, value: Json) -> bool:
    try:
        return tomllib.loads(text) == value
    except ValueError:
        return False


def _remove_table(text: str, owned: OwnedPieces) -> str:
    entry, (_, piece) = owned.entries[0], owned.pieces[0]
    before = _toml(text)
    present = _table(before, entry.path)
    if present is None:
        return text
    if present != entry.value:
        raise EditedByHand(_format_json({entry.path[-1]: present}))
    left = {**before, entry.path[0]: {n: v for n, v in before[entry.path[0]].items() if n != entry.path[-1]}}
    if not left[entry.path[0]]:
        del left[entry.path[0]]
    header = re.escape(f"[{'.'.join(entry.path)}]")
    own_lines = re.compile(rf"^{header}[^\n]*\n(?:(?![ \t]*\[)[^\n]*(?:\n|\Z))*", re.MULTILINE)
    emptied = before | {entry.path[0]: left.get(entry.path[0], {})}
    for after in (text.replace(piece, "", 1), text.replace(piece.lstrip("\r\n"), "", 1), own_lines.sub("", text, 1)):
        # Keep an inline table that is empty now.
        if _means(after, left) or _means(after, emptied):
            return after
    raise EditedByHand(as_toml(entry.path[0], entry.value))


def _table(value: Json, path: Sequence[str]) -> Any:
    found: Any = value
    for name in path:
        found = cast("Json", found).get(name) if isinstance(found, dict) else None
    return found


def _toml(text: str) -> Json:
    try:
        return tomllib.loads(text)
    except ValueError as broken:
        raise NotEditable(f"it is not TOML: {str(broken)[:100]}") from None
