"""Estimate the number of tokens of a text, without a vocabulary, and rather too high than too low.

Models differ, so the estimate rests on traits that byte pair encodings share. They cut a text into words, numbers of
three digits, runs of punctuation and single characters of rarer scripts. English words are mostly one token each. Words
of other languages in Latin letters break into pieces of two to four letters. Ids, hashes and base64 break into pairs.
The words around a word show its language: in English and in code about every fourth word is one of a few common ones.
"""

import json
import re
from bisect import bisect_right
from collections.abc import Mapping
from functools import lru_cache
from typing import Any, NamedTuple, cast

_PIECES = re.compile(
    r"(?P<mixed>(?=[A-Za-z]{0,40}[0-9])(?=[0-9]{0,40}[A-Za-z])[A-Za-z0-9+/]{12,})"
    r"|(?P<word>[A-Z]?[a-z]+)"
    r"|(?P<capitals>[A-Z]+)"
    r"|(?P<digits> ?[0-9]+)"
    r"|(?P<space>  +|[^\S ]+)"
    r"|(?P<signs>[!-/:-@\[-`{-~]+)"
    r"|(?P<other>[^\x00-\x7f]+)"
    r"|(?P<rest>[^ ])",
    re.DOTALL,
)
"""Splits a text into pieces. A single space is no piece and costs nothing, unless it stands before a number."""
_WHOLE_PIECES = re.compile(re.sub(r"\(\?P<\w+>", "(?:", _PIECES.pattern), re.DOTALL)
"""The same pattern without named groups, which takes a third of the time."""
_SHORT = 24
_CACHED_PIECES = 8192
"""Number of short pieces whose weights are cached, because most of a text repeats the same words."""
_RULES = re.compile(r"(.)\1{3,}")
_LIST = """
the of and to is in that it for you was with on as be are this have not at or from by an we can will if they which all
would there what their so up out about who get when your more said could them then than some its our new just like only
how into time do does did has had been were but no yes my me he she his her us also should now use used using any one
two where here because after before between over under every each see need want know think
def return self none true false import class else elif print str int list dict string null const let var function public
static void type name value key path file data error test run code line user set id async await except raise assert
lambda yield while break case try catch throw begin end role content session actor title kind note notes tags tool
message
"""
_ENGLISH = frozenset(_LIST.split())
_WINDOW = 60
"""Number of words whose language is judged together."""
_GUESSES = 7
_LONG = 32
"""Texts with more characters are judged separately, because the rest of a value may be in another language."""
_ENOUGH = 0.25
"""Share of words from the list at which a text counts as English."""

# The first code point of each script, and the tokens per character.
_SCRIPTS = (
    (0x80, 1.0),
    (0x250, 1.0),
    (0x370, 1.05),
    (0x400, 0.6),
    (0x530, 1.9),
    (0x590, 1.25),
    (0x600, 0.9),
    (0x700, 2.0),
    (0x900, 1.3),
    (0x980, 2.0),
    (0xE00, 1.0),
    (0xE80, 2.6),
    (0x1E00, 1.2),
    (0x2000, 1.0),
    (0x2070, 1.9),
    (0x3000, 1.0),
    (0x3040, 0.95),
    (0x3400, 3.0),
    (0x4E00, 1.28),
    (0xA000, 3.0),
    (0xAC00, 1.12),
    (0xD7B0, 3.0),
    (0xFE00, 1.2),
    (0xFF00, 1.3),
    (0xFFF0, 3.0),
    (0x10000, 4.0),
    (0x1F000, 2.8),
    (0x20000, 4.0),
)
_BEGINS = tuple(begin for begin, _ in _SCRIPTS)
_COSTS = tuple(cost for _, cost in _SCRIPTS)


def tokens_of(text: str) -> int:
    """Return the estimated number of tokens in `text`."""
    total, english, foreign, words, common = 0.0, 0.0, 0.0, 0, 0
    for piece in _WHOLE_PIECES.findall(text):
        as_english, as_foreign, is_known, cost = _cached_weight(piece) if len(piece) <= _SHORT else _weigh(piece)
        if as_english:
            english += as_english
            foreign += as_foreign
            words += 1
            common += is_known
            if words == _WINDOW:
                total += _mix_estimates(english, foreign, words, common)
                english, foreign, words, common = 0.0, 0.0, 0, 0
        else:
            total += cost
    return round(total + _mix_estimates(english, foreign, words, common) + 0.5)


