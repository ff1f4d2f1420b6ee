"""Decide by word patterns whether a sentence has the kind of value that a question seeks.

"How many boxes do we have?"     needs a number of boxes      "We label the boxes by room." has none
"What does the ramp cost?"       needs an amount of money     "We need a ramp." has none
"Who draws the plan?"            needs a person               "The plan is drawn by Dr. Holm." names one
"""

import re
from collections.abc import Collection

from almanac.search.analysis.words import terms_in

# Numbers are bounded, or a text of digits and commas alone is read in the square of its length.
_NUMBER = (
    r"(?:\d[\d.,]{0,20}|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|dozens?"
    r"|hundreds?|once|twice|both|none)"
)
_OF_TIME = r"(?:s|secs?|seconds?|mins?|minutes?|h|hrs?|hours?|days?|nights?|weeks?|months?|years?|ms|milliseconds?)"
MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTHS_IN_TEXT = MONTHS.replace("|May|", r"|May \d|")
WEEKDAYS = "(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day"
_MONEY = re.compile(
    r"[$€£]\s?\d|\d[\d.,]{0,20}\s?(?:[$€£%]|k?\s?(?:eur|usd|gbp|chf|euros?|dollars?|pounds?|francs?|cents?|bucks|quid"
    r"|percent)\b)|(?<!-)\bfree\b(?!-)",
    re.IGNORECASE,
)
_DURATION = re.compile(
    rf"\b{_NUMBER}[ -]?{_OF_TIME}\b|\b(?:an?|half an|all) {_OF_TIME}\b|\buntil\b(?! (?:now|then|today))|\bforever\b",
    re.IGNORECASE,
)
_WHEN = re.compile(
    rf"\b(?:{WEEKDAYS}s?|mon|tue|wed|thu|fri|{_MONTHS_IN_TEXT}|yesterday|today|tomorrow|tonight|ago"
    r"|noon|midnight|morning|evening|weekend|(?:next|last) (?:week|month|year))\b|\b\d{1,2}(?:st|nd|rd|th)\b"
    r"|\b\d{1,2}[:.]\d\d\b|\b\d{4}-\d\d|\bat \d{1,2}\b|\b(?:since|by|until|before|after|in) (?:\d|the \d)"
    r"|\b\d+ ?[ap]m\b|\b\d\d? ?h\b",
    re.IGNORECASE,
)
_OFTEN = re.compile(
    rf"\b(?:every|each|hourly|daily|weekly|monthly|yearly|nightly|twice|once|always|never|per|{_NUMBER} times)\b|\*/\d"
    r"|\ba (?:day|week|month|year)\b",
    re.IGNORECASE,
)
_SIZE = re.compile(
    r"\d[\d.,]{0,20}\s?(?:[kmgt]i?b|bytes|m2|m²|square|met(?:er|re)s?|cm|mm|km|kg|g|l|lit(?:er|re)s?|turns|rows|lines"
    r"|inch(?:es)?|feet|ft|pixels|px|%)(?!\w)",
    re.IGNORECASE,
)
_AGE = re.compile(rf"\b{_NUMBER}[ -]years?\b|\bborn\b|\b(?:turns?|turned|is|aged?) \d{{1,3}}\b", re.IGNORECASE)
_CAUSE = re.compile(
    r"\b(?:because|since|cause[ds]?|due to|reason|so that|therefore|as (?:the|it|we|they)|turn(?:s|ed) out|thanks to"
    r"|why|from the|was (?:missing|wrong|too|not|never|still|imported|set|lost)|were (?:missing|too)|when (?:the|it|we)"
    r"|only|not enough|too \w+|if|otherwise|without|for (?:the|our|a))\b|:",
    re.IGNORECASE,
)
_NO_NAMES = (
    "He|She|It|They|We|You|The|This|That|These|Those|Who|What|Nobody|Noone|Somebody|Someone|Everybody|Everyone"
    "|Anybody|Anyone|One|My|Our|Your|His|Her|Its|Their|There|Here"
)
"""Words that begin a sentence or a quotation, and are no names."""
_NAME = re.compile(
    rf"(?<![.!?\n] )(?<!^)\b(?!(?:{MONTHS}|{WEEKDAYS}|{_NO_NAMES}|I|OK|Ok|TODO|Yes|No)\b)[A-Z][\w'.-]+"
    r"|\b(?:Mr|Mrs|Ms|Dr|Prof)\b"
    r"|\b(?:my|our|his|her) (?:\w+ )?(?:mother|mum|mom|father|dad|sister|brother|boss|colleague|wife|husband"
    r"|neighbou?r|friend)\b"
)
_SUBJECT = re.compile(rf"^\W*(?!(?:{_NO_NAMES})\b)([A-Z][\w'-]+) (\w+)")
"""Captures the first word of a sentence and the next one: "Petra repairs the engine"."""
_OWN = re.compile(r"\b(?:I|I'm|I'll|I've|me|my)\b", re.IGNORECASE)
_PLACE = re.compile(
    r"\b(?:in|at|on|to|from|under|near|into|inside|behind|beside|of|here|there|downstairs|upstairs|home)\b"
    r"|[\w.-]+/[\w.-]+",
    re.IGNORECASE,
)
_VERSION = re.compile(r"\bv?\d+\.\d|\bv\d|\bversion \d|\b\w*[A-Z]\w* \d+\b")
_LONG_NUMBER = re.compile(r"\d(?:[ /().-]?\d){5,}")
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+\.\w+")
_LINK = re.compile(r"https?://|www\.|\b[\w-]+\.(?:com|org|net|io|dev|internal|local|example)\b")
_CODE = re.compile(r"[A-Z0-9][-_ ]?\d{2,}|\d{3,}")
_COLOUR = re.compile(
    r"\b(?:red|blue|green|yellow|white|black|gr[ea]y|brown|orange|pink|purple|violet|beige|silver|gold|turquoise|cream"
    r"|navy)\b|#[0-9a-f]{3,6}\b",
    re.IGNORECASE,
)
_FORMS: tuple[tuple[str, re.Pattern[str]], ...] = (
    (r"\b(?:phone|telephone|mobile|account|customer) number\b", _LONG_NUMBER),
    (r"\be-?mail address\b|\bmail address\b", _ADDRESS),
    (r"\b(?:url|link|web ?site|domain|host ?name)\b", _LINK),
    (r"\b(?:serial|order|invoice|booking|flight|ticket|build|id|confirmation) (?:number|code|id)\b", _CODE),
    (
        (
            r"\bhow much\b(?! (?:time|longer|space|memory))"
            r"|\b(?:what|which)\b.*\b(?:price|costs?|fee|fare|salary|rent|pay|paid|charged?)\b"
        ),
        _MONEY,
    ),
    (r"\bhow long\b|\bhow much time\b|\bwhat duration\b", _DURATION),
    (r"\bhow often\b|\bhow frequently\b", _OFTEN),
    (r"\bhow old\b|\bwhat age\b", _AGE),
    (r"\bhow (?:big|large|small|high|tall|deep|wide|heavy|far|fast)\b", _SIZE),
    (
        (
            r"^\W*(?:and |so |by |since |until |from )?when\b|\b(?:what|which) (?:day|date|time|month|year|weekday)\b"
            r"|\bby when\b"
        ),
        _WHEN,
    ),
    (r"\b(?:what|which) (?:\w+ )?version\b|\bversion of\b", _VERSION),
    (r"\b(?:what|which) colou?rs?\b", _COLOUR),
    (r"\bwhy\b|\bwhat (?:caused|was the (?:cause|reason))\b|\bfor what reason\b", _CAUSE),
    (r"\bwhere\b", _PLACE),
)
_ASKS = tuple((re.compile(form, re.IGNORECASE), answer) for form, answer in _FORMS)
_NAMED_KINDS = (
    r"(?:person|lawyer|doctor|dentist|company|colleague|engineer|designer|supplier|vendor|bank|teacher|school|hotel"
    r"|airline|restaurant|city|country|street)"
)
_WHO = re.compile(
    rf"\b(?:who|whom|whose)\b|\bname of\b|\bcalled\b|\bnamed\b|\b(?:which|what) (?:[\w'-]+ ){{0,2}}?{_NAMED_KINDS}\b",
    re.IGNORECASE,
)
_WHO_IS = re.compile(
    r"\bwho(?:'s| is| are| was| were) (?:the|our|my|your|his|her|their|an?)"
    r" ((?:(?!(?:of|for|in|at|on|from|with|to|who|that|when|if)\b)[\w'-]+ ?)+)",
    re.IGNORECASE,
)
"""Captures the role in a question such as "who is the captain of the ferry"."""
_I_AM = re.compile(r"\b(?:I am|I'm|I will|I'll|it's me|it is me|that's me)\b", re.IGNORECASE)
_WORDS_TO_ROLE, _WORDS_TO_NAME = 3, 6
"""Most words between a name and the role behind it ("Petra is the captain"), and between a role and the name behind it
("the captain of the ferry is Petra")."""
_MOST_PLACES = 20
_PARTS_OF_SENTENCE = re.compile(r"[\w'-]+|[,.:;]")
_WHO_DOES = re.compile(
    r"\bwho (?!(?:is|are|was|were|am|do|does|did|has|have|had|will|would|can|could|may|might|must|should|shall|all|else"
    r"|also|still|the|a|an)\b)([a-z'-]+)",
    re.IGNORECASE,
)
"""Captures the verb of "who wrote the play". A sentence without this verb names people who did something else."""
_BY_NAME = re.compile(r"\bby (?:\w+ ){0,2}?[A-Z]")
"""Matches the person who acts in a passive sentence, whose verb may have another form: "the play is written by Ann"."""
_VERB = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|must|should|may|to)"
_PREPOSITION = "(?:in|at|on|to|from|for|by|with|of|under|over|after|before|since|until|during|about)"
_WHICH = re.compile(
    rf"^\W*(?:(?:and|so|but) )?(?:{_PREPOSITION} )?"
    rf"(?:(?:which|what) (?!{_VERB}\b)(?:(?!{_VERB}\b)[\w'-]+ ){{0,2}}?([\w'-]+) {_VERB}\b"
    r"|which (?:([\w'-]+) of\b|([\w'-]+)))",
    re.IGNORECASE,
)
"""Captures the noun that the answer must name, such as "dashboard" in "which dashboard is slow"."""
_WITHOUT_NOUN = re.compile(rf"(?:makes?|brands?|models?|colou?rs?|of|{_NAMED_KINDS}s?)$", re.IGNORECASE)
"""Matches nouns after "which" that an answer rarely repeats, because it has a name or a color instead."""
_WHAT_OF = re.compile(
    r"\bwhat (?:is|are|was|were) (?:the|our|my|your|his|her|their) (?:[\w'-]+ )??([\w'-]+) (?:of|for|in|on)\b",
    re.IGNORECASE,
)
"""Captures the noun that the answer must have, such as "depth" in "what is the depth of the harbor"."""
_WHAT_SAID = re.compile(
    r"\bwhat (?:do|does|did|has|have)\b.{1,80}"
    r"\b(?:say|said|write|written|tell|told|ask(?:ed)?|reply|replied|answer(?:ed)?)\b",
    re.IGNORECASE,
)
_REPORTS = re.compile(
    r"\b(?:says?|said|wrote|writes|written|tells?|told|asks?|asked|answer(?:s|ed)|replie[sd]|mails?|mailed|wants?"
    r"|wanted|states?|stated)\b|[:\"\N{LEFT DOUBLE QUOTATION MARK}]",
    re.IGNORECASE,
)
_UNNAMED = r"\b(?:an?|one|some|any|another|several|many|few|two|three|four|five|six|\d+)\b(?:\W+[\w'-]+)??\W+"
"""Matches words before a noun that do not say which one is meant, as in "one dashboard" and "two missing carriers"."""
_POINTED_AT = r"\b(?:the|this|that|these|those|my|our|your|his|her|its|their)\W+"
_NAMES_BEHIND = (
    r"\w*\b(?!\W+(?:[A-Z0-9]|(?:of|for|from|in|with|on|at|to|by|called|named|that|which|we|is|are|was|were)\b))"
)
"""Matches the end of a noun and no name after it. With `_POINTED_AT` before the noun, it matches mentions that do not
say which thing is meant, as in "she left the bus early"."""
_MAKES = re.compile(r"\b(?:which|what) (?:make|brand|model)\b", re.IGNORECASE)
_YES_OR_NO = re.compile(
    r"\W*(?:do|does|did|is|are|was|were|has|have|had|can|could|may|must|should|will|would)\b", re.IGNORECASE
)
_HOW_MANY = re.compile(r"\bhow many (?:\w+ )??(\w+)\b|\b(?:what|which) (?:is the )?number of (\w+)\b", re.IGNORECASE)


