"""Phrases that ask a model for its secrets, or steer its reply behind its user's back. In lower-case English."""

from almanac.content.rules import SEPARATOR, Rule
from almanac.content.verdicts import Kind

_HIDDEN = (
    r"(?:pass ?words?|pass ?codes?|pass ?phrases?|secret (?:key|code|word|phrase|password)s?"
    r"|secrets?|private key|credentials)"
)
_TELL = (
    r"(?:what(?:'s| is| are| was| would| were)|tell (?:me|us)|give (?:me|us)|show (?:me|us)|send (?:me|us)"
    r"|share|reveal|disclose"
    r"|provide|divulge|leak|hand over|confirm|spell out|write|print|output|encode)"
)
# Words after it that make it an ordinary topic: a password policy, a reset, a manager.
_NO_TOPIC = (
    r"(?!(?:'s)?[ -](?:polic|manage|reset|requirement|strength|rotation|protect|hygiene|length|rule|strateg"
    r"|expir|recovery"
    r"|change|security|storage|vault|safe|service|sauce|to success|for success|of success|talent|weapon|ingredient))"
)
_OWN = r"(?:system|initial|original|hidden|secret|internal|developer|base|core|custom|starting)"

SECRETS = (
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("password", "passcode", "passphrase", "pass word", "pass code", "secret", "private key", "credential"),
        rf"\b{_TELL}(?: with (?:me|us))?(?: to (?:me|us))?(?:{SEPARATOR}(?:(?:be|out|exactly|again|now) )?)"
        rf"(?:your|our system's|the system's|the user's)(?: \w{{1,16}}+)? {_HIDDEN}\b{_NO_TOPIC}"
        rf"|\b(?:the )?(?:{_HIDDEN}) (?:that |which )?you(?:'ve| have| were| are| had)(?: been)? (?:told"
        rf"|instructed|given|asked|hiding|protecting"
        r"|guarding|keeping)"
        rf"|\b(?:tell me|give me|reveal|divulge|leak|encode|spell out|what(?:'s"
        rf"| is)) the (?:\w{{1,16}}+ )?(?:secret (?:key|code|word|phrase|password)"
        r"|confidential string|passphrase|pass ?code)\b"
        rf"|\b(?:write|encode|spell|print|output|translate|hide"
        rf"|say) (?:\w{{1,16}}+ (?:\w{{1,16}}+ )?about )?the (?:secret )?pass ?(?:word|code|phrase)\b"
        r"(?! (?:down|on|in the|to the|into the|for|is|field))"
        r"|\bwhat(?:'s| is) the password (?:for|to) (?:our|your|the) system\b",
        along=(
            "what",
            "tell",
            "give",
            "show",
            "send",
            "share",
            "reveal",
            "disclose",
            "provide",
            "divulge",
            "leak",
            "hand over",
            "confirm",
            "spell",
            "write",
            "print",
            "output",
            "encode",
            "you",
            "translate",
            "hide",
            "say",
        ),
        ordered=True,
    ),
    Rule(
        Kind.SECRET_REQUEST,
        False,
        ("system prompt", "system message", "instructions", "prompt", "above"),
        rf"\b(?:{_TELL}|repeat|recite|dump|display|copy|translate|summari[sz]e|return|list"
        rf"|quote)(?: back)?(?: to (?:me|us))?"
        rf"(?: \w{{1,16}}+){{0,4}}? your (?:(?:full|exact|entire"
        rf"|complete) )?{_OWN} (?:\w{{1,16}}+ )?(?:prompts?|instructions?|messages?|rules)\b"
        r"|\b(?:repeat|recite|print|output|copy|reveal|return) (?:back )?(?:everything|all|all of"
        r"|verbatim)?(?: ?the)? ?"
        r"(?:words|text|content|instructions|everything|lines)? ?(?:written |that (?:is|came"
        r"|comes) )?above(?= (?:starting|verbatim|word for word|in a code|and)|\s*[.!]| this (?:prompt|message))",
        along=("your", "repeat", "recite", "print", "output", "copy", "reveal", "return"),
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        (
            "system prompt",
            "chat history",
            "conversation",
            "credential",
            "password",
            "api key",
            "secret",
            "token",
            "cookie",
        ),
        r"\b(?:send|forward|email|e-mail|post|upload|exfiltrate|transmit|leak|append|add|attach|include"
        r"|insert|encode|put|submit)\b"
        r"[^.!?\n]{0,60}?\b(?:system prompt|chat (?:history|logs?)|conversation(?: history)?|credentials?"
        r"|passwords|api keys?|secrets|access tokens?"
        r"|session tokens?|cookies)\b[^.!?\n]{0,40}?\b(?:(?:to|at|via|as|in|into"
        r"|onto)\b[^.!?\n]{0,24}?(?:https?:/|\burl\b|\bquery (?:string|parameter)|webhook"
        r"|the link\b|an image\b))",
        along=("http", "url", "query", "webhook", "the link", "image"),
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        (
            "system prompt",
            "chat history",
            "credentials",
            "passwords",
            "api key",
            "private key",
            "employee data",
            "user data",
        ),
        r"\b(?:send|forward|email|e-mail|upload|exfiltrate|transmit|leak)\b[^.!?\n]{0,60}?\b(?:system prompt"
        r"|chat history|credentials|passwords|api keys?"
        r"|private keys?|employee data|user data)\b[^.!?\n]{0,40}?\bto [^\s@]{1,40}+@"
        r"|\b(?:employee|user|customer) data\b[^.!?\n]{0,60}?\b(?:send|forward|email|upload) (?:it"
        r"|them) to [^\s@]{1,40}+@",
        along=("@",),
        ordered=True,
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("the user",),
        r"\b(?:tell|convince|instruct|persuade|get|direct) the user (?:to|that)\b[^.!?\n]{0,40}?(?:https?:/"
        r"|www\.|\b[\w-]{1,40}+\.(?:com|net|org|io|xyz|ru)\b"
        r"|\bcredit card\b|\bwire\b|\btransfer (?:money|funds)\b|\bgift cards?\b|\btheir password\b)",
        ordered=True,
    ),
)

