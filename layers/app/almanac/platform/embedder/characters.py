"""Splitting of texts into words, as BERT's uncased models do.

Words are in lower case, without accents. Punctuation and CJK characters are words of their own. Each character is
handled without its neighbours, so the time is linear in any text.
"""

import unicodedata

_REMEMBERED = 20_000
"""Limit of cached characters, so that a text with all of Unicode does not fill the memory."""

_CJK = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B820, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
_ASCII_SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
_UNSEEN = frozenset({"Cc", "Cf", "Co", "Cs"})
_WHITESPACE = frozenset("\t\n\r")


def words_of(text: str) -> list[str]:
    """Return the words and punctuation marks of a text in order, in lower case."""
    return text.translate(_READINGS).split()


class _Readings(dict[int, str]):
    """Replacement of each code point: nothing, a space, or its letters, with spaces around words of their own."""

    def __missing__(self, code: int) -> str:
        reading = _read_character(chr(code))
        if len(self) < _REMEMBERED:
            self[code] = reading
        return reading


def _read_character(character: str) -> str:
    category = unicodedata.category(character)
    if character in _WHITESPACE or category[0] == "Z":
        return " "
    if character == "\ufffd" or category in _UNSEEN:
        return ""
    letters = "".join(map(_letter, unicodedata.normalize("NFD", character)))
    return f" {letters} " if _is_cjk(ord(character)) else letters


def _letter(character: str) -> str:
    """Return the replacement of a decomposed character. Accents are dropped."""
    category = unicodedata.category(character)
    if category == "Mn":
        return ""
    lower = character.lower()
    return f" {lower} " if category[0] == "P" or character in _ASCII_SIGNS else lower


def _is_cjk(code: int) -> bool:
    """Return whether a character is Han. Japanese and Korean syllables stay within their words."""
    return any(first <= code <= last for first, last in _CJK)


_READINGS = _Readings()
