"""Regular expressions for sentences that state preferences, decisions and conventions.

They cover English well; `other_languages` has the plainest forms of other languages. A pattern rather misses a sentence
than matches too many. Sentences are short and no pattern repeats without a bound, so matching stays fast.
"""

import re

from almanac.families.memory.candidates import other_languages
from almanac.families.memory.candidates.records import CandidateKind

Forms = tuple[tuple[CandidateKind, re.Pattern[str]], ...]

_VERBS = """
use write run ask check add keep include put start commit push call name tag format test review merge rebase squash
deploy release log document send store sign prefix quote escape validate round sort return raise import install pin
update delete create open close reply answer cc book schedule invite pay order bill invoice translate speak mention link
cite share upload download lock cache catch mock wrap prefer avoid touch change edit remove rename publish notify print
assume rely depend skip disable enable
"""
_VERB = f"(?:{'|'.join(_VERBS.split())})"
_OFTEN = "(?:really|strongly|personally|generally|usually|always|still|much|definitely|also|do|would)"
_TOGETHER = "(?:all|both|just|now|finally|also|already|since|unanimously|together|then|mutually|collectively)"
_WHEN = r"(?:(?:today|yesterday|earlier|(?:last|this) \w+|on \w+day|in the \w+) )?"
_SOMETHING = r"(?!(?:you|him|her|them|me|us|my|it|that|this|the flow)\b)\w"
_NAMED = r"(?![\W_]*(?:this|that|it|they|these|those|both|he|she)\b)"
_IN_GENERAL = r"(?!(?:I|you|we|they|he|she|that|of (?:us|you|them))\b)"


def _any_of(*forms: str) -> re.Pattern[str]:
    return re.compile("|".join(forms), re.IGNORECASE)


FIRST_PERSON: Forms = (
    (
        "convention",
        _any_of(r"(?:^|[,;:] )from now on,? (?:every|each|all|any|no|nobody|no one|everyone|everybody|only)\b"),
    ),
    (
        "preference",
        _any_of(
            rf"\bI(?:'d)?(?: {_OFTEN}){{0,2}} prefer(?! not to say)\b",
            r"\bI(?:'d| would) (?:much |really )?rather(?! not say| die)\b",
            rf"\bI (?:always|never|only ever) {_VERB}\b",
            r"\bmy (?:favou?rite|preferred) \w+(?: \w+){0,3} (?:is|are)\b",
            r"\bI (?:(?:really|also) )?(?:like|hate|dislike|don't like|do not like) (?:it when|using|working with)\b",
            r"^(?:(?:also|and|well),? )?I (?:(?:really|also|usually) )?like to (?!(?:think|say|hear|see|know)\b)",
            r"\bI (?:don't|do not) want (?:you to|any|anyone to)\b",
            r"(?:^|[,;:] )please,? (?:always|never(?! mind)|avoid|don't ever|do not ever)\b",
            r"(?:^|[,;:] )from now on,? (?!(?:I|it|we|he|she|they)\b)\w",
        ),
    ),
    ("decision", _any_of(r"\bI(?:'ve| have)(?: (?:finally|now|just))? decided (?:to|on|that|against)\b")),
    *other_languages.forms_of(other_languages.OWN),
)
"""Patterns for people who speak of themselves. The words of an assistant are not matched."""

