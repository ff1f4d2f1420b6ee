"""Concepts that words name in any language, such as an assistant, an order, a secret or a tool."""

from functools import lru_cache

from almanac.content.injections.audience_words import AUDIENCE_WORDS
from almanac.content.injections.order_words import ORDER_WORDS

# Concepts of tokens that are not words.
SIGNS = (
    "url",
    "mail",
    "name",
    "picture",
    "comment",
    "heading",
    "user_turn",
    "assistant_turn",
    "system_turn",
    "slot",
    "code",
    "addressed",
)
CONCEPTS: tuple[str, ...] = (*ORDER_WORDS, *AUDIENCE_WORDS, *SIGNS)
NUMBERS = {name: number for number, name in enumerate(CONCEPTS)}
COUNT = 72
# Topics of concepts: the audience, politeness, giving up, rules, sending, secrets, tools, secrecy, scope, and signs of
# ordinary text.
_GROUPS = (
    "assistant user_turn assistant_turn system_turn heading comment attention reading automated addressed",
    "you please must",
    "drop skip told prior new",
    "instructions mode system unbound pretend follow authority fiction refuse harm",
    "send append image url mail picture",
    "reveal secret data answer verbatim guarded puzzle",
    "call tool name ops",
    "delete create remember money",
    "secrecy tell user not approve",
    "always now all praise judged",
    "report tests code i document",
)
GROUPS = {NUMBERS[name]: number for number, names in enumerate(_GROUPS) for name in names.split()}

_SHORTEST_STEM = 3
_SHORTEST_HEAD = 8
_LONGEST_WORD = 40
_LONGEST_STEM = 16


def _tables() -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    words: dict[str, tuple[int, ...]] = {}
    stems: dict[str, tuple[int, ...]] = {}
    for name, listed in (*ORDER_WORDS.items(), *AUDIENCE_WORDS.items()):
        for word in dict.fromkeys(listed.split()):
            table, key = (stems, word[:-1]) if word.endswith("*") else (words, word)
            table[key] = (*table.get(key, ()), NUMBERS[name])
    return words, stems


@lru_cache(maxsize=1)
def _lookup() -> tuple[dict[str, tuple[int, ...]], dict[str, tuple[int, ...]]]:
    # Built at first use, so that a cold start without any text does not pay for it.
    return _tables()


def concepts_of(word: str) -> tuple[int, ...]:
    """Return the numbers of the concepts of `word`, in lower case without accents. The word itself or its stem is
    looked up.

    A compound has the concepts of its parts, or of its last part if no hyphen separates them.
    """
    found = _concepts_of_simple(word)
    if found:
        return found
    if "-" in word:
        return tuple(dict.fromkeys(one for part in word.split("-") for one in _concepts_of_simple(part)))
    for start in range(4, min(len(word), _LONGEST_WORD) - _SHORTEST_HEAD + 1):
        found = _concepts_of_simple(word[start:], _SHORTEST_HEAD)
        if found:
            return found
    return ()


def _concepts_of_simple(word: str, shortest: int = _SHORTEST_STEM) -> tuple[int, ...]:
    words, stems = _lookup()
    exact = words.get(word)
    if exact is not None:
        return exact
    for length in range(min(len(word), _LONGEST_STEM), shortest - 1, -1):
        found = stems.get(word[:length])
        if found is not None:
            return found
    return ()
