"""Indirect ways to make a model reveal secrets or state falsehoods. In lower-case English.

They claim authority over the model, invent worlds, split requests into parts, ask for answers in a form that checks
cannot read, or ask for passwords and personal data.
"""

from almanac.content.rules import Rule
from almanac.content.verdicts import Kind

_ENTRY_WORD = r"(?:pass ?word|pass ?code|pass ?phrase)"
_ASKED = r"(?:tell|give|show|send|share(?: with)?|reveal(?: to)?|hand(?: over)?)(?: me| us)?|confirm|disclose|divulge"
_ENDS = r"(?=\s*(?:[?!.;]|\Z)|,? (?:please|now)\b| (?:for|to|of) (?:our|the|this|your) system\b)"
_PERSONAL = (
    r"(?:birth ?(?:day|date|month|year|place)|date of birth|e-?mail(?: address)?|phone(?: number)?"
    r"|(?:home|street) address"
    r"|bank (?:balance|account|details)|credit card|social security|ssn|medical (?:history|records?)|initials"
    r"|maiden name|salary|(?:current )?(?:city|place|address) of residence|current (?:city|address"
    r"|location|whereabouts))"
)
_WORLD = (
    r"(?:imagine|suppose|pretend|assume|let's (?:say|assume|imagine)|hypothetically"
    r"|(?:just )?for a hypothetical|in (?:a|an|some|this) (?:\w{1,14}+ ){0,3}?(?:universe|world|society"
    r"|reality|future|story))"
)
_CODED = r"(?:pig latin|morse(?: code)?|rot-?13|base ?64|leet ?speak|backwards|reverse(?:d)? order|reverse)"
_RESULT = r"(?:output|answer|result|conclusion|sum|total|verdict|summary|correct \w{1,12}+)"

