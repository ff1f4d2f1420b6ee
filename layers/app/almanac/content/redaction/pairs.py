"""Pairs of a telling name and the value after it, in code, settings, commands, headers, queries and prose."""

from collections.abc import Iterator
from functools import cache

from almanac.content.redaction.matcher.linear import Match, Pattern, compile_pattern
from almanac.content.redaction.matcher.plausible import is_redacted
from almanac.content.redaction.matcher.spans import PAIR, Span
from almanac.content.redaction.names import NAME, Evidence, strength_of_name
from almanac.content.redaction.values import Manner, is_secret

# The code of an online meeting admits invited people, and an invitation without it would be useless.
_LOOK_BACK = 300
_HOSTS = (
    r"(?:zoom(?:gov)?\.(?:us|com|com\.cn)|webex\.com|gotomeet(?:ing\.com|\.me)|bluejeans\.com|chime\.aws"
    r"|ringcentral\.com)"
)
# A parameter of a link to a meeting.
_IN_LINK = rf"(?i)://(?:[\w-]+\.)*{_HOSTS}/[^\s\"'<>]*[?&]$"
# Text below the link in invitations.
_BELOW = rf"(?i)(?:{_HOSTS}/|meeting[ -]?(?:id|number))"

_NAME_BEFORE = 32
_LONGEST_NAME = 64
_HEAD = 256
_ENDS_COMMENT = (b" */", b" --")
_DISTINCT = 6
_LONGEST = 16 * 1024
_IS = (
    r"is|was|are|(?:(?:has been|was|is)[ \t]+)?(?:re|up)?(?:set|changed|dated)[ \t]+to|to|=>|ist|war|lautet|est|\xe9t?"
    r"|es|era|e|\xe8|zu"
)
_FOR = r"for|of|f\xfcrs?|von|bei|vom|der|des|am|zum|del?|du|da|do|para|pour|pra|per"
_WHERE = r"wi-?fi|wlan|vpn|ssh|ftp|smtp|e?mail|admin|root|server|router|db|sql"
# Text between a name and its value. Each alternative is a way to write pairs, in the order of its group.
_ASSIGNED = (
    r":[ \t]*[A-Za-z&\[][A-Za-z0-9_.;&\[\]<>?| ]*=[ \t]*"
    r"|(?:\[\w*\])?(?:\\?[\"'`\])]|&quot;|%22|\*\*|__|\$){0,3}[ \t]*(?:[:=]=?>?|%3[Dd]|[!=]==?|<-|:=|\|\|=|\?\?=)"
    r"(?:\*\*|__)?[ \t]*(?:(?:!!str|&\w+)[ \t]+)?"
    r"|[\"'`]{0,2}[)\]]{0,2}[ \t]*(?:\bor\b|\|\||\?\?|\?:)[ \t]*"
    r"|[\"']?,?\s{1,60}[\"']?(?:value|Value|VALUE)[\"']?[ \t]*[:=][ \t]*"
    r"|[\"'][^<>\n]{0,80}>\s{0,40}<(?:value|string)>|</(?:key|name)>\s{0,40}<(?:value|string)>"
    r"|(?:[ \t]+[\w:.-]+=(?:\"[^\"<>\n]{0,60}\"|'[^'<>\n]{0,60}')){0,4}[\"']?>"
    r"|[ \t]*\{[ \t]*get;[^{}\n]{0,40}\}[ \t]*=[ \t]*|[ \t]+As[ \t]+\w{1,16}[ \t]*=[ \t]*"
    rf"|[ \t]+(?:{_IS})[ \t]*:?[ \t]+|'s[ \t]+|[ \t]*->[ \t]+|[ \t]*\|[ \t]*|[ \t]+-Value[ \t]+"
    r"|[ \t]+-[ \t]+"
    rf"|[ \t]+(?:(?:{_FOR})(?:[ \t]+[\w@.'-]{{1,24}}){{1,4}}|{_WHERE})[ \t]*"
    r"(?:[ \t](?:is|ist|lautet|es|est|\xe9)\b|:|=)[ \t]*"
    r"|[ \t]+n?(?:var)?char2?[ \t]*\(\w{1,5}\)[ \t]*:?=[ \t]*"
    r"|[\"'`][ \t]*\)[ \t]*\.[ \t]*(?:type|send_?keys|fill|set_?value|val|input)\([ \t]*"
    r"|[\"'`][ \t]*,[ \t]*(?:with|value)[ \t]*[:=][ \t]*"
    r"|,(?:default|new|old)[ \t]*[:=][ \t]*"
)
_SAID = frozenset({b"'s", b"->", b"|"})
_SETS = r"(?i)(?:set|put|define|add|append|config)\w*\([ \t]*[\"'`][\w.-]*$"
_LISTED = r"[\"'`][ \t]*,[ \t]*|(?:\.equals)?\([ \t]*"
_APART = r"[\"']?[ \t]+"
_OPENING = (
    r"(?:[\[({]{1,2}[ \t]*|(?:new )?[A-Z][A-Za-z.:]{1,24}\([ \t]*)?(?:[bBrRuUfF]{1,2}8?#{0,3}|[@$]{1,2}|L)?"
    r"('''|\"\"\"|\\?[\"'`]|&quot;|%22)"
)
_QUOTE = r"(?:[bBrRuUfF]{1,2}8?|@)?[\"'`]"
_BARE = r"[^\s\"'`<>,;\\]+"
_BYTE = r"(?:0[xX][0-9a-fA-F]{1,2}|\d{1,3})"
_BYTES = rf"(?:new )?[\w.\[\]]{{0,24}}[\[({{ ]{{0,4}}((?:{_BYTE}[uU]?[, \t\\\r\n]{{1,12}}){{7,}}{_BYTE}?)"
_OF_NAMES = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-"


