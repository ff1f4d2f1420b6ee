"""Find the meaningful words of a sentence, and rate each by its spelling: plain word, name, number or identifier."""

import re
import unicodedata
from collections.abc import Collection, Mapping
from itertools import pairwise

NAME_LOOKS = 1.4
"""Least value that `words_of` gives to a name, a number or an identifier."""
NEWLY_SAID = 0.4
"""Share of a sentence's words that must be new. With fewer new words it counts as a repetition."""
_UNSPACED = "\u0e00-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
_TOKEN = re.compile(rf"[{_UNSPACED}]+|[^\W_{_UNSPACED}]+(?:['\u2019._/:@-]+[^\W_{_UNSPACED}]+)*")
_RUN = re.compile(rf"[{_UNSPACED}]")
_SIGN = re.compile(r"[._/:@]")
_STOP_WORDS = """
anybody anyone anything else everybody everyone everything nobody nothing somebody someone
a about actually after again all also am an and any are as at be because been before being both but by can could did
do does doing done down even for from get gets getting go goes going gonna good got great had has have having he her
here hers him his how i if in into is it its just kind know let like lot lots make makes maybe me more most much my
no nor not now of off oh ok okay on one only or other our ours out over please really right said same say says see
she should so some something sort still such sure than thank thanks that the their them then there these they thing
things think this those though through to too up us very was way we well were what when where which while who whom
whose why will with would yeah yep yes yet you your yours im ive id ill dont didnt doesnt isnt wasnt cant couldnt
wont wouldnt thats theres whats youre theyre hes shes weve youve lets hey hi hello wow haha lol der die das den dem
des ein eine einen einem einer und oder aber ist sind war waren ich du er sie es wir ihr mich dich uns euch nicht
auch noch nur schon wie wer wo wann mit von zu zum zur auf aus bei nach vor für über dass wenn dann als hat haben
habe wird werden kann können ja nein danke bitte le la les un une de et ou mais est sont je tu il elle nous vous ils
elles ne pas plus que qui quoi dans sur pour par avec ce cette ces mon ma mes oui non merci el los las una unos unas
y o pero son yo ella nosotros se quien en con por para del al lo mi su si gracias
"""
"""Words of English, German, French and Spanish that carry little meaning."""
_STOPPED = frozenset(_STOP_WORDS.split())


def words_of(sentence: str) -> dict[str, float]:
    """Return each meaningful word once, with its value: 1 for a plain word, more for names, numbers and identifiers."""
    worths: dict[str, float] = {}
    for place, token in enumerate(_TOKEN.findall(sentence)):
        if _RUN.match(token):
            for pair in map("".join, pairwise(token)):
                worths[pair] = 1.0
            continue
        word = _fold(token)
        if word.replace("'", "") not in _STOPPED and (len(word) > 1 or word.isdecimal()):
            worths[_singular(word)] = max(worths.get(_singular(word), 0.0), _worth(token, place))
    return worths


def restates(words: Mapping[str, float], others: Collection[str], newly_said: float = NEWLY_SAID) -> bool:
    """Return whether a sentence has few words that are missing in another one, and none of them a name or number.

    `words` are those of the sentence with their values, `others` the words of the other one, and `newly_said` the
    share of words that may be missing."""
    new = words.keys() - set(others)
    return len(new) <= newly_said * len(words) and all(words[word] < NAME_LOOKS for word in new)


def _worth(token: str, place: int) -> float:
    if any(map(str.isdecimal, token)) or _SIGN.search(token):
        return 1.6
    is_name = token[0].isupper() if place else token[1:] != token[1:].lower()
    return NAME_LOOKS if is_name else 1.0


def _fold(token: str) -> str:
    token = token.replace("\u2019", "'").removesuffix("'s")
    if token.isascii():
        return token.lower()
    decomposed = unicodedata.normalize("NFKD", token.casefold())
    return unicodedata.normalize("NFC", "".join(each for each in decomposed if not unicodedata.combining(each)))


def _singular(word: str) -> str:
    if len(word) > 4 and word.isalpha():
        for ending, other in (("ies", "y"), ("sses", "ss"), ("s", "")):
            if word.endswith(ending) and not word.endswith("ss"):
                return word.removesuffix(ending) + other
    return word
