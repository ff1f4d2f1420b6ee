"""Texts of teammates as data, without invisible characters and with notes about texts that look like instructions."""

from collections.abc import Mapping
from typing import Any, cast

from almanac.content import clean, quote_fields

SOURCE = "team"


class TextQuoter:
    """Cleans the texts of one row and collects notes about them."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}

    @property
    def notes(self) -> tuple[str, ...]:
        """Notes about suspicious texts. Each begins with the name of its field."""
        return quote_fields(self._texts, SOURCE).notes

    def text(self, name: str, value: str, others_words: str | None = None) -> str:
        """Return a text of the row, cleaned for display.

        `others_words` is the part of it that others wrote, which alone is judged; by default the whole text."""
        self._texts[name] = value if others_words is None else others_words
        return clean(value).text

    def optional_text(self, name: str, value: str | None) -> str | None:
        return None if value is None else self.text(name, value)

    def json(self, name: str, value: Any) -> Any:
        """Return a JSON value of the row, cleaned for display. Its texts are judged together, as a reader sees them."""
        texts: list[str] = []
        shown = _clean_value(value, texts)
        if texts:
            self._texts[name] = "\n".join(texts)
        return shown


def _clean_value(value: Any, texts: list[str]) -> Any:
    if isinstance(value, str):
        texts.append(value)
        return clean(value).text
    if isinstance(value, list):
        return [_clean_value(each, texts) for each in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        texts += fields.keys()
        return {name: _clean_value(each, texts) for name, each in fields.items()}
    return value