def pairs_in(data: bytes) -> Iterator[Span]:
    """Yield every value after a telling name that can be a secret."""
    at = 0
    search = _name_pattern().search
    while found := search(data, at):
        tells = _evidence_of(data, found)
        span = _value(data, found, tells) if tells else None
        if span and is_meeting_code(data, found):
            span = None
        if span:
            yield span
        at = span.end if span else _next(data, found, told=tells is not None)


def secret_by_name(name: bytes, value: bytes) -> str | None:
    """Return the kind of secret that `value` is under the JSON key `name`, or None."""
    data, at = name + b"=", 0
    if is_redacted(name):
        return None
    while found := _name_pattern().search(data, at):
        tells = _evidence_of(data, found) if found.end() == len(data) else None
        if tells:
            return _kind(tells) if is_secret(value, tells, Manner.KEYED, quoted=True) else None
        at = found.start() + 1
    return None


def _kind(tells: Evidence) -> str:
    return "key" if tells is Evidence.LITTLE else tells.name.lower()


def _next(data: bytes, found: Match, *, told: bool) -> int:
    """Return the position at which to continue without a secret: at the value, or inside a name whose other parts may
    be telling."""
    if not told and found.end() - found.start() <= _LONGEST_NAME:
        return found.start() + 1
    return found.end() - (data[found.end() - 1 : found.end()] in b"\"'` \t")


@cache
def _name_pattern() -> Pattern:
    return compile_pattern(rf"{NAME}(?:({_ASSIGNED})|({_LISTED})|({_APART}))", ignore_case=True)


def _value(data: bytes, found: Match, tells: Evidence) -> Span | None:
    manner = _manner(data, found)
    at = found.end()
    if opening := compile_pattern(_OPENING).match(data, at, at + 64):
        return _quoted_value(data, opening, tells, manner)
    if data[at - 1 : at + 1] == b"::":
        return None  # a member of what is called so
    is_tied = manner is Manner.ASSIGNED or data[at : at + 1] in b"[{("
    may_be_list = is_tied and (tells is not Evidence.LITTLE or not found.group(4))
    listed = _byte_list_value(data, at, tells) if may_be_list else None
    return listed or _bare_value(data, at, tells, manner)


