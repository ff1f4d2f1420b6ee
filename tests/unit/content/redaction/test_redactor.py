"""Test properties of redaction that hold for every text."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from almanac.content.redaction import redact
from tests.cpu_time import takes_under
from tests.unit.content.redaction.made_up import ALNUM, PASSWORD, TOKEN, UPPER, random_text

GITHUB = "gh" + "p_" + random_text(36)
PIECES = [
    GITHUB,
    PASSWORD,
    TOKEN,
    "password=",
    "password: '",
    '"token": "',
    "Authorization: Bearer ",
    "postgres://ann:",
    "@h/x",
    "[REDACTED:token]",
    "[REDACTED:",
    "key",
    "secret is ",
    "\u200b",
    "пароль: ",
    "“",
    "\ud800",
    "'",
    '"',
    "`",
    " ",
    "\n",
    "-",
    "_",
    "=",
    ",",
    "\\",
    "curl -u a:",
    "eyJ",
    "-----BEGIN PRIVATE " + "KEY-----",
]
texts = st.one_of(
    st.lists(st.one_of(st.sampled_from(PIECES), st.text(ALNUM, max_size=12), st.text(max_size=4)), max_size=14).map(
        "".join
    ),
    st.text(),
)
many = settings(max_examples=150, deadline=None)


@given(texts)
@example(f"password='{GITHUB}_{PASSWORD}' {PASSWORD}")
@many
def test_redacting_twice_changes_nothing_more(text: str):
    once = redact(text)
    again = redact(once.text)

    assert (again.text, again.findings) == (once.text, ())


def test_what_reads_as_a_secret_only_beside_a_placeholder_is_taken_at_once():
    text = "AK" + "IA" + random_text(16, UPPER) + "\n" + "AI" + "za" + random_text(35)

    assert redact(text).text == "[REDACTED:aws_access_key]\n[REDACTED:google_api_key]"


@given(texts)
@many
def test_findings_are_in_order_and_never_overlap(text: str):
    findings = redact(text).findings

    assert all(0 <= each.start < each.end <= len(text) for each in findings)
    assert all(before.end <= after.start for before, after in pairwise(findings))


@given(texts)
@many
def test_the_rest_of_the_text_stays_as_it_was(text: str):
    redacted = redact(text)
    expected, at = "", 0
    for each in redacted.findings:
        expected += text[at : each.start] + f"[REDACTED:{each.kind}]"
        at = each.end

    assert redacted.text == expected + text[at:]


@given(texts)
@many
def test_no_value_that_was_found_is_left(text: str):
    redacted = redact(text)
    values = {text[each.start : each.end] for each in redacted.findings if each.length >= 8}
    left = redacted.text
    for each in redacted.findings:
        left = left.replace(f"[REDACTED:{each.kind}]", "\0")

    assert not [value for value in values if value in left]


@given(st.text(ALNUM + " .,\n", max_size=200).filter(lambda text: redact(text).findings == ()))
@settings(max_examples=50, deadline=None)
def test_a_token_in_any_text_is_gone(text: str):
    assert GITHUB not in redact(f"{text} {GITHUB} {text}").text


@pytest.mark.parametrize(
    "disguised",
    [
        GITHUB[:9] + "\u200b" + GITHUB[9:],
        GITHUB[:9] + "\u00ad\u2060" + GITHUB[9:],
        "".join(chr(ord(sign) + 0xFEE0) for sign in GITHUB),
        GITHUB.replace("a", "а").replace("e", "е").replace("p_", "р_"),  # noqa: RUF001 - look-alikes
    ],
    ids=["zero width", "soft hyphen", "full width", "look-alikes"],
)
def test_a_disguised_token_is_gone_with_its_disguise(disguised: str):
    assert redact(f"日本 {disguised} été").text == "日本 [REDACTED:github_token] été"


def test_offsets_are_characters_of_the_text_as_it_came():
    text = f"é\u200b日本 {GITHUB} \u200b{GITHUB[:20]}\u200b{GITHUB[20:]}"

    assert [text[each.start : each.end].replace("\u200b", "") for each in redact(text).findings] == [GITHUB, GITHUB]


def test_what_was_redacted_before_stays():
    text = "password: [REDACTED:password] Authorization: Bearer [REDACTED:token] x://a:[REDACTED:url_password]@h"

    assert redact(text) == redact(redact(text).text)
    assert redact(text).findings == ()


def test_overlapping_findings_are_one_of_the_kind_that_knows_most():
    redacted = redact(f"password = '{GITHUB}'")

    assert redacted.text == "password = '[REDACTED:github_token]'"
    assert len(redacted.findings) == 1


@pytest.mark.parametrize(
    ("piece", "size"),
    [
        ("a", 1_000_000),
        ("0", 1_000_000),
        ('"', 1_000_000),
        ("-", 1_000_000),
        ("é", 1_000_000),
        ("\u200b", 1_000_000),
        ("secret_key_token", 1_000_000),
        ("ghp_", 1_000_000),
        ("eyJeyJ.eyJ", 1_000_000),
        ("https://a:", 1_000_000),
        ("[REDACTED:", 1_000_000),
        ("password=", 100_000),
        ("password='", 100_000),
        ("'\"`password: ", 100_000),
        ("-----BEGIN PRIVATE KEY-----", 100_000),
        ("curl -u a:b ", 100_000),
        ("[REDACTED:password] pw=a1b2!Cx ", 100_000),
        (f"password={PASSWORD} ", 100_000),
    ],
)
def test_no_text_costs_more_than_its_length(piece: str, size: int):
    text = piece * (size // len(piece))
    assert takes_under(8, lambda: redact(text))
