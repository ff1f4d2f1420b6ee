"""Places where a secret always stands: addresses with a password, headers, options of commands."""

from base64 import b64decode
from binascii import Error

from almanac.content.redaction.matching.plausible import entropy, holds_place, kinds_of_characters, turns
from almanac.content.redaction.matching.spans import PLACE
from almanac.content.redaction.rules import Rule

_SIGN = frozenset(b"!@#$%^&*?~")
# What examples put for a password.
_STAND_INS = frozenset(
    b"pass password passwd passw0rd passphrase pwd pw secret mysecret token key apikey user username userpass name "
    b"login port host x xx p pa pass1 pass2 pw1 pw2 abc test foo bar baz hunter string none null admin guest "
    b"letmein".split()
)


def _is_password(secret: bytes) -> bool:
    return bool(secret.strip(b"$")) and not holds_place(secret) and secret.lower() not in _STAND_INS


def _is_credential(secret: bytes) -> bool:
    """Whether what follows Bearer is a token: words are prose."""
    return not holds_place(secret) and (
        turns(secret) >= 2 or (len(secret) >= 20 and entropy(secret) >= 3.5 and kinds_of_characters(secret) >= 3)
    )


def _is_user_and_password(secret: bytes) -> bool:
    try:
        user, colon, password = b64decode(secret + b"=" * (-len(secret) % 4), b"-_").partition(b":")
    except (Error, ValueError):
        return False
    if not colon or not user.isascii():
        return len(secret) >= 20 and turns(secret) >= 3
    return bool(user or password) and (user.lower(), password.lower()) not in {
        (b"user", b"pass"),
        (b"user", b"password"),
    }


def _is_strong(secret: bytes) -> bool:
    """Whether rules for passwords made it: lower case, upper case, digits and signs, and no name of anything."""
    return (
        kinds_of_characters(secret) == 4
        and not holds_place(secret)
        and turns(secret) >= 1
        and _SIGN.isdisjoint(secret) is False
    )


def _is_mixed(secret: bytes) -> bool:
    return _is_password(secret) and turns(secret) >= 1


def _is_option(secret: bytes) -> bool:
    return _is_password(secret.rpartition(b":")[2])


PLACES = (
    Rule(
        "url_password",
        r"(?i)(?:[a-z][a-z0-9+.-]*|%\w+)://[^\s/?#:\"'<>()\[\]{}`\\,;|]*:([^\s/\"'<>`\\|]+)@[\w\[\-]",
        _is_password,
        rank=PLACE,
    ),
    Rule("authorization", r"(?i)bearer[\"']?[ \t:=]{1,4}[\"'`]?([a-z0-9._~+/=%-]{8,})", _is_credential, rank=PLACE),
    Rule(
        "authorization",
        r"(?i)authorization[\"']?\s*[:=,]\s*[\"'`]?(?:(?:token|apikey|api-key|key|digest"
        r"|negotiate|sso-key|pat|bot|oauth|genie\w*|splunk)[ =]+)?"
        r"([a-z0-9._~+/=:%-]{16,})",
        _is_credential,
        rank=PLACE,
    ),
    Rule("authorization", r"(?i)\bbasic[ \t]+([a-z0-9+/_-]{8,}={0,2})", _is_user_and_password, rank=PLACE),
    Rule(
        "command_password",
        r"(?i)\bcurl\b[^\n]*?\s(?:-u|--user|--proxy-user|-U)[ =]?[\"']?([^\s:\"'$<>{}]*:[^\s\"'{}]+)",
        _is_option,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)curlopt_(?:\w*userpwd|\w*password|\w*bearer|\w*passwd)\s*(?:,|=>|=)\s*[\"']([^\"'\n]+)",
        _is_option,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)convertto-securestring(?:\s+-(?:string|force|asplaintext|a\w*))*\s+\\?[\"']?([^\s\"'\\$()\[\]-][^\s\"'\\]{3,})",
        _is_password,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:mysql(?:dump|admin)?|sshpass|mongo(?:sh|dump)?)\b[^\n|;&]*?\s-p ?[\"']?([^\s\"'$<>-][^\s\"'<>]{3,})",
        _is_password,
        rank=PLACE,
    ),
    Rule(
        "command_password",
        r"(?i)\b(?:docker login|redis-cli|az login|podman login)\b[^\n|;&]*?\s(?:-p|-a)[ =]?[\"']?"
        r"([^\s\"'$<>-][^\s\"'<>]{3,})",
        _is_password,
        rank=PLACE,
    ),
    Rule(
        "login",
        r"(?i)(?:^|[^0-9.])(?:\d{1,3}\.){3}\d{1,3}(?::\d{2,5})?[ \t,/|(]+"
        r"(?:[\w.@-]{2,32}[ \t,/|:]+)?([^\s,/|(){}<>\"']{6,24})(?:[\s,)]|$)",
        _is_strong,
        rank=PLACE,
    ),
    Rule("netrc_password", r"(?i)\bmachine\s+\S+\s+login\s+\S+\s+password\s+(\S+)", _is_password, rank=PLACE),
    Rule(
        "npm_token",
        r"(?i)(?:^|[:\s])_(?:authtoken|auth|password)\s*=\s*[\"']?([a-z0-9+/=_-]{8,})",
        _is_credential,
        rank=PLACE,
    ),
    Rule(
        "sql_password",
        r"(?i)\bidentified\s+(?:with\s+\S+\s+)?(?:by|as)\s+(?:password\s+)?[\"'`]([^\"'`\n]{3,})",
        _is_password,
        rank=PLACE,
    ),
    Rule("sql_password", r"(?i)\bidentified\s+by\s+([^\s\"'`;()]{6,})", _is_mixed, rank=PLACE),
)
