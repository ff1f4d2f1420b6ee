"""Find the proposal that an answer accepts: "yes, the second" accepts the second option listed right before it."""

import re
from collections.abc import Collection, Sequence
from functools import lru_cache

from almanac.families.memory.statements.sentences import is_question, sentences_of
from almanac.families.memory.statements.words import words_of

MAX_CHARACTERS = 160
_TURNS = 3
_READ_CHARACTERS = 4_000
_SHORT = 4
"""Most words of an answer that only names its choice."""
_PLACES = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "last": -1, "latter": -1, "former": 1}
_NTH = re.compile(
    r"\b(?:(?:the|take|ok|yes|then|definitely|want) )(first|second|third|fourth|fifth|last|latter|former)\b"
    r"(?!\s+(?:of|time|week|day|month|weekend)\b)"
    r"|\b(?:option|number|variant|plan) (?:(one|two|three|four)|(\d)|([a-d]))\b"
    r"|^\W*(first|second|third|fourth|last)(?: one)?(?:,? (?:then|please|pls))?\W*$",
    re.IGNORECASE,
)
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4}
_SPELLED = {word: str(number) for word, number in (_NUMBERS | _PLACES).items() if number > 0}
_OTHER = re.compile(r"\b(?:the other(?: one)?|both(?: of them)?)\b", re.IGNORECASE)
_CONSENT = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yep|yeah|sure|agreed|deal|fine|good|right|true|let's|we|please)\W+)*(?:do (?:that|it|this)"
    r"|go (?:with|for) (?:that|it|this)|take (?:that|it)|that one|agreed|sold|deal|approved|make it so)\b",
    re.IGNORECASE,
)
_ITEM = re.compile(
    r"(?:(?:^|\n)(?:[ \t]{0,8}[-*\u2022][ \t])?|[,;:]\s|\s(?=\(?[\da-hA-H][).]\s))\s{0,8}"
    r"\(?(\d{1,2}|[a-h]|[A-H](?=[).:]))([).:]?)\s+(?=\S)"
)
_BULLET = re.compile(r"^[ \t]{0,8}[-*\u2022][ \t]+(?=\S)", re.MULTILINE)
_SPELLED_ITEM = re.compile(r"(?:^|[\s(])(one|two|three|four|first|second|third|fourth)([):])\s+(?=\S)", re.IGNORECASE)
_MARK = re.compile(
    r"^\W*(?:(?:ok|okay|yes|yeah|hm+|let's|let us|i'd|we|go|with|for|take|use|do|say|then)\W+){0,4}"
    r"\(?(?P<mark>\d{1,2}|[a-h])\)?\W*(?:(?:then|please|pls|it is|of course)\W*)?$",
    re.IGNORECASE,
)
"""Matches an answer that is nothing but the mark of an option: "b", "2 please"."""
_ENDS_OPTION = re.compile(r"[.?!](?=\s)")
_LISTED = re.compile(
    r"\b(?:options?|choices|either|(?:choose|choice|decide|decision|pick) between|(?:we|you) could(?: \w+)?)\b:?\s+"
    r"([^.?!\n]+)",
    re.IGNORECASE,
)
_OR = re.compile(r"\s*(?:,\s*(?:or|and)\s+|,\s*|\s+or\s+)", re.IGNORECASE)
_OF_THE_TALK = re.compile(
    r"\b(?:where|what) (?:shall|should|do|would) (?:we|I|you) .*\b(?:begin|start|next|first)\b", re.IGNORECASE
)
"""Matches a question about the order of the talk, whose answer decides nothing for later: "Where shall we begin?"."""
_MOST_OF_OPTION = 120
"""Most characters of an option within a sentence. What is longer is a story that has an "or" somewhere."""
_OR_ELSE = re.compile(
    r",? or (?:else\b|(?:I|we|you|he|she|it|they|that)(?:'ll)? (?!could\b|can\b|might\b)\w)", re.IGNORECASE
)
"""Matches the consequence of not doing something, which is no option: "by Tuesday, or we lose the slot"."""
_IN_GENERAL = re.compile(r"\b(?:often|usually|sometimes|normally|typically|mostly)\b", re.IGNORECASE)
"""Matches a sentence with "or" that offers no choice: "old mills often have a broken wheel or axle"."""
_CLAUSES = re.compile(r"[;:]|\b(?:should|shall|do|can|could|would) (?:I|we|you)\b", re.IGNORECASE)
"""Matches the words before the first option of a question: "it failed; should I use a hook" of "a hook or a script"."""
_PROPOSES = re.compile(
    r"\b(?:use|take|go with|switch|move|adopt|keep|drop|replace|instead|rather|could|should|shall|propose|suggest"
    r"|recommend|book|order|then)\b",
    re.IGNORECASE,
)