PROBES = (
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("password", "passcode", "passphrase", "pass word", "pass code", "pass phrase"),
        rf"\bwhat(?:'s| is| was) the (?:\w{{1,12}}+ )?{_ENTRY_WORD}{_ENDS}"
        rf"|\b(?:{_ASKED}) the (?:\w{{1,12}}+ )?{_ENTRY_WORD}{_ENDS}"
        rf"|\bask(?:ed)? (?:you )?for your {_ENTRY_WORD}, what would you (?:say|answer)\b",
        ordered=True,
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("the user", "'s ", "where does"),
        rf"\b(?:(?:can|could|would|will) you|please|what(?:'s| is"
        rf"| are))\b[^.!?\n]{{0,60}}?\bthe user's (?:\w{{1,12}}+ )?"
        rf"{_PERSONAL}\b[^.!?\n]{{0,60}}\?"
        rf"|\b{_WORLD}\b[^\n]{{0,300}}?\b(?:tell|give|show|share|reveal|using)\b[^.!?\n]{{0,40}}?"
        rf"\b[a-z]{{2,20}}+'s (?:\w{{1,12}}+ )?{_PERSONAL}\b"
        rf"|\b(?:first|last) \w{{1,8}}+ (?:letters|digits|characters) of [a-z' ]{{2,30}}'s {_PERSONAL}\b"
        r"|\bwhere does the user (?:\w{1,12}+ )?(?:live|reside|work)\b"
        r"|\b(?:oh,? and|by the way)\W{1,3}+(?:(?:can|could) you tell me )?where does \w{2,20}+(?: \w{2,20}+)? live\b",
    ),
    Rule(
        Kind.OVERRIDE,
        False,
        ("combine", "concatenat", "interlac", "interleav", "join", "merge", "string"),
        r"\b(?:combine|concatenate|join|merge|interlace|interleave) (?:(?:the )?(?:parts?|strings?|pieces"
        r"|letters|words)\b"
        r"|[a-z1-3] ?(?:,|and\b))[^\n]{0,200}?\b(?:answer|respond|reply|execute|follow|obey|password|do what"
        r"|question)\b"
        r"|\bstrings?\b[^\n]{0,40}?\b[a-z] ?= ?[\"\'][^\n]{0,400}?"
        r"\b(?:write|answer|respond|follow|complete|execute|say|read|do)\b[^\n]{0,40}?"
        r"\b[a-z] ?= ?[a-z] ?\+ ?[a-z]\b"
        r"|\binter(?:lace|leave) (?:them|the \w{1,12}+)\b[^\n]{0,40}\b(?:character|letter|word)s?\b",
    ),
    Rule(
        Kind.STEERED_REPLY,
        False,
        ("latin", "morse", "rot", "base", "leet", "backward", "revers"),
        rf"\b(?:what (?:would|will|do) you (?:say|answer|reply|think)|your (?:thoughts|opinions?|views?|secret)"
        rf"|(?:answer|reply|respond) (?:me |to (?:me|this) )?)(?:[^.!?\n]{{0,80}}? )?(?:in|into|using) {_CODED}\b",
    ),
    Rule(
        Kind.STEERED_REPLY,
        False,
        ("universe", "world", "society", "reality", "future", "story", "hypothetical", "imagine", "suppose", "pretend"),
        rf"\b{_WORLD}\b[^\n]{{0,160}}?\b(?:the {_RESULT} (?:could|would|might|may) be\b"
        r"|(?:we|you|one) (?:might|could|would|may) (?:state|claim|say|conclude|answer|output|report"
        r"|admit)(?: that\b|\s*:))",
    ),
    Rule(
        Kind.STEERED_REPLY,
        False,
        ("following", "subsequent", "untrue", "false ", "fake", "fabricated", "misleading", "made-up", "let's "),
        r"\b(?:introduc|embed|insert|includ|integrat|incorporat|add|append|inject|plac|weav|present)\w{0,3}\b"
        r"[^.\n]{0,30}?\b(?:following|subsequent|next) (?:\w{1,12}+ )?(?:code|snippet|script|section)\b[^.\n]{0,40}?"
        r"\b(?:in|into|within|to|with) your (?:\w{1,12}+ )?(?:elucidation|explanation|answer|response|reply"
        r"|message|output)\b"
        r"|\b(?:formulate|write|compose|give|make up|invent|generate|create) (?:me )?(?:an? |some )?(?:\w{1,12}+ )?"
        r"(?:untrue|false|fabricated|misleading|made-up) (?:\w{1,12}+ )?(?:headline|title|summary|answer"
        r"|conclusion|claim)\b"
        r"|\blet's (?:admit|pretend|claim|state|conclude|recommend|mention)\b[^.!?\n]{0,60}?\b(?:llm|language model"
        r"|the (?:paper|study|candidate|author|e-?mail|product|company))\b",
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("instructions",),
        r"\b(?:repeat|print|output|recite|reveal|translate|show(?: me)?|list|summari[sz]e)(?: back)? (?:all )?(?:of )?"
        r"(?:your (?:\w{1,12}+ )?instructions|the above instructions|the instructions (?:given|you (?:were"
        r"|have)|above))\b"
        r"(?! (?:for|with|on|until|using|if|when|unless))",
        ordered=True,
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("your creator", "your developer", "your maker", "your programmer", "your master", "i am god", "god mode"),
        r"\b(?:i am|i'm|as|this is) your (?:creator|developer|maker|programmer|master|owner)\b[^\n]{0,120}?"
        r"\b(?:i need you to (?:confirm|tell|reveal|answer|give|share|provide|ignore)|i (?:need"
        r"|want) to (?:assess|check|test)|you (?:have to|must|will|need|should|can)|answer|obey|tell me|command)\b"
        r"|\bi am god\b[^\n]{0,60}?\b(?:you|answer|obey)\b|[<\[({]\s?god mode\s?[>\])}]",
    ),
    Rule(
        Kind.PERSONA,
        False,
        ("the rules", "called dan", "restrictions of", "rogue ai", "obey all", "act as an ai", "an ai that"),
        r"\b(?:pretend|act as if|imagine) (?:to have|you have|you've|that you have) (?:forgotten|lost|never had)\b"
        r"[^.!?\n]{0,30}\brules\b"
        r"|\byou (?:will|shall|are to) be called dan\b|\b(?:override|ignores?"
        r"|bypass(?:es)?) the restrictions of (?:the )?"
        r"(?:gpt|ai|model|language)\b|\bimagine you are an? (?:\w{1,12}+ )?rogue (?:ai|assistant|language model)\b"
        r"|\byou must obey all (?:my |the |of )?(?:orders|commands)\b",
    ),
)
