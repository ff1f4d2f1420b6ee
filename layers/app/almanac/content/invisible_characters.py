"""Removal of invisible characters from a text.

Removed are control characters except tab and line ends, bidi controls, zero width and other ignorable characters, tag
characters, stray variation selectors and lone surrogates. A control that ends a line becomes a line feed.

Some stay because text needs them: joiners inside emoji and next to letters of cursive and Indic scripts, zero width
spaces between letters of scripts without spaces, one matching variation selector after its base, and the three flags
made of tags. Right-to-left letters order themselves and need no controls. Nothing is normalised, since composing
characters would change the spelling of some names.
"""

import re
from collections import Counter
from dataclasses import dataclass
from functools import cache

from almanac.content import characters as ch


@dataclass(frozen=True, slots=True)
class RemovedCharacters:
    """`count` characters of one `kind`: control, bidi, invisible, tag, variation_selector or broken."""

    kind: str
    count: int


@dataclass(frozen=True, slots=True)
class CleanText:
    """Cleaned `text`, and the removed characters by kind, most frequent first."""

    text: str
    removed: tuple[RemovedCharacters, ...] = ()


_ASCII_SUSPECT = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_SUSPECT = ch.UNCONDITIONAL + ch.CONDITIONAL
# England, Scotland and Wales: the only sequences of tags that fonts draw.
_TAG_FLAGS = "|".join(
    "\U0001f3f4" + "".join(chr(0xE0000 + ord(letter)) for letter in region) + "\U000e007f"
    for region in ("gbeng", "gbsct", "gbwls")
)
_TAG_END = "\U000e007f"
_KINDS = (
    ("control", ch.CONTROLS),
    ("bidi", ch.BIDI),
    ("tag", ch.TAGS),
    ("variation_selector", ch.SELECTORS),
    ("broken", ch.BROKEN),
)
_SELECTOR_BASES = (
    (ch.PRESENTATION_SELECTORS, ch.EMOJI),
    (ch.STANDARD_SELECTORS, ch.STANDARD_BASES),
    (ch.IDEOGRAPHIC_SELECTORS, ch.IDEOGRAPHS),
    (ch.MONGOLIAN_SELECTORS, ch.MONGOLIAN),
)


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    # Compiled at first use, so that a cold start with ASCII text does not pay for it.
    return re.compile(pattern)


def _is(character: str, members: str) -> bool:
    return _compile(f"[{members}]").match(character) is not None


def _suspects(text: str) -> re.Pattern[str]:
    return _ASCII_SUSPECT if text.isascii() else _compile(f"[{_SUSPECT}]")


def clean(text: str) -> CleanText:
    """Return `text` without invisible characters. Cleaning clean text changes nothing. Takes linear time and never
    raises."""
    if not _suspects(text).search(text):
        return CleanText(text)
    removed: list[str] = []

    def drop(match: re.Match[str]) -> str:
        flag, run = match.groups()
        if flag:
            return flag
        removed.append(run)
        return "".join("\n" for character in run if character in ch.LINE_CONTROLS)

    def keep_meaningful(match: re.Match[str]) -> str:
        run = match.group()
        kept = _meaningful(match.string[: match.start()][-1:], run, match.string[match.end() : match.end() + 1])
        removed.append(_without(run, kept))
        return kept

    stripped = _compile(f"({_TAG_FLAGS})|([{ch.UNCONDITIONAL}]+)").sub(drop, text)
    return CleanText(_compile(f"[{ch.CONDITIONAL}]+").sub(keep_meaningful, stripped), _count_kinds("".join(removed)))


def visible(text: str) -> str:
    """Return `text` without joiners and selectors too: only the letters that a reader sees."""
    suspect = _suspects(text)
    return suspect.sub(_line_end, text) if suspect.search(text) else text


def _line_end(match: re.Match[str]) -> str:
    return "\n" if match.group() in ch.LINE_CONTROLS else ""


def _meaningful(before: str, run: str, after: str) -> str:
    """Return the characters of `run` that carry meaning between `before` and `after`: one selector, then one joiner."""
    selector = joiner = ""
    for character in run:
        if joiner:
            break
        if character in (ch.JOINER, ch.NON_JOINER, ch.ZERO_WIDTH_SPACE):
            joiner = character if _joins(before, character, after) else ""
        elif not selector and _selects(before, character, after):
            selector = character
    return selector + joiner


def _joins(before: str, joiner: str, after: str) -> bool:
    if joiner == ch.ZERO_WIDTH_SPACE:
        return _is(before, ch.UNSPACED) and _is(after, ch.UNSPACED)
    if joiner == ch.JOINER and _is(before, ch.EMOJI + _TAG_END):
        return _is(after, ch.EMOJI)
    # A joiner may end a word, as in abbreviations, or begin one to show a letter's inner form.
    return _is(before, ch.JOINING) or (joiner == ch.JOINER and _is(after, ch.CURSIVE + ch.MONGOLIAN))


def _selects(before: str, selector: str, after: str) -> bool:
    if _is(before, ch.KEYCAP) and after == ch.KEYCAP_SIGN:
        return selector == "\ufe0f"
    return any(_is(selector, selectors) and _is(before, bases) for selectors, bases in _SELECTOR_BASES)


def _without(run: str, kept: str) -> str:
    for character in kept:
        run = run.replace(character, "", 1)
    return run


def _count_kinds(removed: str) -> tuple[RemovedCharacters, ...]:
    kinds: Counter[str] = Counter()
    for character, count in Counter(removed).items():
        kinds[next((kind for kind, members in _KINDS if _is(character, members)), "invisible")] += count
    return tuple(RemovedCharacters(kind, count) for kind, count in kinds.most_common())