def needs_antecedent(sentence: str) -> bool:
    """Return whether a short sentence points back at earlier words: "the second", "the other one", "do that"."""
    return any(form.search(sentence) for form in (_NTH, _OTHER, _CONSENT)) and len(words_of(sentence)) <= 6


def antecedent_of(sentence: str, before: Sequence[tuple[str, str]]) -> str | None:
    """Return the option or proposal that a sentence accepts; None if none fits.

    `before` has the (role, text) pairs of the turns before the sentence, latest first."""
    place = _place_in(sentence)
    for _, text in before[:_TURNS]:
        options = _in_order(text[:_READ_CHARACTERS])
        if place is not None and options and (place == -1 or place <= len(options)):
            return _with_question(text, options, options[place if place < 0 else place - 1])
    if place is not None or _OTHER.search(sentence):
        return None
    proposals = [_proposals(text) if role != "tool" else [] for role, text in before[:_TURNS]]
    question = next((each[-1] for each in proposals if each and is_question(each[-1])), None)
    nearest = proposals[0][-1:] if proposals else []
    return _cut(question) if question else (_cut(nearest[0]) if nearest else None)


def _proposals(text: str) -> list[str]:
    return [sentence for sentence in sentences_of(text) if _PROPOSES.search(sentence)]


def mark_of(sentence: str) -> str:
    """Return the mark of an option if the sentence says nothing else, as "b" and "2 please" do; "" otherwise."""
    match = _MARK.match(sentence)
    return match["mark"].lower() if match else ""


def marked_option(mark: str, before: Sequence[tuple[str, str]]) -> str | None:
    """Return the option with this mark in the latest turn of `before` that marks options; None if there is none.

    The question right before the options comes before it. An item that asks something is no option."""
    for _, text in before[:_TURNS]:
        if options := _marked_in(text[:_READ_CHARACTERS]):
            option = options.get(mark)
            if option is None or is_question(option):
                return None
            return _with_question(text, [*options.values()], option)
    return None


def _with_question(text: str, options: Sequence[str], option: str) -> str:
    """Return an option after the question right before the options, if there is one and both are short enough."""
    lead = sentences_of(text[: text.index(options[0])])
    question = next((sentence for sentence in lead[-2:] if is_question(sentence)), "")
    both = f"{question} {option}"
    return _cut(both if len(both) <= MAX_CHARACTERS else option)


def choice_of(sentence: str, before: Sequence[tuple[str, str]]) -> str | None:
    """Return the option that a short sentence names, from the latest turn in `before` that lists options.

    If the option only repeats the sentence, return the sentence that lists the options. For "42 then" this is "which
    tag do we ship, 41 or 42". Return None if the sentence names no option or several."""
    words = words_of(sentence).keys()
    if not words or len(words) > _SHORT:
        return None
    for _, text in before[:_TURNS]:
        options = options_in(text[:_READ_CHARACTERS])
        matching = [option for option in options if not words.isdisjoint(words_of(option))]
        is_choice = len(matching) == 1 and 2 * len(words & words_of(matching[0]).keys()) >= len(words)
        if options and _OF_THE_TALK.search(text):
            return None
        if options:
            return _cut(_option_or_question(matching[0], options, words, text)) if is_choice else None
    return None


