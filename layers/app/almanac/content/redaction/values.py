"""Tests of whether the value after a telling name is a secret, or a word, a name, a call or a path."""

from enum import IntEnum

from almanac.content.redaction.matcher.code_words import is_keyword_argument, is_member, is_program_word
from almanac.content.redaction.matcher.linear import compile_pattern
from almanac.content.redaction.matcher.plausible import (
    entropy,
    is_placeholder,
    is_uuid,
    kinds_of_characters,
    length_of_words,
    turns,
)
from almanac.content.redaction.names import Evidence


class Manner(IntEnum):
    """The way in which a value is tied to its name."""

    APART = 1
    """A blank between them: `password hunter2`."""
    LISTED = 2
    """A comma: `("password", "hunter2")`."""
    FLAG = 3
    """An option of a command: `--password hunter2`."""
    KEYED = 5
    """The key of a JSON value, which leaves no doubt where the value ends."""
    ASSIGNED = 4
    """A sign: `password = hunter2`."""
    SAID = 6
    """A word: `the password is hunter2`."""
    VERB = 8
    """Behind the verb pass: what functions are given."""
    SETTING = 7
    """Pattern of settings: `PASSWORD=hunter2`, or `password: hunter2` on a line of its own."""


_SHORTEST = 4
_LOOSE = frozenset({Manner.APART, Manner.LISTED, Manner.FLAG, Manner.SAID, Manner.VERB})
_SIGNS = b"!@#$%^&*?~+"
_LONGEST_PASSWORD = 128
# Expressions that code has after a name: a call, a member, an index, a type, a template, a path, an address.
_CODE = (
    r"[a-z_$][\w$]*(?:[.:][:>]?[a-z_$][\w$]*)*(?:\(.*|\[.*)?|[\w.]+\(.*|\$?\{.*|&\w+|\*\w+|%\w|!\w+|@\w+|-\w|--.*"
    r"|(?:~|\.{1,2})?/[\w./-]*|[a-z]:\\.*|[a-z][a-z0-9+.-]*://.*|\d+(?:\.\d+)*|\\.*|[\[(|].*"
)
_NAMES = r"[a-z]+(?:[ _./:-][a-z]+)*|[A-Z]+(?:[ _./:-][A-Z]+)*|(?:[A-Z]?[a-z]+)+"
# Words of a name, each followed by few digits: oauth2_token_v2.
_NAMED = r"[a-zA-Z]{1,32}\d{0,4}(?:[_./:=,-]{1,2}[a-zA-Z]{0,32}\d{0,4})*"
# Words and hexadecimal numbers joined by signs, as many keys are: feature-203787b927b3, story:3f9a/2.
_JOINED = r"(?:[a-z]{1,24}|[A-Z][a-z]+|[A-Z]+|[0-9a-fA-F]+)\d{0,4}"
_IDENTIFIER = rf"{_JOINED}(?:[-_.:/#@]{{1,2}}{_JOINED})*"
# A type or member of code, as in: pass `http.StatusText`.
_MEMBER = r"[A-Za-z_]+(?:\.[A-Za-z_]+)+"
_LABELS = (
    r"|text|hidden|integer|number|default|unknown|object|email|incorrect|missing|current|confirm|forgot|basic|bearer"
)
_EXPRESSION = r"&&|\|\||=>|\)\{"
_SHORT_WORDS = 3.0
_OF_JUMBLE = 2.7
_SHORT_JUMBLE = 2.6
# A password of letters of both cases and digits, perhaps with one sign that also occurs in names.
_WRITTEN_TIGHT = r"[A-Za-z0-9]+[_.-]?[A-Za-z0-9]*_?"
_ENDS_IN_SIGN = r"[A-Za-z]{5,}[!@#$%^&*?]{1,3}"
# Randomly chosen words, as passphrase generators write them, and words that names are made of.
_DRAWN_WORDS = r"[a-z]{3,9}(?:-[a-z]{3,9}){3,}"
_OF_NAMES = frozenset(
    b"password secret token user admin login key name file path config cluster service database store the and for with"
    b" from your enter change".split()
)
# A password under a name for generated secrets: letters of both cases and digits, and a sign at the end.
_ENDS_IN_ONE_SIGN = r"[A-Za-z0-9]{6,}[!#$%^&*?]{1,2}"
# An instant and a label: 2016-09-08T21:47:36Z, Password:
_INSTANT_OR_LABEL = r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d)?[\d.]*(?:Z|[+-]\d\d:?\d\d)?|[A-Za-z]+:"
# arn:aws:kms:eu-west-1:123456789012:key/x, and the scope of a signature: AKIA/20240102/.../aws4_request
_NAME_AT_AWS = r"arn:aws[\w-]*:[\w-]+:[\w-]*:\d*:.*|[\w-]+/\d{8}/[\w-]+/[\w-]+/aws4_request"
_LISTED_WORDS = r"[A-Za-z]+(?:/[A-Za-z]+)+"
_TELLS_ITSELF = (
    r"pass|pwd|secret|token|user|admin|login|null|none|true|false|undefined|required|optional|string|invalid|wrong"
)