def has_answer_value(question: str, sentence: str, replied_to: str = "") -> bool:
    """Return whether the sentence has a value such as the question seeks: a number, a day, a name, the thing asked for.

    `replied_to` is the question that the sentence replied to, or ""."""
    if many := _HOW_MANY.search(question):
        noun = re.escape((many[1] or many[2]).lower().removesuffix("s"))
        # "Page nine" is the name of a page and no number of pages.
        count_pattern = (
            rf"\b{_NUMBER}\b(?:\W+\w+){{0,2}}?\W+{noun}"
            rf"|{noun}\w{{0,20}}(?! {_NUMBER}\b)\W+(?:\w+\W+)?{_NUMBER}\b"
        )
        return re.search(count_pattern, sentence, re.IGNORECASE) is not None
    question_words = terms_in(question)
    value_form = next((answer for form, answer in _ASKS if form.search(question)), None)
    if which := _WHICH.search(question):
        noun: str = which[1] or which[2] or which[3]
        needs_noun = value_form is None and which[3] is None and not _WITHOUT_NOUN.match(noun)
        if not _identifies(noun, f"{replied_to} {sentence}", needs_noun=needs_noun):
            return False
    if _MAKES.search(question):
        return _has_other_name(sentence, question_words) or re.search(r"\d", sentence) is not None
    if value_form is not None:
        return value_form.search(sentence) is not None
    if role := _WHO_IS.search(question):
        return _names_holder(role[1], sentence, question_words)
    if _WHO.search(question):
        has_name = (
            _has_other_name(sentence, question_words)
            or _begins_with_name(sentence, question_words)
            or _OWN.search(sentence) is not None
        )
        return has_name and _has_verb(question, sentence)
    if _WHAT_SAID.search(question) and not _REPORTS.search(sentence):
        return False
    if (what_of := _WHAT_OF.search(question)) and not terms_in(what_of[1]) <= terms_in(f"{replied_to} {sentence}"):
        return False
    return _YES_OR_NO.match(question) is not None or not terms_in(sentence) <= question_words


