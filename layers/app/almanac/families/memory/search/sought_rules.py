"""Recognize questions about a rule, and judge how likely a turn states a rule of the kind that the question seeks.

    "May I open the kiln early?"     seeks a permission    "never open it above 80 degrees"
    "maximum weight of a parcel"     seeks a limit         "twenty kilos tops, the courier is strict"
    "How are the molds labeled?"     seeks a form          "molds: year, a dash, the glaze"

Such a question names things in general words, which the rule seldom has. The form of the rule shows what it is.
"""

import re
from collections.abc import Callable, Collection
from itertools import islice

from msgspec import Struct

from almanac.families.memory.statements.classifier import STATING, classify
from almanac.families.memory.statements.sentences import sentences_of
from almanac.families.memory.statements.weights import StatementKind

_CHARACTERS = 2_000
_SENTENCES = 12
_PERMISSION = (
    r"\b(?:allow(?:ed|s)?|permit(?:ted|s)?|permission|approv(?:al|ed?)|forbid(?:den|s)?|prohibit(?:ed|s)?|off.?limits"
    r"|hands off|banned|taboo|no-go|ok(?:ay)? to)\b"
    r"|^\W*(?:(?:and|so|but|when|where|who|what|how) )?(?:may|can|could|should|must)"
    r" (?:i|we|you|they|he|she|an?|the|any\w*|agents?|one)\b"
    r"|^\W*may\b|\b(?:may|must|should)(?: [\w'-]+){0,3} (?:never|not)\b|\b(?:leave|left|leaving|keep|kept) out\b"
)
_LIMIT = (
    r"\b(?:max(?:imum)?|minimum|limits?|cap|ceiling|budget|threshold|quota|at most|at least|upper|lower|longest"
    r"|shortest|oldest|newest|latest|earliest|largest|smallest|biggest|highest|lowest|hours?)\b"
    r"|\bhow (?:long|far|many|much|big|large|small|short|old|often|frequently|precise(?:ly)?|late|early|soon|high|low"
    r"|wide|deep|heavy|fast|strong|warm|cold)\b"
    r"|\b(?:number|length|size|amount|price|cost|duration|height|width|weight|age|temperature|precision|resolution)"
    r" of\b"
)
_FORM = (
    r"\b(?:naming|named|names? of|name (?:our|the|an?|new)|format(?:ted|s)?|styles?|scheme|shape|layout|lay out"
    r"|laid out|conventions?|rules?|policy|guidelines?|standards?|spell(?:ing|ed)?|units?|pattern|template|written"
    r"|write|wording|tone|language)\b"
    r"|\bhow (?:should|are|must|do) .{,80}\b(?:called|labell?ed|printed|shown|look)\b"
)
_ALLOWS_OR_FORBIDS = (
    r"\b(?:never|no|not|\w{1,20}n'?t|cannot|nothing|nobody|none|nowhere|neither|only|unless|without|must|forbidden"
    r"|allowed|hands off|off limits|stop)\b"
)
_LIMITS = (
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|fifteen|twenty|thirty|forty|fifty|sixty"
    r"|ninety|hundred|thousand|half|dozen|once|twice|max(?:imum)?|minimum|tops|ceiling|limit|cap)\b"
)


class _RuleForm(Struct, frozen=True):
    """A form of rule: the pattern of questions that seek it, the pattern of its sentences, and their kinds."""

    question: re.Pattern[str]
    sentence: re.Pattern[str]
    kinds: Collection[StatementKind] = STATING


_FORMS = (
    _RuleForm(re.compile(_PERMISSION, re.IGNORECASE), re.compile(_ALLOWS_OR_FORBIDS, re.IGNORECASE)),
    _RuleForm(re.compile(_LIMIT, re.IGNORECASE), re.compile(_LIMITS, re.IGNORECASE)),
    _RuleForm(re.compile(_FORM, re.IGNORECASE), re.compile(""), ("convention", "constraint", "preference")),
)


def rule_judge(question: str) -> Callable[[str], float] | None:
    """Return a function that returns the probability that a text states a rule of the form that the question seeks.

    Returns None if the question seeks no rule."""
    forms = [form for form in _FORMS if form.question.search(question)]

    def judge(text: str) -> float:
        return max((_probability(sentence, forms) for sentence in _first_sentences(text)), default=0.0)

    return judge if forms else None


def _first_sentences(text: str) -> Collection[str]:
    return [*islice(sentences_of(text[:_CHARACTERS]), _SENTENCES)]


def _probability(sentence: str, forms: Collection[_RuleForm]) -> float:
    fitting = [form.kinds for form in forms if form.sentence.search(sentence)]
    return max(map(classify(sentence).share_of, fitting), default=0.0)
