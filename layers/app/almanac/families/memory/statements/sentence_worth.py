"""Rate the worth of a sentence by its form: small talk, questions, decisions, results."""

import re

_PHRASES = """
ok okay k yes yeah yep yup no nope sure thanks thank_you thx ty cool nice great perfect awesome wow haha hahaha lol
hi hey hello bye goodbye done got_it sounds_good good right agreed will_do no_problem you're_welcome makes_sense
of_course absolutely exactly lgtm hm hmm oh ah i_see no_worries good_morning good_night please go_ahead so_much
a_lot very_much danke danke_schön bitte gern gerne genau klar alles_klar ja nein hallo merci d'accord oui non
bonjour de_rien gracias vale sí si hola de_nada claro perfecto 好 好的 谢谢 ありがとう ありがとうございます はい 了解
"""
_ENCOURAGING = """
wow haha lol aw aww oh yay hey hi hello thanks thank_you congrats congratulations good_luck take_care sounds glad
nice great awesome cool amazing absolutely definitely totally yeah yep you you're you've you'll your i'm_glad
i'm_so_glad i'm_happy i'm_so_happy i'm_proud i'm_so_proud i'm_excited i'm_sorry i_agree i_totally_agree no_doubt
no_doubts keep_up keep_it_up way_to_go keep_going believe_in don't_give_up hang_in stay_motivated appreciate
best_of_luck must_be
"""
_LOOKING_AHEAD = """
let_me_know let_me_see let_me_check let_me_look let_me_take let_me_start let_me_try let_me_first let_me_now i'll_now
i'll_start i'll_begin i'll_look i'll_check i'll_take_a i'll_first i'll_have_a let's_see let's_start let's_look
let's_chat let's_talk let's_catch here's here_is here_are feel_free can't_wait see_you talk_to_you talk_soon
"""
_TELLING = """
decide decided agree agreed chose chosen concluded because since therefore so_that instead_of rather_than must never
always deadline due fixed cause caused turns_out turned_out found failed fails broke broken works worked passed
released deployed merged moved renamed deleted created added removed switched will plan planned plans planning
prefer prefers need needs blocked waiting error beschlossen entschieden weil muss behoben fehler frist décidé
parce_que doit corrigé erreur decidimos porque debe arreglado
"""
_ANSWERING = """
yes yeah yep yup no nope sure agreed will_do of_course absolutely exactly ja nein genau klar oui non sí si claro
vale はい 好 好的
"""
_OPENING = """
hi hiya hey hello hallo hullo morning mornin evening afternoon yay wow aw aww ugh wait hang hold listen look guess
believe start thing question again btw anyway disaster help best star legend angel lifesaver amazing sorry thanks thx ty
"""
_BESIDE_OPENING = """
i i'm im i've me we you you're your u it it's this there that's what where when do to so ok okay k oh ooh ah hm well
right now and all both of on a an the one two another quick more small last good great won't can't have got had just
only my dear love folks guys everyone everybody team lovely for be back with up
"""
_TELLING_UNSPACED = ("決", "必要", "因为", "决定")

WORTH_OF_QUESTION = 0.4
_WORTH_OF_CHATTER = 0.4
_WORTH_OF_ANNOUNCING = 0.15
_WORTH_OF_EXCLAMATION = 0.7
_WORTH_OF_TELLING = 1.3
_SMALL_TALK_CHARACTERS = 120
_MOST_OPENING_WORDS = 8
_LEAST_REST = 12
"""Least number of characters after an opening."""


def _one_of(phrases: str) -> str:
    longest_first = sorted(phrases.replace("_", "\N{NO-BREAK SPACE}").split(), key=len, reverse=True)
    return "|".join(re.escape(each).replace("\\\N{NO-BREAK SPACE}", r"\s") for each in longest_first)


_SAID = re.compile(rf"(?:{_one_of(_PHRASES)})(?!\w)", re.IGNORECASE)
_BETWEEN = re.compile(r"[\s\W_]*(?:(?:there|all|everyone|team|mate|man|again|then|that|it|so|for|[A-Z]\w+)\b[\s\W_]*)?")
_ANSWERS = re.compile(rf"\W*(?:{_one_of(_ANSWERING)})(?!\w)", re.IGNORECASE)
_OPENING_WORDS = frozenset(_OPENING.split())
_WORDS_BESIDE_OPENING = frozenset(_BESIDE_OPENING.split())
_CLAUSE_END = re.compile(r"[,.!?;:\u2026]+(?=\s)")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_DRAWN_OUT = re.compile(r"([a-z])\1{2,}")
_LEADING = re.compile(r"^[\W_]+")
_CHATTER = re.compile(rf"(?:{_one_of(_ENCOURAGING)})(?!\w)", re.IGNORECASE)
_ANNOUNCES = re.compile(rf"(?:{_one_of(_LOOKING_AHEAD)})(?!\w)", re.IGNORECASE)
_TELLS = re.compile(rf"\b(?:{_one_of(_TELLING)})\b", re.IGNORECASE)


def is_small_talk(sentence: str) -> bool:
    """Return whether the sentence is only small talk: thanks, a greeting or consent, with or without a name."""
    if len(sentence) > _SMALL_TALK_CHARACTERS:
        return False
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").strip()
    at, phrases = len(text) - len(_LEADING.sub("", text, count=1)), 0
    while (phrase := _SAID.match(text, at)) is not None:
        phrases += 1
        between = _BETWEEN.match(text, phrase.end())
        at = between.end() if between else phrase.end()
    return phrases > 0 and at == len(text)


def without_opening(text: str) -> str:
    """Return a text without the greeting or the call for attention that it begins with: "hey, one more thing: "."""
    start = 0
    for end in _CLAUSE_END.finditer(text):
        if not _is_opening(text[start : end.start()], goes_on=start > 0):
            break
        start = end.end()
    rest = text[start:].strip()
    return rest if len(rest) >= _LEAST_REST else text


def _is_opening(clause: str, *, goes_on: bool) -> bool:
    """Return whether a clause only greets or calls for attention. `goes_on`: such a clause stands before it."""
    plain = _DRAWN_OUT.sub(r"\1", clause.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'").lower())
    words = _WORD.findall(plain)
    if not words or len(words) > _MOST_OPENING_WORDS:
        return False
    if _OPENING_WORDS.isdisjoint(words) and not (goes_on and len(words) > 1):
        return False
    return all(word in _OPENING_WORDS or word in _WORDS_BESIDE_OPENING for word in words)


def is_answer(sentence: str) -> bool:
    """Return whether the sentence may answer a question: "Thanks" does not, "yes" does."""
    return not is_small_talk(sentence) or _ANSWERS.match(sentence) is not None


def announces(sentence: str) -> bool:
    """Return whether the sentence begins by announcing the next step: "Let me look", "I'll start"."""
    return _ANNOUNCES.match(sentence) is not None


def worth_of(sentence: str, *, is_question: bool) -> float:
    """Return the factor by which the words of a sentence count; 0 for small talk."""
    if is_small_talk(sentence):
        return 0.0
    text = sentence.replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")
    worth = WORTH_OF_QUESTION if is_question else 1.0
    if _ANNOUNCES.match(text):
        worth *= _WORTH_OF_ANNOUNCING
    elif _CHATTER.match(text):
        worth *= _WORTH_OF_CHATTER
    elif text.endswith("!") and not any(map(str.isdecimal, text)):
        worth *= _WORTH_OF_EXCLAMATION
    tells = _TELLS.search(text) or any(each in text for each in _TELLING_UNSPACED)
    return worth * _WORTH_OF_TELLING if tells else worth