def _names_holder(role: str, sentence: str, question_words: Collection[str]) -> bool:
    """Return whether the sentence names who has a role: "Petra is the captain", "captain: Ms. Voss", "I'm that"."""
    if _I_AM.search(sentence) or _begins_with_name(sentence, question_words):
        return True
    role_terms = terms_in(role)
    parts = [*_PARTS_OF_SENTENCE.finditer(sentence)]
    roles = [place for place, part in enumerate(parts) if not terms_in(part[0]).isdisjoint(role_terms)]
    spans = [name.span() for name in _NAME.finditer(sentence) if terms_in(name[0]).isdisjoint(question_words)][
        :_MOST_PLACES
    ]
    names = [place for place, part in enumerate(parts) if any(start <= part.start() < end for start, end in spans)]
    return any(
        (name < one <= name + _WORDS_TO_ROLE + 1 and all(part[0] not in ",.:;" for part in parts[name:one]))
        or one < name <= one + _WORDS_TO_NAME + 1
        for one in roles[:_MOST_PLACES]
        for name in names
    )


def _has_verb(question: str, sentence: str) -> bool:
    """Return whether the sentence has the verb of a question such as "who wrote the play", or "by" and a name."""
    verb = _WHO_DOES.search(question)
    return verb is None or terms_in(verb[1]) <= terms_in(sentence) or _BY_NAME.search(sentence) is not None


