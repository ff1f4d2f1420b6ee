"""Codes of online meetings stay where they invite to one."""

import pytest

from almanac.content.redaction import redact
from tests.unit.content.redaction.made_up import PASSWORD, random_text

CODE = random_text(9)


@pytest.mark.parametrize(
    "text",
    [
        f"https://us02web.zoom.us/j/81234567890?pwd={random_text(26)}",
        f"Join: https://acme.zoom.us/j/99?uname=ann&pwd={random_text(32)}.1&from=addon today",
        f"https://acme.webex.com/meet?password={CODE}",
        f"Meeting ID: 812 3456 7890\nPasscode: {CODE}",
        f"Join Zoom Meeting\nhttps://zoom.us/j/9\n\nPasscode: {CODE}",
    ],
)
def test_an_invitation_keeps_its_code(text: str) -> None:
    assert redact(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        f"https://zoom.us/j/9 and the database password = {PASSWORD}",
        f"Meeting ID: 812 3456 7890. password: {PASSWORD}",
        f"https://example.com/?next=zoom.us&pwd={PASSWORD}",
        f"https://zoom.us.example.com/j/9?pwd={PASSWORD}",
        f"Passcode: {CODE}",
        f"https://zoom.us/j/9 see also https://example.com/?password={PASSWORD}",
    ],
)
def test_a_password_near_one_is_taken_out(text: str) -> None:
    assert redact(text).findings
    assert PASSWORD not in redact(text).text
