"""A prefilter that clears most short texts without loading and compiling the redaction rules.

Every secret is a word of at least 14 characters, as all tokens are, or follows a telling word, a URL, an address or a
list of numbers. A text without any of these contains no secret, so a call that writes only such texts never loads the
rules.
"""
# ruff: noqa: PLC0415 - the rules are loaded when a text needs them

import re
from collections.abc import Iterable
from functools import cache

from msgspec.structs import replace

from almanac.content.redaction.findings import RedactedText, RedactedValue, placeholder
from almanac.content.redaction.json_parts import strings_in
from almanac.content.redaction.matcher.matchable_text import to_matchable

_SCREENED = 2_000
"""Longer texts skip the prefilter, because the rules read them faster."""
_SUSPECT = (
    rb"\S{14}|://|(?:\d{1,3}\.){3}\d|%[0-9a-f]{2}|\\x|(?:(?:0x[0-9a-f]{1,2}|\d{1,3})u?[, \t\\\r\n]{1,12}){7}"
    rb"|pass|sword|ps+w|pw|kennwort|contrase|senha|secret|token|key|cred|salt|nonce|bearer|cookie|auth|[xc]srf"
    rb"|basic|curl|securestring|mysql|mongo|login|redis|identified|putty|clave|wachtwoord|parola|haslo|heslo|senord"
    rb"|adgangskode|salasana|psk|mdp|wifi|hashpw|\bhttp[ \t]|sess(?:ion)?id|sudo|sqlplus|net[ \t]+use|sqlcmd|ldap"
    rb"|jeton|geheimnis|schl\S{1,2}ssel|cl[e\xe9]s?[ ]|mnemonic|(?:seed|recovery|backup)[ _-]?(?:phrase|words)"
    rb"|getconnection|snmp|smbclient|mosquitto|zip[ \t]|7z|pdo\b|rabbitmq|kinit"
    rb"|(?:log[ _-]?[io]n|user|account|zugang|anmeldung|benutzer|acceso|usuario|identifi|utilisateur"
    rb"|connexion)[^/]{0,120}/"
)


def redact(text: str, known: Iterable[bytes] = ()) -> RedactedText:
    """Replace every secret in `text` by `[REDACTED:kind]`. A second time changes nothing. Takes linear time and never
    raises.

    A secret known by its name is removed wherever else it occurs, and so are the `known` secrets.
    """
    known = tuple(known)
    if not known and not may_hold_secret(text):
        return RedactedText(text)
    from almanac.content.redaction.redactor import redact as redact_by_rules

    return redact_by_rules(text, known)


def redact_value(value: object) -> RedactedValue:
    """Redact each string of a value, and whole strings under telling keys. Shape and numbers stay.

    A secret found in one string is removed from all of them. Raises InvalidInput beyond 64 levels or 100,000 values.
    """
    if not any([may_hold_secret(text) for _, text in strings_in(value)]):  # noqa: C419 - all levels are to be counted
        return RedactedValue(value)
    from almanac.content.redaction.json_values import redact_value as redact_value_by_rules

    return redact_value_by_rules(value)


def redact_named(text: str, names: Iterable[str]) -> RedactedText:
    """Redact a text that has several names. If one of them indicates a secret, the whole text is redacted, as
    `redact_value` does under a key."""
    alone = redact(text)
    if any(each.start == 0 and each.end == len(text) for each in alone.findings):
        return alone
    for name in names:
        redacted = redact_value({name: text})
        if any(each.start == 0 and each.end == len(text) and each.path == name for each in redacted.findings):
            found = next(each for each in redacted.findings if each.path == name)
            return RedactedText(placeholder(found.kind), (replace(found, path=""),))
    return alone


def may_hold_secret(text: str) -> bool:
    """Return whether the rules must check `text`. False is certain: the text holds no secret."""
    return len(text) > _SCREENED or _suspect().search(to_matchable(text).data) is not None


@cache
def _suspect() -> re.Pattern[bytes]:
    return re.compile(_SUSPECT, re.IGNORECASE)