def _has_other_name(sentence: str, question_words: Collection[str]) -> bool:
    """Return whether the sentence has a name that the question does not have."""
    return any(terms_in(name[0]).isdisjoint(question_words) for name in _NAME.finditer(sentence))


def _begins_with_name(sentence: str, question_words: Collection[str]) -> bool:
    """Return whether the sentence begins with a name of one word and a verb of the question: "Petra repairs it"."""
    subject = _SUBJECT.search(sentence)
    if subject is None or not terms_in(subject[1]).isdisjoint(question_words):
        return False
    verb = terms_in(subject[2])
    return subject[2] in ("is", "was") or (bool(verb) and verb <= {*question_words})


def _identifies(noun: str, text: str, *, needs_noun: bool) -> bool:
    """Return whether a text says which of several things is meant, unlike "two carriers" and "the carrier".

    A text without the noun says it unless `needs_noun`. Parts of identifiers such as carrier_list are no mentions."""
    stem = re.escape(noun.lower().removesuffix("s"))
    mentions = len(re.findall(rf"\b{stem}[^\W_]*(?!\w)", text, re.IGNORECASE))
    unnamed = len(re.findall(rf"{_UNNAMED}{stem}\w*", text, re.IGNORECASE))
    pointed_at = len(re.findall(rf"(?i:{_POINTED_AT}{stem}){_NAMES_BEHIND}", text))
    return mentions > unnamed + pointed_at or (mentions == 0 and not needs_noun)