def is_secret(value: bytes, tells: Evidence, manner: Manner, *, quoted: bool) -> bool:
    """Return whether `value` can be a secret, given the strength of its name and the manner in which it is tied to
    it."""
    if not quoted and value.isalpha() and value.islower():
        return False  # a word, as most values are in texts that speak of passwords
    if (
        len(value) < _SHORTEST
        or not compile_pattern(r"[A-Za-z]").search(value)
        or compile_pattern(r"0[xX][0-9a-fA-F]+").fullmatch(value)
        or is_placeholder(value)
        or is_program_word(value)
        or compile_pattern(r"[x*!]?:\d+:.*").fullmatch(value)  # a line of /etc/passwd
        or compile_pattern(_INSTANT_OR_LABEL).fullmatch(value)
        or compile_pattern(_NAME_AT_AWS).fullmatch(value)
        or (manner in _LOOSE and _is_argument(value, manner, quoted=quoted))
        or (not quoted and (_is_path(value) or is_member(value) or compile_pattern(_EXPRESSION).search(value)))
    ):
        return False
    if is_random(value, tells):
        return tells is not Evidence.LITTLE or quoted or manner not in _LOOSE
    if tells is Evidence.SECRET and (quoted or manner is Manner.SETTING):
        # Between blanks stands more than one value: "bold #08547A".
        return (
            b" " not in value
            and _is_strong(value)
            and (compile_pattern(_ENDS_IN_ONE_SIGN).fullmatch(value) is not None or turns(value) > 1)
        )
    if tells is not Evidence.PASSWORD or len(value) > _LONGEST_PASSWORD:
        return False
    if manner not in _LOOSE - {Manner.FLAG, Manner.SAID} and _is_passphrase(value):
        return True
    return _is_quoted_password(value, manner) if quoted else _is_bare_password(value, manner)


def _is_path(value: bytes) -> bool:
    """Return whether a bare value begins like a path and does not look random."""
    return value[:1] == b"/" and not _is_jumble(value[1:], 20)


def _is_choice(value: bytes) -> bool:
    """Return whether `value` lists alternatives: privateKey/passphrase."""
    return compile_pattern(_LISTED_WORDS).fullmatch(value) is not None and length_of_words(value) >= _SHORT_WORDS


def _is_no_word(value: bytes, manner: Manner) -> bool:
    """Return whether letters of both cases and digits are mixed. On a command line a number after words is enough."""
    if turns(value) >= 2 or length_of_words(value) < _SHORT_WORDS:
        return True
    is_numbered = manner is Manner.FLAG and compile_pattern(r"[A-Za-z]+\d{2,4}").fullmatch(value) is not None
    return is_numbered and compile_pattern(_TELLS_ITSELF, ignore_case=True).search(value) is None


def _is_passphrase(value: bytes) -> bool:
    """Return whether `value` consists of at least four words that form no name: copper-lantern-maple-orbit."""
    return compile_pattern(_DRAWN_WORDS).fullmatch(value) is not None and _OF_NAMES.isdisjoint(value.split(b"-"))


def _is_argument(value: bytes, manner: Manner, *, quoted: bool) -> bool:
    """Return whether a value that no sign ties to its name is another argument: `nullable=False`, `-out`, `f(x)`."""
    if is_keyword_argument(value):
        return True
    if manner is Manner.LISTED:
        return value[:1] == b"-" or b"(" in value or not (quoted or _is_strong(value))
    return manner is Manner.VERB and not _is_strong(value)


def is_random(value: bytes, tells: Evidence) -> bool:
    """Return whether `value` looks random. The weaker its name, the more random it must be."""
    if compile_pattern(r"[\s(){}<>|]").search(value) and not compile_pattern(r"(?:\\x|%)[0-9a-fA-F]{2}").search(value):
        return False
    if tells is Evidence.LITTLE:
        return _is_very_random(value)
    if is_uuid(value):
        return True
    if _is_jumble(value):
        return True
    least = 8 if tells is Evidence.PASSWORD else 10
    return len(value) >= least and turns(value) >= 3 and entropy(value) >= 2.7 and not _consists_of_words(value)


