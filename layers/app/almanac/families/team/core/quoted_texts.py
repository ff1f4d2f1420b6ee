"""Texts of teammates as data: invisible characters removed, with notes about what looks like instructions."""

from collections.abc import Mapping
from typing import Any, cast

from almanac.content import clean, quoted_fields

SOURCE = "team"


class TextQuoter:
    """Cleans the texts of one row, and collects notes about them."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Each begins with the name of its field."""
        return quoted_fields(self._texts, SOURCE).notes

    def text(self, name: str, value: str) -> str:
        """A text of the row, as it is shown."""
        self._texts[name] = value
        return clean(value).text

    def maybe(self, name: str, value: str | None) -> str | None:
        return None if value is None else self.text(name, value)

    def json(self, name: str, value: Any) -> Any:
        """A JSON value of the row, as it is shown. Its texts are judged together, as whoever reads it sees them."""
        texts: list[str] = []
        shown = _cleaned(value, texts)
        if texts:
            self._texts[name] = "\n".join(texts)
        return shown


def _cleaned(value: Any, texts: list[str]) -> Any:
    if isinstance(value, str):
        texts.append(value)
        return clean(value).text
    if isinstance(value, list):
        return [_cleaned(each, texts) for each in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        texts += fields.keys()
        return {name: _cleaned(each, texts) for name, each in fields.items()}
    return value