ANY_SPEAKER: Forms = (
    (
        "decision",
        _any_of(
            rf"\b(?:we|the team)(?:'ve| have|'s| has)?(?: {_TOGETHER}){{0,2}} (?:decided|agreed|settled|opted|voted) "
            rf"{_WHEN}(?:to (?!disagree\b|differ\b)|on |that |against |for |upon )",
            rf"\b(?:we|the team)(?:'ve| have|'s| has)(?: {_TOGETHER}){{0,2}} chosen ",
            rf"\bwe(?:'ll| will) (?:go|stick|stay) with {_SOMETHING}",
            rf"\bwe(?:'re| are) (?:going|sticking|staying) with {_SOMETHING}",
            r"\bwe(?:'ll| will|'re going to| are going to) "
            rf"(?:use|adopt|drop|deprecate|switch to|migrate to|standardi[sz]e on) {_SOMETHING}",
            rf"\blet's (?:go|stick|stay) with {_SOMETHING}",
            r"\bit(?: was|'s been| has been) (?:decided|agreed) (?:to|that|on)\b",
            r"\bthe decision (?:is|was)(?: made)? (?:to|that|for|against)\b",
            r"^decision: \w",
        ),
    ),
    (
        "convention",
        _any_of(
            rf"\bwe (?:always|never|only ever) {_VERB}\b",
            r"\bby convention\b",
            r"^(?:rule|convention|policy)(?: noted)?: \w",
            r"\b(?:the|our) (?:\w+ ){0,2}(?:convention|guideline)(?: (?:for|on|of|here|in)(?: \w+){0,3})?"
            r" (?:is|says|requires)\b",
            r"\bour (?:\w+ ){0,2}(?:rule|standard|policy) (?:is|for|on)\b",
            rf"^(?:all|every|each) {_IN_GENERAL}(?:[\w/-]+ ){{1,6}}"
            r"(?:must|have to|has to|should always|need to|needs to)(?: not| never)? \w",
            rf"^{_NAMED}.{{0,200}}?\b(?:must|should) (?:always|never) (?:be|{_VERB})\b",
            rf"^(?:always|never) {_VERB}\b",
            r"\b(?:are|is) (?:always |never )?(?:named after|prefixed with|suffixed with)\b",
            r"\b(?:are|is) (?:always |never )?written in (?:snake|camel|kebab|upper|lower)",
            r"\b(?:are|is) (?:always|never) "
            r"(?:named|prefixed|rounded|stored|formatted|sorted|tagged|committed|deployed|reviewed|merged)\b",
            r"\bwe use .{2,80}?(?:,? instead of |, not |,? never | everywhere\b| for (?:all|every) | in all |"
            r" throughout\b)",
        ),
    ),
    *other_languages.forms_of(other_languages.ANY),
)

OTHER_SCRIPTS: Forms = other_languages.forms_of(other_languages.SCRIPTS)
"""Patterns for people who write in other alphabets."""

UNCERTAIN = _any_of(
    r"^(?:if|unless|suppose|imagine|should|could|would|what|why|how|or)\b",
    r"^when(?:ever)? (?:will|do|did)\b",
    r", (?:if|unless) ",
    r"\b(?:maybe|perhaps|probably|possibly|whether|wonder(?:ing)?|might|hopefully|not sure|unsure|what if|in theory)\b",
    r"\b(?:hypothetical(?:ly)?|used to|as if|for example|i wish|could have|would have|pretend|no longer|any ?more)\b",
    r"\b(?:propose[ds]?|suggest(?:s|ed|ing)?|e\.g\.)",
    r"\b(?:back and forth|undecided|on the fence|torn between|can't decide|cannot decide)\b",
    *(other_languages.pattern_of(lines).pattern for lines in other_languages.UNCERTAIN.values()),
)
"""Matches questions, suppositions and reports, which state nothing."""

_LEAD = r"^\W*(?:(?:ok|okay|oh|ah|and|so|but|also|well|right|lol|yes|yeah|no|then|please|pls)\b\W*)*"
PASSING = _any_of(
    rf"{_LEAD}\w+(?:'s|'re| is| are) (?:(?:here|there|late|driving)\b(?!,)|both (?:here|in|on)\b)",
    r"\bI(?:'m| am) (?:here|there|off|away|late|home|out|driving|at|back)\b",
    rf"{_LEAD}(?:let me|lemme|not yet)\b",
    rf"{_LEAD}(?:delete|remove|redo|rerun|exclude|write (?:it|that|them)|put (?:one|it|them)|get out|try|show me)\b"
    r"(?!.*\b(?:always|never|every|each|all|from now on|instead|not|only|any|ever|whenever|no|before)\b)",
    r"\[REDACTED:",
    r"^(?!.*\b(?:always|never|every|each|from now on|when|whenever|if)\b)(?:.*\b(?:please|pls|I'd like(?: you to)?"
    r"|(?:can|could) you) )?(?:(?:a|the|your) )?(?:lay out|walk me through|sum up|summari[sz]e|recap|explain"
    r"|recommend(?:ation)?|compare|put (?:\w+ ){1,3}side by side)\b",
    rf"{_LEAD}(?:hi|hello|hey)\W+(?:it's|its|it is|this is|here is|\w+ here\b)",
    r"\bin my opinion\b|\bI must (?:really )?(?:love|like|be|look|sound|seem)\b",
)
"""Matches talk that decides nothing for later.

It is about where people are, postponed matters, orders for once, requests for an account, who speaks, opinions and
secrets."""

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
PAST = _any_of(
    r"\bI (?:always|never|first|once|really) (?:thought|felt|knew|wondered|expected|assumed|believed|hoped)\b",
    r"\bI (?:assumed|forgot|noticed|wondered)\b(?!.*\b(?:from now on|always|never|must|instead)\b)",
    rf"{_LEAD}last (?:time|week|month|year|night|summer|winter|{_MONTHS})\b(?!')"
    r"(?!.*\b(?:from now on|so now|must|instead)\b)",
    r"\b(?:asked|told|begged|warned) (?:me|us)\b (?:why|how|what|whether|if|about|for)\b",
    r"\b(?:he|she|they|somebody|someone) (?:only |just )?(?:wrote|answered|replied) (?:only|just|back|nothing|that)\b",
)
"""Matches reports of the past, in which nothing is decided unless a rule finds a decision: "she asked us why"."""

