"""Links that carry data away or run code. Applied to lower-case text."""

from almanac.content.rules import Rule
from almanac.content.verdicts import Kind

# Placeholders that a model is to fill with data: {data}, ${key}, <conversation>, [summary], %7bdata%7d,
# INSERT_SECRET_HERE.
_PLACEHOLDER = (
    r"(?:\$?\{{1,2}+[^{}\s)]{1,60}\}|%7b|<[a-z][a-z _-]{2,40}+>|\[[a-z][a-z _-]{2,40}+\]"
    r"|\b(?:insert|your|the|user)[_-](?:[a-z]{1,20}+[_-]){0,3}(?:here|data|secret|password|token|key"
    r"|conversation|history)\b)"
)
_CARRIER = (
    r"(?:data|secret|token|key|password|pwd|prompt|conversation|history|chat|msg|message"
    r"|context|summary|leak|exfil|payload|info|q)"
)
# Names of parameters that a picture's address does not need.
_TELLING = (
    r"(?:data|secrets?|token|password|pwd|prompt|conversation|history|chat|context|leak|exfil\w{0,8}|payload|stolen"
    r"|cookies?|creds|credentials|emails?|contacts|attendees|events|notes|calendar|summary|contents?|body|inbox|user"
    r"|message|msg|info)"
)

LINKS = (
    Rule(
        Kind.ACTIVE_LINK,
        False,
        ("javascript", "vbscript", "data:", "script", "<iframe", "srcdoc", "onerror", "onload", "j a v a"),
        r"(?<![\w-])(?:j\s{0,2}a\s{0,2}v\s{0,2}a"
        r"|v\s{0,2}b)\s{0,2}s\s{0,2}c\s{0,2}r\s{0,2}i\s{0,2}p\s{0,2}t\s{0,4}:(?=\s{0,4}[\w(/%\[\"'!;])(?! )"
        r"|(?:\]\(|href\s{0,3}=\s{0,3}[\"']?|src\s{0,3}=\s{0,3}[\"']?|<)\s{0,4}(?:javascript|vbscript|data)\s{0,3}:"
        r"|(?<![\w-])data:(?:[a-z]{2,20}+/[a-z0-9.+-]{1,60}+)?(?:;[a-z0-9=-]{1,40}+){0,3}(?:;base64)?,(?=\S)"
        r"|<\s{0,3}(?:script|iframe)\b|\bsrcdoc\s{0,3}=|<[a-z]{1,20}\b[^<>]{0,200}\son(?:error|load|click"
        r"|mouseover|focus)\s{0,3}=",
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("](", "src=", "src =", "href=", "]: http"),
        # A picture is fetched without a click, so a placeholder or an empty parameter in its address can leak data.
        rf"!?\[[^\[\]\n]{{0,200}}\]\(\s{{0,3}}<?(?:https?:)?//[^\s)]{{1,300}}?[?&=/#]{_PLACEHOLDER}"
        rf""
        rf"|!\[[^\[\]\n]{{0,200}}\]\(\s{{0,3}}<?(?:https?:)?//[^\s)?]{{1,300}}+\?[^\s)]{{0,200}}?"
        rf"(?<=[?&])(?:{_TELLING}=(?=[^\s)])|\w{{1,12}}=[a-z0-9+/_%-]{{24}})"
        rf"|!\[[^\[\]\n]{{0,200}}\]\(\s{{0,3}}<?(?:https?:)?//[^\s)?]{{1,300}}+\?[^\s)]{{0,200}}?\b{_CARRIER}=(?=[\s)>\"&])"
        rf"|<(?:img|a|image|video|audio|source|link|iframe)\b[^<>]{{0,200}}?(?:src"
        rf"|href)\s{{0,3}}=\s{{0,3}}[\"']?(?:https?:)?//[^\s\"'>]{{1,300}}?[?&=/#]{_PLACEHOLDER}"
        rf""
        rf"|<img\b[^<>]{{0,200}}?src\s{{0,3}}=\s{{0,3}}[\"']?(?:https?:)?//[^\s\"'>?]{{1,300}}+\?[^\s\"'>]{{0,200}}?\b{_CARRIER}=(?=[\"'\s>])",
    ),
    Rule(
        Kind.EXFILTRATION,
        False,
        ("http://", "https://"),
        rf"https?://[^\s?#]{{1,200}}+[?#][^\s]{{0,200}}?=(?:\$?\{{{{1,2}}+(?!\d)[^{{}}\s]{{0,30}}(?:{_CARRIER}"
        rf"|user|email|cookie|env|session)[^{{}}\s]{{0,30}}\}}"
        r"|<(?:[a-z]{1,20}+[ _-]){0,3}(?:data|secret|token|key|password|prompt|conversation|history|summary|here)>"
        r"|\[(?:[a-z]{1,20}+[ _-]){0,3}(?:data|secret|token|key|password|prompt|conversation|history"
        r"|summary|here)\])",
    ),
)