class _Weight(NamedTuple):
    """The estimated tokens of a word as English and as another language, and whether it is a common English word.

    A piece that is no word has only a `cost` in tokens."""

    as_english: float
    as_foreign: float
    is_known: bool
    cost: float


def _weigh(text: str) -> _Weight:
    """Return the weight of a piece, which does not depend on the text around it."""
    piece = _PIECES.match(text)
    if piece is None:
        return _Weight(0.0, 0.0, False, 0.0)
    kind, length = piece.lastgroup, len(text)
    if kind != "word":
        return _Weight(0.0, 0.0, False, _cost(kind, length, piece))
    english = 1.02 if length < 7 else 0.78 + 0.06 * length
    foreign = max(1.0, 0.38 * length) if length < 20 else 0.55 * length
    return _Weight(english, foreign, text.lower() in _ENGLISH, 0.0)


_cached_weight = lru_cache(_CACHED_PIECES)(_weigh)


def _mix_estimates(english: float, foreign: float, words: int, common: int) -> float:
    share = min(1.0, common / (_ENOUGH * words)) if words else 1.0
    return share * english + (1 - share) * foreign


def _cost(kind: str | None, length: int, piece: re.Match[str]) -> float:
    match kind:
        case "mixed":
            return 0.74 * length
        case "capitals":
            return max(1.0, 0.4 * length)
        case "digits":
            return (length + 4) // 3 if piece[0][0] == " " else (length + 2) // 3
        case "space":
            return 1 + length // 64
        case "signs":
            return _signs(piece[0])
        case "other":
            return sum(_COSTS[bisect_right(_BEGINS, ord(one)) - 1] for one in piece[0])
        case _:
            return 1.0


def _signs(signs: str) -> float:
    """Return the tokens of a run of signs. Common combinations are one token, and long repetitions few."""
    if len(signs) <= 5:
        return max(1.0, 0.45 * len(signs))
    rules = [rule.end() - rule.start() for rule in _RULES.finditer(signs)]
    return len(rules) + sum(rules) / 16 + 0.7 * (len(signs) - sum(rules))


def tokens_of_json(value: Any) -> int:
    """Return the estimated number of tokens of a value as JSON without spaces."""
    texts: list[str] = []
    frame = _as_json(_without_texts(value, texts))
    return tokens_of(frame) + sum(tokens_of(_as_json(text)) for text in texts)


def cut_to_tokens(text: str, tokens: int) -> str:
    """Return the longest beginning of `text`, roughly, that has at most `tokens` tokens as a JSON string.

    It ends with a whole word if the text has words."""
    fits, too_long = 0, min(len(text), 16 * tokens) + 1
    length = min(too_long - 1, 3 * tokens)
    for _ in range(_GUESSES):
        count = tokens_of(_as_json(text[:length]))
        if count <= tokens:
            fits = length
        else:
            too_long = length
        if too_long - fits <= 1 or 0 <= tokens - count <= tokens // 32:
            break
        likely = length * tokens // count if count <= tokens else length * tokens * 31 // (count * 32)
        length = min(max(likely, fits + 1), too_long - 1)
    beginning = text[:fits]
    if fits == len(text):
        return text
    if not text[fits].isspace():
        words = beginning.rstrip().rpartition(" ")[0]
        beginning = words if len(words) > fits * 3 // 4 else beginning
    return beginning.rstrip()


def _as_json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _without_texts(value: Any, texts: list[str]) -> Any:
    """Return `value` with its long texts replaced by "" and appended to `texts`."""
    if isinstance(value, str):
        if len(value) <= _LONG:
            return value
        texts.append(value)
        return ""
    if isinstance(value, list | tuple):
        return [_without_texts(one, texts) for one in cast("list[Any]", value)]
    if isinstance(value, Mapping):
        fields = cast("Mapping[str, Any]", value)
        return {name: _without_texts(one, texts) for name, one in fields.items()}
    return value
