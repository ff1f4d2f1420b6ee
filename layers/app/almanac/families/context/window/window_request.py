"""The parsed arguments of a context window."""

from msgspec import Struct

from almanac.content import clean
from almanac.families.context.core.places import place_of
from almanac.families.context.window.files import FileFilter, file_path


class WindowRequest(Struct, frozen=True, kw_only=True):
    """The arguments of a context window. `file` is the open file in normal form, `command` the running command.
    `language` is in lower case. `pattern_files` limits the files that patterns may be about; None allows all."""

    session: str | None
    file: str | None
    command: str | None
    place: str | None
    language: str | None
    pattern_files: FileFilter | None
    max_tokens: int


def read_window(
    *,
    session: str | None,
    file: str | None,
    command: str | None,
    place: str | None,
    language: str | None,
    pattern_file: str | None,
    max_tokens: int,
) -> WindowRequest:
    """Parse the arguments. Raises InvalidInput for a place that leads out of itself, and for a malformed glob."""
    here = place_of(place)
    files = _text(pattern_file)
    return WindowRequest(
        session=session,
        file=file_path(file, here),
        command=_text(command),
        place=here,
        language=(_text(language) or "").lower() or None,
        pattern_files=FileFilter(files, here) if files else None,
        max_tokens=max_tokens,
    )


def _text(text: str | None) -> str | None:
    return (clean(text).text.strip() or None) if text is not None else None
