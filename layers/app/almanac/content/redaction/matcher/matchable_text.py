"""A text as bytes with one byte per character, so that byte offsets are character offsets.

Full width letters, look-alikes of other scripts, typographic quotes, and words for password in other languages become
their plain equivalents, so that secrets after them are found as well.
"""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import re
from bisect import bisect_right
from collections.abc import Sequence
from functools import cache

from msgspec import Struct

_QUOTES = {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u201e": '"', "\u00ab": '"', "\u00bb": '"'}
_SPACES = "\u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000"
_LINE_ENDS = "\u0085\u2028\u2029"
_ELLIPSIS = "\u2026"
_DASHES = "\u2010\u2011\u2012\u2013\u2014\u2212"
# A letter, then its Cyrillic and Greek look-alikes.
_LOOK_ALIKES = [
    "aаα",
    "cс",
    "eе",
    "iі",
    "jј",
    "kк",
    "lł",
    "oоο",
    "pр",
    "sѕ",
    "vν",
    "xх",
    "yу",
    "AАΑ",
    "BВΒ",
    "CС",
    "EЕΕ",
    "HНΗ",
    "IІΙ",
    "KКΚ",
    "MМΜ",
    "NΝ",
    "OОΟ",
    "PРΡ",
    "SЅ",
    "TТΤ",
    "XХΧ",
    "YΥ",
    "ZΖ",
]
# Each replacement is as long as the original.
_PASSWORD = {
    "비밀번호": "pass",
    "패스워드": "pass",
    "비번": "pw",
    "암호": "pw",
    "密码": "pw",
    "密碼": "pw",
    "口令": "pw",
    "パスワード": "pswrd",
    "пароль": "passwd",
    "Пароль": "passwd",
}
_HIDDEN = "\u00ad\u034f\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u2060\u2061\u2062\u2063\u2064\ufe0e\ufe0f\ufeff"
_FOREIGN = re.compile(r"[^\x00-\x7f]+")


class MatchableText(Struct, frozen=True):
    """Text as `data`. `left_out` has, for each removed character, the number of bytes before it."""

    data: bytes
    left_out: Sequence[int] = ()

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Convert byte offsets to character offsets of the text. `end` must be after `start`."""
        if not self.left_out:
            return start, end
        return start + bisect_right(self.left_out, start), end + bisect_right(self.left_out, end - 1)


@cache
def _letters() -> dict[int, str]:
    table: dict[int, str] = {ord(sign): plain for sign, plain in _QUOTES.items()}
    table |= {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    table |= {ord(space): " " for space in _SPACES} | {ord(end): "\n" for end in _LINE_ENDS}
    table |= {ord(dash): "-" for dash in _DASHES} | {ord(_ELLIPSIS): "\x85"}
    return table | {ord(other): group[0] for group in _LOOK_ALIKES for other in group[1:]}


def to_matchable(text: str) -> MatchableText:
    """Convert any text, even with lone surrogates. Characters without a byte become question marks."""
    if text.isascii():
        return MatchableText(text.encode("ascii"))
    left_out = [mark.start() - before for before, mark in enumerate(_hidden().finditer(text))]
    if left_out:
        text = _hidden().sub("", text)
    for word, same in _PASSWORD.items():
        text = text.replace(word, same)
    return MatchableText(_FOREIGN.sub(_plain, text).encode("latin-1", "replace"), left_out)


def _plain(run: re.Match[str]) -> str:
    return run.group().translate(_letters())


@cache
def _hidden() -> re.Pattern[str]:
    return re.compile(f"[{_HIDDEN}]")