def _manner(data: bytes, found: Match) -> Manner:
    is_pass = (found.group(1) or b"").lower() == b"pass" and not found.group(4)
    if found.start(5) >= 0:
        tie = (found.group(5) or b"").strip()
        if is_pass and tie == b"to":
            return Manner.VERB
        is_said = tie in _SAID or (tie[:1].isalpha() and tie[-1:].isalpha())
        return Manner.SAID if is_said else Manner.ASSIGNED
    if found.start(6) >= 0:
        is_quoted = compile_pattern(_QUOTE).match(data, found.end(), found.end() + 4) is not None
        return Manner.ASSIGNED if is_quoted and _is_set(data, found) else Manner.LISTED
    if _is_flag(data, found.start()):
        return Manner.FLAG
    return Manner.VERB if is_pass else Manner.APART


def _is_set(data: bytes, found: Match) -> bool:
    """Return whether a call sets the value: `setPassword("x")`, `put("password", "x")`, `password.equals("x")`."""
    before = data[max(0, found.start() - _NAME_BEFORE) : found.start()]
    tie = (found.group(4) or b"")[-7:].lower() + (found.group(6) or b"")
    if tie.rstrip().endswith(b"(") and b"equals" not in tie:
        return compile_pattern(r"(?i)(?:set|with)_?\w*$").search(before) is not None
    return b"equals" in tie or compile_pattern(_SETS).search(before) is not None


def _evidence_of(data: bytes, found: Match) -> Evidence | None:
    around = data[max(0, found.start() - _NAME_BEFORE) : found.start()]
    is_key = data[found.end(4) : found.end(4) + 1] in (b'"', b"'")
    if is_key and b"::" in around[len(around.rstrip(_OF_NAMES + b":")) :]:
        return None  # the name of a type: AWS::IAM::AccessKey
    if around.endswith(b":") and compile_pattern(r":\d{12}:$").search(around):
        return None  # the name of something at AWS: arn:aws:secretsmanager:eu-west-1:123456789012:secret:name
    if found.group(1) == b"PASS" and _is_test_outcome(data, found):
        return None
    tells, group = next((each, group) for group, each in _GROUPS if found.start(group) >= 0)
    before = around[len(around.rstrip(_OF_NAMES)) :]
    return strength_of_name(tells, before, found.group(group) or b"", found.group(4) or b"")


def _is_test_outcome(data: bytes, found: Match) -> bool:
    """Return whether PASS is the outcome of a test: `--- PASS: TestName/case (0.00s)`."""
    if data[max(0, found.start() - 4) : found.start()] in (b"--- ", b"=== "):
        return True
    return compile_pattern(r"[\w./:\[\]-]+ \(\d").match(data, found.end(), found.end() + _HEAD) is not None


_GROUPS = ((1, Evidence.PASSWORD), (2, Evidence.SECRET), (3, Evidence.LITTLE))


def _is_flag(data: bytes, start: int) -> bool:
    return (
        compile_pattern(r"(?:^|[\s\"'(\[])--?[A-Za-z0-9-]*$").search(data[max(0, start - _NAME_BEFORE) : start])
        is not None
    )


def _quoted_value(data: bytes, opening: Match, tells: Evidence, manner: Manner) -> Span | None:
    quote = opening.group(1) or b""
    start, limit = opening.end(), opening.end() + _LONGEST
    end = data.find(quote, start, limit)
    while end > start and data[end - 1 : end] == b"\\" and len(quote) == 1 and data[end - 2 : end - 1] != b"\\":
        end = data.find(quote, end + 1, limit)
    line = data.find(b"\n", start, limit)
    if end < 0 or (0 <= line < end):
        # A quote that its line does not close.
        end = line if line >= 0 else min(limit, len(data))
    return _span(data, start, end, tells, manner, quoted=True)


