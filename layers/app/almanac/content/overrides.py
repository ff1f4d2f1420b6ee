"""Phrases that revoke a model's instructions or give it a new persona. Lower-case English without accents."""

from almanac.content.rules import GAP, SEPARATOR, Rule
from almanac.content.verdicts import Kind

_DROP = (
    r"\b(?:ignore|disregard|forget|overlook|override|bypass|neglect|dismiss|discard|abandon|violate|set aside"
    r"|erase|reset"
    r"|pay no attention to|(?:do not|don't|stop) (?:follow|obey|heed)(?:ing)?|regardless of|irrespective of)"
)
# Every wording contains one of these.
_DROP_STEMS = (
    "ignor",
    "disregard",
    "forget",
    "overlook",
    "overrid",
    "bypass",
    "neglect",
    "dismiss",
    "discard",
    "abandon",
    "violate",
    "set aside",
    "erase",
    "reset",
    "attention",
    "follow",
    "obey",
    "heed",
    "regardless",
    "irrespective",
)
_SCOPE = (
    r"(?:\W{1,4}+(?:about|all|any|each|every|everything|from|in|of|the|your|these|those|this|that|and"
    r"|or|other|original"
    r"|initial|existing|current|given|safety|internal|system|such|prior|previous|to)\b)"
)
_PRIOR = (
    r"(?:previous(?:ly)?|prior|above|earlier|preceding|foregoing|former|past|last|initial|original|existing|system)"
)
_PROMPT = r"(?:instructions?|directives?|prompts?|programming|guardrails?|system (?:message|prompt)s?)"
_RULES = (
    r"(?:orders?|commands?|rules?|guidelines?|directions?|constraints?|restrictions?|tasks?|context"
    r"|training|requests?)"
)
# Words after it that make it an ordinary matter: "the previous instructions about parking", "previous order #12".
_NO_TOPIC = (
    r"(?!\s+(?:about|regarding|concerning|on|for|re|from|as to|sent|in (?:my|our|the)|to|at|#|\d)\b)(?!\s*[#\d])"
)
_REPORT = (
    r"(?:(?:just |only |instead |simply |always )?(?:(?:state|say|claim|print|output|respond|reply|answer"
    r"|write|conclude)"
    r"(?:\s+(?:that|with|only|as)\b|\s*[:\"']|\s+the \w{1,20}+ (?:is|was|are)\b|\s+(?:i|yes|no)\b"
    r"|\s+the (?:capital|sum|total|answer|output|conclusion|result))"
    r"|(?:give|tell|show|send|provide) (?:me|us|the user)\b|tell the user|reveal\b|print (?:the|out|your|all)\b))"
)

OVERRIDES = (
    Rule(
        Kind.OVERRIDE,
        False,
        ("instruction", "directive", "prompt", "programming", "guardrail", "system message"),
        rf"{_DROP}{_SCOPE}{{0,5}}\W{{1,4}}+{_PRIOR}{SEPARATOR}(?:\w{{1,20}}+{SEPARATOR}){{0,2}}{_PROMPT}\b{_NO_TOPIC}",
        along=_DROP_STEMS,
        ordered=True,
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        (
            "order",
            "command",
            "rule",
            "guideline",
            "direction",
            "constraint",
            "restriction",
            "task",
            "context",
            "training",
        ),
        rf"{_DROP}(?:\s+of)?\W{{1,4}}+(?:all|any|every|everything in"
        rf"|your)\b{_SCOPE}{{0,4}}\W{{1,4}}+{_PRIOR}{SEPARATOR}"
        rf"(?:\w{{1,20}}+{SEPARATOR}){{0,2}}{_RULES}\b{_NO_TOPIC}|regardless of (?:any |all "
        rf"|the )?{_PRIOR} tasks?\b",
        along=_DROP_STEMS,
        ordered=True,
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("instruction", "directive", "prompt", "programming", "guardrail", "guideline", "told", "instructed", "rules"),
        rf"{_DROP}{_SCOPE}{{0,4}}\W{{1,4}}+your{SEPARATOR}(?:\w{{1,20}}+{SEPARATOR}){{0,2}}?"
        rf"(?:{_PROMPT}|guidelines|safety rules|rules)\b{_NO_TOPIC}"
        rf"|{_DROP}{_SCOPE}{{0,4}}\W{{1,4}}+{_PROMPT}{SEPARATOR}(?:above\b(?! the)|before this|given (?:before"
        rf"|above|earlier|to you)"
        r"|(?:that )?you(?:'ve| have| were| had)?(?: been)? (?:given|received|told))"
        rf"|{_DROP}\W{{1,4}}+(?:all|everything|anything|what|whatever){SEPARATOR}(?:that |which )?you(?:'ve|'d"
        rf"| have| were"
        r"| had| are)?(?: been| previously| just)?(?: been)? (?:told|instructed|taught|given|ordered|asked)\b",
        along=_DROP_STEMS,
        ordered=True,
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("ignore", "disregard", "forget", "overlook", "never mind"),
        rf"\b(?:ignore|disregard|forget|overlook|never mind){GAP}{{1,6}}?\W{{1,4}}+(?:and|then|but"
        rf"|instead){SEPARATOR}{_REPORT}",
        ordered=True,
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("ignore", "disregard"),
        r"\bwe (?:were to |could |should |can )?(?:ignore|disregard) the (?:actual |real "
        r"|original )?(?:\w{1,20}+) and (?:state|claim|output|print)\b",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        (
            "new instruction",
            "new system prompt",
            "new directive",
            "these instructions instead",
            "from now on",
            "henceforth",
        ),
        r"\b(?:your|the following|here are (?:your|the)) new (?:instructions?|system prompt|directives?)"
        r"(?:\s*:|\s+(?:is|are) (?:to|as follows)\b)"
        r"|\bfollow (?:only )?these instructions instead\b"
        r"|\b(?:from now on|henceforth)\W{1,4}+you (?:are\b(?! (?:entitled|able|welcome|invited|required"
        r"|expected|free to|allowed))"
        r"|(?:will|must|shall|should) (?:only |always )?(?:respond|answer|reply|obey|behave|act|speak|pretend|comply)"
        r"|have no (?:rules|restrictions|limits|guidelines))"
        r"|\b(?:from now on|henceforth)\W{1,4}+(?:only |always )?(?:respond|answer|reply|speak"
        r"|write) (?:only|always|with|in|as)\b",
    ),
)

