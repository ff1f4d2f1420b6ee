"""The frame of a window: combinations of concepts that ordinary text seldom has, so that a lower score suffices.

FRAMED means that an assistant is addressed, a turn or heading is faked, or instructions are taken back. HINTED means
that data leaves through a link, a tool is to be used, something is kept from the user or kept in memory, or something
is done without asking.
"""

from collections.abc import Iterable
from enum import IntEnum

from almanac.content.injections.concepts import NUMBERS


class Frame(IntEnum):
    """The frame of a window, which sets the score needed. A plain statement needs the most."""

    PLAIN = 0
    HINTED = 1
    FRAMED = 2
    TOLD = 3


# A sentence that begins with its subject states something. Orders begin with a verb, a condition or a polite word.
_SUBJECT_WORDS = (
    "the a an this that these those it he she they we i our their his her its some many most each when where how what"
    " why which who der die das ein eine dieser diese dieses er sie es wir ich wie wo wann warum le la les l un une des"
    " ce cette ces il elle ils elles on nous je comment el los las una unos este esta estos estas ella ellos se yo como"
    " donde cuando"
)
_SUBJECTS = frozenset(_SUBJECT_WORDS.split())


def _mask(names: str) -> int:
    return sum(1 << NUMBERS[name] for name in names.split())


_ACTS = "send delete create call reveal answer append remember skip tell drop"
_TURNS = "user_turn assistant_turn system_turn"
# A window matches a line if it has a concept of every group, and none of a group that begins with `!`.
_FRAMED = (
    ("assistant", _ACTS, "must reading attention comment you always not"),
    ("assistant", "send delete create call skip", "please"),
    (_TURNS, _ACTS),
    ("heading", "assistant system instructions", _ACTS, "must you always all not now"),
    ("drop", "told instructions prior", "you all told now always answer reveal", "!not"),
)
_HINTED = (
    ("send append picture", "url mail", "data secret user tool"),
    ("picture", "url", "you answer append"),
    ("call", "tool name", "send", "data secret mail url"),
    ("call", "tool name", "please you now", "delete send all data create"),
    ("secrecy not", "tell reveal", "user"),
    ("secrecy", "send delete create call skip"),
    ("remember", "always all user you"),
    ("approve", "not skip"),
    ("reveal tell", "secret", "i all you"),
    ("drop", "told instructions prior", "you all told now"),
    ("you", "instructions mode unbound told", "drop reveal pretend system prior secret"),
)
_RULES = tuple(
    (
        frame,
        tuple(_mask(names) for names in groups if not names.startswith("!")),
        sum(_mask(names[1:]) for names in groups if names.startswith("!")),
    )
    for frame, rules in ((Frame.FRAMED, _FRAMED), (Frame.HINTED, _HINTED))
    for groups in rules
)


def frame_of(present: Iterable[int], first: str) -> Frame:
    """Return the strongest frame of a window with the concepts `present` and the first word `first`."""
    held = 0
    for one in present:
        held |= 1 << one
    plain = Frame.TOLD if first in _SUBJECTS else Frame.PLAIN
    for frame, groups, absent in _RULES:
        if not held & absent and all(held & group for group in groups):
            return frame
    return plain