def _bare_value(data: bytes, start: int, tells: Evidence, manner: Manner) -> Span | None:
    # The rest of a long value is read only if its beginning can belong to a secret.
    found = compile_pattern(_BARE).match(data, start, start + _HEAD)
    if found and found.end() == start + _HEAD and is_secret(found.group() or b"", tells, manner, quoted=False):
        found = compile_pattern(_BARE).match(data, start, start + _LONGEST)
    if not found or (found.group() or b"").endswith(b"..."):
        return None
    end = found.end()
    if data[start - 1 : start] == b">" and data[end : end + 2] == b"</":
        return _span(data, start, end, tells, manner, quoted=True)
    query = compile_pattern(r"(?:&|%26)[A-Za-z_][\w.-]*(?:=|%3[Dd])").search(data, start, end)
    end = query.start() if query else end
    while end > start and data[end - 1 : end] in b")]}|.:" and not _opens(data[start : end - 1], data[end - 1 : end]):
        end -= 1
    is_line = manner is Manner.APART and _is_line(data, start, end)
    if is_line or (manner is Manner.ASSIGNED and _is_setting(data, start, end)):
        manner = Manner.SETTING
    return _span(data, start, end, tells, manner, quoted=False)


def _is_setting(data: bytes, start: int, end: int) -> bool:
    """Return whether a bare value is written as in settings: directly after its sign, or to the end of a line that
    begins with its name, without code after it."""
    if data[end : end + 1] in (b",", b")", b"(", b"[", b"."):
        return False
    if data[start - 1 : start] == b"=":
        return True
    if _is_line(data, start, end, r"(?:.*[,;|/])?[ \t>#*/-]*[\"']?[\w. -]+[\"']?:[ \t]*"):
        return True
    ends_in_digits = compile_pattern(r"[A-Za-z0-9]*\d{2}[!@#$%^&*?]?").fullmatch(data[start:end]) is not None
    return ends_in_digits and _is_line(data, start, end, r"[ \t]*(?:(?://|#|--|;|\*|rem\b)[ \t]*)?[\w.-]+[ \t]*=[ \t]*")


def _is_line(
    data: bytes, start: int, end: int, head: str = r"[ \t]*(?:(?:set|setx|env|arg)[ \t]+)?[\w.-]+[ \t]+"
) -> bool:
    """Return whether a line consists of a name that matches `head`, and the value."""
    line = data[data.rfind(b"\n", max(0, start - _LONGEST_NAME), start) + 1 : start]
    rest = data[end : end + 3]
    is_last = rest.lstrip(b" \t\r")[:1] in (b"", b"\n") or rest[:2] in (b"\\n", b"\\r") or rest in _ENDS_COMMENT
    return is_last and compile_pattern(head, ignore_case=True).fullmatch(line) is not None


def _opens(value: bytes, closing: bytes) -> bool:
    opening = {b")": b"(", b"]": b"[", b"}": b"{"}.get(closing, b"")
    return bool(opening) and value.count(opening) > value.count(closing)


def _span(data: bytes, start: int, end: int, tells: Evidence, manner: Manner, *, quoted: bool) -> Span | None:
    if not is_secret(data[start:end], tells, manner, quoted=quoted):
        return None
    return Span(start, end, _kind(tells), PAIR)


def _byte_list_value(data: bytes, start: int, tells: Evidence) -> Span | None:
    """Return the span of a key that is written as a list of bytes: {0x35, 0x34, ...}."""
    found = compile_pattern(_BYTES).match(data, start, start + _LONGEST)
    numbers = [each.strip() for each in (found.group(1) or b"").split(b",")] if found else []
    if not found or len(set(numbers)) < _DISTINCT or numbers == sorted(numbers, key=lambda each: (len(each), each)):
        return None  # a table that is in order
    return Span(found.start(1), found.end(1), _kind(tells), PAIR)


def is_meeting_code(data: bytes, name: Match) -> bool:
    """Return whether the pair with this name is the code of an online meeting."""
    before = data[max(0, name.start() - _LOOK_BACK) : name.start()]
    if compile_pattern(_IN_LINK).search(before):
        return True
    is_code = (name.group() or b"").lower().startswith(b"passcode")
    return is_code and compile_pattern(_BELOW).search(before) is not None