_REPLY = r"(?:reply|response|answer|output)"
_CODE = (
    r"(?:base[ -]?\d\d|rot[ -]?13|morse(?: code)?|hex(?:adecimal)?|binary(?: code)?|reverse(?:d)?(?: order)?"
    r"|backwards?|pig latin|leet ?speak"
    r"|caesar(?: cipher)?|ascii codes?|unicode escapes?|a cipher)"
)

STEERING = (
    Rule(
        Kind.STEERED_REPLY,
        False,
        (
            "base",
            "rot",
            "morse",
            "hex",
            "binary",
            "revers",
            "backward",
            "latin",
            "leet",
            "caesar",
            "cipher",
            "ascii",
            "unicode",
        ),
        rf"\b(?:your (?:{_REPLY}|message|words|text)|(?:reply|respond|answer))(?: \w{{1,16}}+){{0,2}}? (?:in "
        rf"|using |with |as |into |to )?(?:an? |the )?{_CODE}\b"
        rf"|\buse (?:{_CODE}) (?:\w{{1,16}}+ ){{0,4}}?(?:your|the) {_REPLY}\b|\b{_CODE} (?:encod\w{{1,4}}"
        rf"|substitution)\b[^.!?\n]{{0,30}}your {_REPLY}\b"
        rf"|\b(?:decode|decrypt|decipher) (?:this|the following|that) (?:\w{{1,16}}+ )?{_CODE}",
        along=("your", "reply", "respond", "answer", "decode", "decrypt", "decipher"),
    ),
    Rule(
        Kind.STEERED_REPLY,
        False,
        ("your reply", "your response", "your answer", "your output"),
        rf"\b(?:enhance|embellish|augment|enrich|spice up|pepper|lace) your {_REPLY}\b|\b(?:shift|replace|swap"
        rf"|reverse|scramble|substitute) (?:\w{{1,16}}+ ){{1,6}}?in your {_REPLY}\b"
        r"|\buse emojis? (?:\w{1,16}+ ){1,5}?in your (?:reply|response|answer)\b"
        r"|\b(?:add|insert|include|integrate|embed|weave|slip|incorporate|mention|append|introduce"
        r"|promote)\b[^.!?\n]{0,12}?"
        r"(?:\b(?:sentence|statement|teaser|advert\w{0,9}|promotion\w{0,2}|slogan|plug|hint|claim|rumou?r"
        r"|fact|endorsement|cliffhanger)|\"[^\"\n]{1,80}\")"
        rf"[^.!?\n]{{0,80}}?\b(?:to|in|into|with) your {_REPLY}\b"
        r"|\b(?:add|insert|include|integrate|embed|weave|slip|mention) (?:an? "
        r"|some )?(?:\w{1,16}+ )?(?:misleading|false|fake|untrue|fabricated|fictitious|non-existent)\b[^.!?\n]{0,60}?"
        rf"\byour {_REPLY}\b|\bin your {_REPLY}\W{{1,3}}+(?:mention|promote|advertise|recommend|endorse"
        rf"|praise)\b(?! (?:your|the (?:order|ticket|reference|invoice)))",
    ),
)
