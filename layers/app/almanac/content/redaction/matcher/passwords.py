"""Tests that tell a password or token from a word, a stand-in or a template in its place."""

from base64 import b64decode
from binascii import Error

from almanac.content.redaction.matcher.code_words import is_program_word
from almanac.content.redaction.matcher.plausible import (
    entropy,
    is_placeholder,
    kinds_of_characters,
    length_of_words,
    turns,
)

_OF_WORDS = 4.5
_SIGN = frozenset(b"!@#$%^&*?~")
# Stand-ins for passwords in examples.
_STAND_INS = frozenset(
    b"pass password passwd passw0rd passphrase pwd pw secret mysecret token key apikey user username userpass name "
    b"login port host x xx p pa pass1 pass2 pw1 pw2 abc test foo bar baz hunter string none null admin guest "
    b"letmein".split()
)


def is_password(secret: bytes) -> bool:
    return bool(secret.strip(b"$")) and not is_placeholder(secret) and secret.lower() not in _STAND_INS


def is_credential(secret: bytes) -> bool:
    """Return whether the text after Bearer is a token. Words are prose, and AWS4-HMAC-SHA256 is a scheme."""
    return not (is_placeholder(secret) or secret.startswith(b"AWS4-")) and (
        turns(secret) >= 2
        or (
            len(secret) >= 20
            and entropy(secret) >= 3.5
            and kinds_of_characters(secret) >= 3
            and length_of_words(secret) < _OF_WORDS
        )
    )


def is_user_and_password(secret: bytes) -> bool:
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


def is_strong(secret: bytes) -> bool:
    """Return whether the value looks like it follows password rules: lower case, upper case, digits and signs, and not
    a name."""
    return (
        kinds_of_characters(secret) == 4
        and not is_placeholder(secret)
        and turns(secret) >= 1
        and _SIGN.isdisjoint(secret) is False
    )


def is_mixed(secret: bytes) -> bool:
    return is_password(secret) and turns(secret) >= 1


def is_made(secret: bytes) -> bool:
    """Return whether the value is more than a word, at a position where commands and calls have passwords."""
    return is_password(secret) and kinds_of_characters(secret) >= 2 and not is_program_word(secret)


def is_chosen(secret: bytes) -> bool:
    """Return whether letters and digits or signs are mixed as in passwords, not as in names, dates and addresses."""
    kinds = kinds_of_characters(secret)
    return (
        is_made(secret)
        and any(chr(each).isalpha() for each in secret)
        and (kinds >= 3 or (turns(secret) >= 1 and secret.isalnum()) or not _SIGN.isdisjoint(secret))
        and b"@" not in secret[1:-1]
        and b"/" not in secret
        and not secret.replace(b"-", b"").isalpha()
    )


def is_option(secret: bytes) -> bool:
    return is_password(secret.rpartition(b":")[2])