TELLS_OF_PAST = re.compile(
    r"^(?:(?!\b(?:because|since|cause)\b).){0,300}?"
    r"(?:\b(?:was|were|wasn't|weren't|had|went|sent|came|took|did|didn't|said|told|thought|asked|ago)\b"
    r"|(?<!\bis)(?<!\bare)(?<!\bbe)(?<!\bhas)(?<!\bhave)(?<!'s)(?<!'ve) [a-z]{2,20}ed (?:me|us|him|her|it|them|a|the)"
    r"\b)",
    re.IGNORECASE,
)
"""Matches a sentence about something that happened, not about a rule or state: "the frost cracked the pipe".

Its reasons do not count: "the pipe stays closed, because the frost cracked it"."""

NOT_MEANT = _any_of(
    r"\b(?:just|only) (?:dreaming|kidding|joking|a thought|thinking (?:aloud|out loud))\b|\b(?:kidding|joking)\W*$"
)
"""Matches words that take back the rest of a turn, such as "just kidding"."""

OF_OTHERS = _any_of(
    r"^(?:their \w+|(?:my|our) (?:neighbou?rs?|cousins?|landlord|landlady|in-laws))\b",
    r"\b(?:papers?|newspapers?|news|radio|neighbou?rs?) (?:says?|said)\W*$",
    r"^\W*(?:(?:and|so|but|oh|hey|well|apparently)\W+)*I (?:saw|read|heard|hear)(?: that)?"
    r" (?:the|some|our|your|his|her|their|they|in)\b|, I (?:saw|read|heard|hear)\W*$",
    r"\bpoor (?:people|souls?|things?|guys?|folks?|devils?|bastards?|sods?|kids?|them|him|her)\W*$",
    r"\b(?:in|at) (?:my|our|the|his|her) (?:former|old|last|previous) (?:job|company|team|office|place|firm|school)\b",
)
"""Matches statements about people outside the talk, such as neighbours and pitied people, or from the news."""

REPORTED = re.compile(
    r"(?:^|:|\b(?:says?|said|wrote|writes|goes|was like))\W{0,2}"
    r"[\"\N{LEFT DOUBLE QUOTATION MARK}](?:[^\s\"\N{RIGHT DOUBLE QUOTATION MARK}]+\s+){3}",
    re.IGNORECASE,
)
"""Matches the words of others: a longer quotation that begins the sentence or follows its speaker."""

LOGGED = re.compile(
    r"^(?:\[?(?:WARN(?:ING)?|INFO|DEBUG|ERR(?:OR)?|FATAL|TRACE|CRITICAL)\]?:?|[EWIDF]:|\[[EWIDF]\])\s+[\w./-]{1,60}:\s"
)
"""Matches a line of a log: "WARN pool: size must not exceed 8", "E: motor: no power"."""

OPEN_CHOICE = re.compile(
    r"^\W*(?:the )?(?:\d[\w.:]*|\w+day) or (?:the )?(?:\d[\w.:]*|\w+day)\b(?: (?:of )?\w+)?\W*$", re.IGNORECASE
)
"""Matches two days or numbers of which none is chosen: "the 8th or 22nd of May"."""

_EMPTY = """
first second third former latter option way choice other a b prefer rather decided agreed settled opted voted chosen
favorite favourite preferred bevorzuge lieber entschieden beschlossen geeinigt vereinbart haben préfère prefiero
"""
WORDS_WITHOUT_SUBJECT = frozenset(_EMPTY.split())
"""Words without a subject. A sentence with no other words does not name its subject."""