def _is_jumble(value: bytes, least: int = 16, words: float = 2.9) -> bool:
    """Return whether letters of both cases are in random order, with or without digits."""
    return (
        len(value) >= least
        and value.isalnum()
        and not (value.islower() or value.isupper())
        and length_of_words(value) < words
        and entropy(value) >= _OF_JUMBLE
    )


def _is_strong(value: bytes) -> bool:
    """Return whether letters of both cases, digits and signs form a password, and not an expression of code."""
    return (
        kinds_of_characters(value) == 4
        and any(sign in value for sign in _SIGNS)
        and compile_pattern(r"[()\[\]{}<>;,|\\]|::|->|\w\.\w|==|&&").search(value) is None
    )


def _is_very_random(value: bytes) -> bool:
    if compile_pattern(rf"{_IDENTIFIER}|[a-fA-F0-9-]+|[\w.-]*://.*").fullmatch(value):
        return False
    if len(value) < 16 or entropy(value) < 3.5 or kinds_of_characters(value) < 3:
        return False
    return turns(value) >= 4 or (len(value) >= 20 and length_of_words(value) < _SHORT_WORDS)


def _consists_of_words(value: bytes) -> bool:
    """Return whether `value` consists of words: oauth2_token_v2, sha256-rsa4096, /v1/users/2."""
    return (
        compile_pattern(_NAMED).fullmatch(value) is not None
        or compile_pattern(r"(?:~|\.{0,2})?/?(?:[\w-]+/)+[\w.-]*\.\w{1,5}|[a-z]+://.*").fullmatch(value) is not None
    )


def _is_quoted_password(value: bytes, manner: Manner) -> bool:
    if b" " in value or (
        compile_pattern(_TELLS_ITSELF, ignore_case=True).search(value) and kinds_of_characters(value) < 3
    ):
        return False
    if compile_pattern(r"[<>{}()\[\]|]|^[$%:@/.&#-]|^\\").search(value) and kinds_of_characters(value) < 3:
        return False
    if manner is Manner.APART and compile_pattern(_MEMBER).fullmatch(value):
        return False
    if manner is Manner.LISTED:
        return kinds_of_characters(value) >= 3 or (
            len(value) >= 8 and turns(value) >= 2 and not _consists_of_words(value)
        )
    if manner is Manner.APART:
        return kinds_of_characters(value) >= 3
    if manner is Manner.KEYED:
        return True
    if compile_pattern(r"[a-z]{7,}|[A-Z][a-z]{6,}").fullmatch(value):
        return compile_pattern(_TELLS_ITSELF + _LABELS, ignore_case=True).search(value) is None
    return kinds_of_characters(value) >= 2 and not compile_pattern(rf"{_NAMES}|\W+|\d+").fullmatch(value)


def _is_bare_password(value: bytes, manner: Manner) -> bool:
    mixed = kinds_of_characters(value)
    if len(value) < 6 or _is_choice(value):
        return False
    if manner is Manner.APART:
        return mixed == 4 or (mixed == 3 and value.isalnum() and turns(value) >= 2)
    if _is_strong(value):
        return True
    if manner in {Manner.SETTING, Manner.SAID} and mixed >= 3 and compile_pattern(_WRITTEN_TIGHT).fullmatch(value):
        return True
    if _is_jumble(value, 8, _SHORT_JUMBLE):
        return True
    if manner is not Manner.FLAG and compile_pattern(_ENDS_IN_SIGN).fullmatch(value):
        # A sign at the end of a sentence does not belong to a password.
        is_told = compile_pattern(_TELLS_ITSELF, ignore_case=True).search(value) is not None
        return not is_told and (manner is not Manner.SAID or value[-1:] not in b"!?")
    if mixed >= 3 and value.isalnum() and _is_no_word(value, manner):
        return True
    if mixed == 2 and value.islower() and value.isalnum() and not _may_be_name(value, manner):
        return True
    if compile_pattern(_CODE, ignore_case=True).fullmatch(value):
        return False
    return mixed >= 3 or (mixed == 2 and turns(value) >= 1 and not compile_pattern(_NAMES).fullmatch(value))


def _may_be_name(value: bytes, manner: Manner) -> bool:
    """Return whether a value with a telling word may name a secret, as token2 does. Among what people say, digits
    between two words are in passwords only: hunter2secret."""
    tells_itself = compile_pattern(_TELLS_ITSELF).search(value) is not None
    return tells_itself and (manner is not Manner.SAID or turns(value) < 2)