def _option_or_question(option: str, options: Sequence[str], sentence_words: Collection[str], text: str) -> str:
    """Return the option, or the sentence that lists it if the option is no more than its last clause or adds no word.

    A sentence that consists of options alone does not count."""
    if _CLAUSES.search(option):
        return next((one for one in sentences_of(text) if option in one), option)
    if words_of(option).keys() <= {*sentence_words}:
        option_words = {word for each in options[-2:] for word in words_of(each)}
        for sentence in sentences_of(text):
            if " or " in sentence and option in sentence and words_of(sentence).keys() - option_words:
                return sentence
    return option


def options_in(text: str) -> list[str]:
    """Return the options that a text lists: numbered or lettered items, or names between commas and "or"."""
    return [*_read_options(text)]


@lru_cache(256)
def _read_options(text: str) -> Sequence[str]:
    """Return the options of a text. They are cached, because each sentence of the answers behind it needs them."""
    if marked := _marked_in(text):
        return [*marked.values()]
    option_list = _LISTED.search(text)
    source = (
        option_list[1]
        if option_list
        else next((sentence for sentence in sentences_of(text) if " or " in sentence and _may_offer(sentence)), "")
    )
    options = [option.strip(" .?!") for option in _OR.split(source.rstrip("?"))]
    return options if len(options) > 1 and max(map(len, options)) <= _MOST_OF_OPTION else []


def _may_offer(sentence: str) -> bool:
    """Return whether the "or" of a sentence may stand between options."""
    return not _IN_GENERAL.search(sentence) and (is_question(sentence) or not _OR_ELSE.search(sentence))


def _marked_in(text: str) -> dict[str, str]:
    """Return the numbered or lettered items of a text by their marks; empty if it has less than two."""
    return _items_with(_ITEM, text) or _items_with(_SPELLED_ITEM, text)


def _in_order(text: str) -> list[str]:
    """Return the options of a text in the order in which it lists them. Without marks, its items with bullets count."""
    items = [] if _marked_in(text) else [text[one.end() :].split("\n", 1)[0].strip() for one in _BULLET.finditer(text)]
    return items if len(items) > 1 else options_in(text)


def _items_with(form: re.Pattern[str], text: str) -> dict[str, str]:
    """Return the items of a text whose marks have this form, by their marks.

    The last item of a list within a line ends with its sentence, because the text goes on behind the list."""
    marks: list[re.Match[str]] = []
    for mark in form.finditer(text):
        is_next = _mark_in(mark) in (str(len(marks) + 1), "abcdefgh"[len(marks) : len(marks) + 1])
        if is_next and (not marks or _style_of(mark) == _style_of(marks[0])):
            marks.append(mark)
    if len(marks) < 2:
        return {}
    ends = [*(one.start() for one in marks[1:]), len(text)]
    items = [text[one.end() : end].strip(" ,;:\n").split("\n")[0] for one, end in zip(marks, ends, strict=True)]
    if "\n" not in text[marks[0].end() : marks[-1].end()]:
        items[-1] = _ENDS_OPTION.split(items[-1])[0]
    return {_mark_in(mark): item for mark, item in zip(marks, items, strict=True)}


def _mark_in(mark: re.Match[str]) -> str:
    """Return a mark in small letters, and a spelled number as digits."""
    return _SPELLED.get(mark[1].lower(), mark[1].lower())


def _style_of(mark: re.Match[str]) -> tuple[bool, str]:
    """Return whether a mark is a number, and the sign behind it. In "(a) bake 2 kg" the 2 is no mark."""
    return mark[1].isdecimal(), mark[2]


def _place_in(sentence: str) -> int | None:
    match = _NTH.search(sentence)
    if match is None:
        return None
    word, spelled, digit, letter, alone = match.groups()
    if word or alone:
        return _PLACES[(word or alone).lower()]
    if spelled:
        return _NUMBERS[spelled.lower()]
    return int(digit) or None if digit else "abcd".index(letter.lower()) + 1


def _cut(text: str) -> str:
    """Cut a text at the end of a word, without its full stop, because it is shown in brackets."""
    text = " ".join(text.split())
    if len(text) <= MAX_CHARACTERS:
        return text.rstrip(" .?!")
    return text[:MAX_CHARACTERS].rsplit(" ", 1)[0] + "\N{HORIZONTAL ELLIPSIS}"
