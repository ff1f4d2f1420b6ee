"""Tests of whether a value can be a secret at all: how mixed its characters are, and whether it is a placeholder."""

from collections import Counter
from itertools import pairwise
from math import log2

from almanac.content.redaction.matcher.linear import compile_pattern

_READ = 256
_COUNTED = 48
_KINDS = bytes(
    ord("l" if chr(code).islower() else "u" if chr(code).isupper() else "d" if chr(code).isdigit() else "s")
    if code < 0x80
    else ord("s")
    for code in range(256)
)
_SIGNS = bytes(code for code in range(256) if _KINDS[code] == ord("s"))
_CASELESS = bytes.maketrans(b"u", b"l")
# Words and template signs that hold the place of a secret.
_PLACEHOLDER = (
    r"\[REDACTED|redacted|xxx+|\*\*\*|\.\.\.|###|\x85|example|placeholder|changeme|change[_-]me|change[_-]this"
    r"|your[_ -]?[a-z]|my[_-]?(?:secret|token|password|api|key)"
    r"|(?:^|[_\W])(?:insert|replace|todo|fixme|fake|sample)(?:[_\W]|$)"
    r"|[_-]here\b|\$\{|\{\{|\}\}|<%|%\(|^%[a-z]|^%.*%$|^\$[a-z_(]|\$\(|^<.*>$|^\{.*\}$|^\[.*\]$|^@[\w.]+@$|__[a-z_]+__"
    r"|process\.env|os\.environ|getenv|env\.|secrets?\.|1234567890|qwerty|foo[_-]?bar|lorem|0{8}"
)
_WORD = r"[A-Z]?[a-z]+|[A-Z]+"
_UUID = r"\{?[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\}?"


def is_placeholder(value: bytes) -> bool:
    """Return whether `value` is a placeholder for a secret: EXAMPLE, xxxx, ${VAR}, <token>, [REDACTED:kind]."""
    head = value[:_READ]
    return compile_pattern(_PLACEHOLDER, ignore_case=True).search(head) is not None or is_sequence(head)


def is_redacted(value: bytes) -> bool:
    return b"[REDACTED:" in value


def is_uuid(value: bytes) -> bool:
    return compile_pattern(_UUID, ignore_case=True).fullmatch(value) is not None


def is_sequence(value: bytes) -> bool:
    """Return whether most characters follow or repeat the one before them: 1234567890, abcdefgh, aaaa."""
    if len(value) < 4:
        return False
    steps = [(after - before) for before, after in pairwise(value[:_COUNTED])]
    return sum(step in {0, 1, -9} for step in steps) > 0.8 * len(steps)


def entropy(value: bytes) -> float:
    """Return the bits per character, by the frequency of each in the first 256."""
    head = value[:_READ]
    counts = Counter(head).values()
    return -sum(count / len(head) * log2(count / len(head)) for count in counts) if head else 0.0


def turns(value: bytes) -> int:
    """Return how often letters and digits alternate in the first 256 bytes: once in `sha256`, often in random text."""
    run = value[:_READ].translate(_KINDS, _SIGNS).translate(_CASELESS)
    return run.count(b"ld") + run.count(b"dl")


def length_of_words(value: bytes) -> float:
    """Return the average number of letters per word in `value`: 5 in `requestTokenUrl`, 2 in random text."""
    words = compile_pattern(_WORD).finditer(value[:_READ])
    lengths = [found.end() - found.start() for found in words]
    return sum(lengths) / len(lengths) if lengths else 0.0


def kinds_of_characters(value: bytes) -> int:
    """Return how many kinds of characters `value` has, of these four: lower case, upper case, digits, signs."""
    return len(set(value[:_READ].translate(_KINDS)))
