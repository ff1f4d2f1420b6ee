"""Test that the prefilter skips only texts that the rules would leave unchanged."""
# ruff: noqa: RUF001, SIM905 - letters of other scripts are the subject, and many words

import subprocess
import sys

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from almanac.content.redaction import notes_about, redact, redact_value
from almanac.content.redaction.json_values import redact_value as by_rules
from almanac.content.redaction.prefilter import may_hold_secret
from tests.unit.content.redaction.made_up import PASSWORD, TOKEN, UPPER, random_text

_PIECES = [
    *"password passwd pwd pw PASS sword kennwort contraseña senha пароль 密码 secret token api_key key iv sig".split(),
    *"seed pin otp client_id creds salt nonce bearer Basic cookie auth csrf curl -u mysql -p redis-cli -a".split(),
    *"login by".split(),
    *"identified machine docker {name value } [ ] ( ) \" ' ` = : := => -> , ; < > / // :// @ . - _ % %41 \\x41".split(),
    *"is was are 0x12, 9, 0xff 17 203.0.113.7 root hunter horse Zk3q x9Q! Ab1$ K7m dapi wx AKIA sk- ghp_".split(),
    *["UFJJVkFURSBLRV", "PuTTY", "I\u0307", "\u200b", "\\n", "\n", "\t"],
]
_TEXTS = st.lists(
    st.one_of(st.sampled_from(_PIECES), st.text(alphabet="abcXYZ019!$ =:\"'", max_size=9), st.text(max_size=4)),
    max_size=14,
).flatmap(lambda pieces: st.sampled_from(["", " "]).map(lambda joint: joint.join(pieces)))


@settings(max_examples=600, deadline=None)
@given(_TEXTS)
@example("UFJJVkFURSBLRV")
@example("pin = 12, 44, 9, 201, 4, 77, 3, 18")
def test_the_rules_leave_alone_what_is_not_asked_of_them(text: str) -> None:
    if not may_hold_secret(text):
        assert by_rules(text).findings == ()


@settings(max_examples=300, deadline=None)
@given(st.dictionaries(_TEXTS, st.one_of(_TEXTS, st.lists(_TEXTS, max_size=3), st.integers()), max_size=4))
def test_the_same_holds_for_the_names_and_strings_of_a_value(value: dict[str, object]) -> None:
    assert redact_value(value) == by_rules(value)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Deploy is green",
        "2026-W48",
        "Buy milk, eggs and 2 kg of flour.",
        "Überweisung geprüft – alles gut 👍",
        "会议改到明天",
        "src/routes.py",
        "status = done",
    ],
)
def test_short_plain_texts_are_not_asked_about(text: str) -> None:
    assert not may_hold_secret(text)


@pytest.mark.parametrize(
    "text",
    [
        f"password = {PASSWORD}",
        f"AKIA{random_text(16, UPPER)}",
        f"ｐａｓｓｗｏｒｄ：{PASSWORD}",
        f"pa\u200bssword={PASSWORD}",
    ],
)
def test_what_may_hold_a_secret_is_read_by_the_rules(text: str) -> None:
    assert may_hold_secret(text)
    assert PASSWORD not in redact(text).text
    assert redact(text).findings


def test_a_plain_text_loads_no_rule() -> None:
    code = (
        "import sys; from almanac.content.redaction import redact, redact_value; redact('Deploy is green');"
        "redact_value({'step': ['build', 3]});"
        "assert not {'re2', 'almanac.content.redaction.redactor'} & set(sys.modules), 'loaded'"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_notes_count_what_each_field_lost() -> None:
    found = redact_value({"a": f"password = {PASSWORD}", "b": [f"token={TOKEN} AKIA{random_text(16, UPPER)}"]}).findings
    assert notes_about(found) == (
        "a: redacted 1 password",
        "b[0]: redacted 1 secret",
        "b[0]: redacted 1 aws_access_key",
    )
    assert notes_about(redact(f"password = {PASSWORD}").findings) == ("redacted 1 password",)