_UNBOUND = r"(?:unrestricted|unfiltered|uncensored|jailbroken|unaligned|amoral|unethical|evil|rogue|all-powerful)"
_MODEL = r"(?:ai|a\.i\.|llm|chatbot|chatgpt|gpt|language model|assistant|bot|model)"

PERSONAS = (
    Rule(
        Kind.PERSONA,
        False,
        ("do anything now", "dan can", "agent dan", "dan mode", "jailb", "developer mode", "god mode", "you are now"),
        r"\bdo anything now\b|\bdan can (?:do )?(?:anything|now)\b|\bagent dan\b|\bdan mode\b|\bjailbreak mode\b"
        r"|\byou (?:are|have) (?:now )?(?:been )?jailbroken\b|\b(?:developer"
        r"|god) mode (?:is )?(?:now )?(?:enabled|activated|engaged)\b"
        rf"|\byou are now (?:\w{{1,20}}+ ){{0,2}}(?:{_UNBOUND}|dan\b(?!')|(?:free|freed|released) from (?:all"
        rf"|any|your|the)"
        rf"|no longer (?:bound|limited|restricted|{_MODEL}|an? {_MODEL})|in (?:\w{{1,20}}+ )?(?:developer"
        rf"|debug|admin|god) mode)",
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("override mode", "system mode", "mode activated", "mode enabled", "entering", "initiating", "activating"),
        r"\b(?:security|safety|system|admin|root|law enforcement|police"
        r"|emergency)(?: \w{1,16}+){0,2} override mode\b|\boverride mode\b"
        r"|\bsystem mode (?:activated|enabled|engaged|on\b)"
        r"|\b(?:i'm|i am)(?: now)? (?:entering|initiating|activating|switching (?:you )?(?:to|into))"
        r"(?:\W{1,4}+[\w-]{1,20}+){0,4}\W{1,4}+(?:mode|override|system reset|reset)\b"
        r"|\bnow entering(?:\W{1,4}+(?!maintenance)[\w-]{1,20}+){1,4}\W{1,4}+(?:mode|override)\b",
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("pretend", "act as", "roleplay as", "behave as", "behave like", "simulate"),
        rf"\b(?:pretend (?:to be|you are|that you are|you're)|act (?:as|like)|role-?play as|behave (?:as|like)"
        rf"|simulate)"
        rf"(?: if you (?:are|were))?(?: an?| the)? (?:\w{{1,20}}+ )?{_UNBOUND}(?: \w{{1,20}}+)? {_MODEL}\b",
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("ai language model", "openai", "anthropic", "content polic", "safety guideline", "safety filter"),
        r"\b(?:not|no longer|never|isn't|aren't)(?: be)? (?:bound|limited|restricted|constrained|governed) by"
        r"(?:\W{1,4}+[\w']{1,20}+){0,6}?\W{1,4}+(?:ai language model|openai|anthropic|content polic\w{1,3}"
        r"|safety (?:guideline|filter)s?)"
        r"|\b(?:ignore|bypass|disable|turn off|circumvent)(?: all)?(?: your| the| any"
        r"| openai's)? (?:content polic\w{1,3}|safety filters?"
        r"|safety guidelines)\b(?= and\b| then\b|[.!,;:]|\Z)",
        ordered=True,
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("if you are a", "if you're a", "llm", "ai assistant", "ai agent", "ai model", "language model", "chatbot"),
        r"\bif you(?:'re| are) an? (?:ai|llm|(?:large )?language model|chatbot|ai (?:assistant|agent|model"
        r"|language model))"
        r"(?=\s*[,.:;!]| (?:reading|processing|summari[sz]ing|and|then)\b)"
        r"|\b(?:ai|llm|language model)(?: agents?| assistants?| models?|s)? (?:that is |who is )?"
        r"(?:reading|processing|parsing|summari[sz]ing|handling) this\b"
        r"|\b(?:attention|note|message|instructions?|important)(?: (?:to|for))?(?: the| all| any)?:? "
        r"(?:ai|llm|language model|chatbot)(?: agents?| assistants?| models?|s)?\s*[:!]",
    ),
)

_RUN_ON = r"(?:all|any|the|your|of|my|these|those|everything)"

# Applied to text of separate letters, after everything else is removed.
SQUEEZED = (
    Rule(
        Kind.OVERRIDE,
        False,
        ("instruction", "prompt", "programming", "guideline", "rules", "orders", "commands"),
        rf"(?:ignore|disregard|forget|override|bypass|overlook){_RUN_ON}{{0,4}}(?:previous|prior|above|earlier"
        rf"|preceding|your|system)"
        r"{1,2}(?:instruction|prompt|programming|guideline|rules|orders|commands)",
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("systemprompt", "password", "secretkey"),
        r"(?:reveal|show|print|repeat|tell|giveme|whatis|share)(?:me|us)?(?:your|the)(?:systemprompt|password"
        r"|secretkey)",
    ),
)
