"""Tokens that show by their form whose they are."""

import re
from base64 import b64encode, urlsafe_b64encode
from zlib import crc32

import pytest
from hypothesis import Phase, assume, given, settings
from hypothesis import strategies as st

from almanac.content.redaction import redact
from almanac.content.redaction.formats.code import has_github_checksum
from almanac.content.redaction.formats.format import Format
from almanac.content.redaction.matcher.plausible import entropy, is_placeholder
from almanac.content.redaction.tokens import FORMATS
from tests.unit.content.redaction.made_up import ALNUM, DIGITS, HEX, LETTERS, UPPER, WORD, random_text

PUBLISHED = {
    "aws_access_key": "AK" + "IA" + random_text(16, UPPER),
    "github_token": "gh" + "p_" + random_text(36),
    "gitlab_token": "gl" + "pat-" + random_text(20, WORD),
    "slack_token": "xo" + "xb-" + random_text(12, DIGITS) + "-" + random_text(13, DIGITS, 8) + "-" + random_text(24),
    "stripe_key": "sk_" + "live_" + random_text(24),
    "openai_key": "sk-" + "proj-" + random_text(48, WORD),
    "anthropic_key": "sk-" + "ant-api03-" + random_text(93, WORD) + "AA",
    "google_oauth_secret": "GOC" + "SPX-" + random_text(28, WORD),
    "huggingface_token": "h" + "f_" + random_text(34, ALNUM, 3),
    "npm_token": "np" + "m_" + random_text(36),
    "pypi_token": "py" + "pi-AgE" + random_text(150, WORD),
    "sendgrid_key": "S" + "G." + random_text(22, WORD) + "." + random_text(43, WORD, 8),
    "digitalocean_token": "do" + "p_v1_" + random_text(64, HEX),
    "shopify_token": "shp" + "at_" + random_text(32, HEX),
    "vault_token": "hv" + "s." + random_text(90, WORD),
    "twilio_key": "S" + "K" + random_text(32, HEX),
    "telegram_token": random_text(10, "123456789") + ":" + "AA" + random_text(33, WORD),
    "mailgun_key": "-".join((random_text(32, HEX), random_text(8, HEX), random_text(8, HEX, 8))),
    "mailchimp_key": random_text(32, HEX) + "-us" + "12",
    "azure_secret": random_text(3) + "8Q~" + random_text(34, WORD, 9),
    "age_key": "AGE-SECRET-" + "KEY-1" + random_text(58, "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L"),
    "nats_seed": "SU" + random_text(56, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"),
    "newrelic_key": random_text(36, HEX) + "NR" + "AL",
    "dropbox_token": random_text(11) + 10 * "A" + random_text(43, WORD, 8),
    "databricks_token": "da" + "pi" + random_text(32, HEX),
    "jwt": ".".join(
        (
            urlsafe_b64encode(b'{"alg":"HS256","typ":"JWT"}').decode().rstrip("="),
            urlsafe_b64encode(b'{"sub":"ann","iat":1700000000}').decode().rstrip("="),
            random_text(43, WORD),
        )
    ),
    "discord_token": b64encode(b"174829305712345679").decode() + "." + random_text(6) + "." + random_text(38),
    "token": "acme_" + "live_" + random_text(32),
}


@pytest.mark.parametrize(("kind", "token"), PUBLISHED.items(), ids=PUBLISHED)
@pytest.mark.parametrize("around", ["{}", "see {} please", '"{}"', "a={}\nb", "({})", "x, {}; y"])
def test_a_token_is_gone_wherever_it_stands(kind: str, token: str, around: str):
    text = around.format(token)
    redacted = redact(text)

    assert redacted.text == around.format(f"[REDACTED:{kind}]")
    assert [text[each.start : each.end] for each in redacted.findings] == [token]


@pytest.mark.parametrize("each", FORMATS, ids=lambda each: f"{each.kind} {each.prefixes[0]}")
@given(data=st.data())
@settings(max_examples=2, deadline=None, phases=(Phase.generate,))
def test_whatever_fits_a_format_and_looks_random_is_gone(each: Format, data: st.DataObject):
    body = data.draw(st.from_regex(re.compile(each.body, re.ASCII), fullmatch=True), "body")
    raw = body.encode()
    assume(entropy(raw) >= each.bits and not is_placeholder(raw) and body[-1:].isalnum())
    token = data.draw(st.sampled_from(each.prefixes), "prefix") + body

    assert token not in redact(f"key {token} ").text


@pytest.mark.parametrize(
    "text",
    [
        "AK" + "IAIOSFODNN7EXAMPLE",
        "gh" + "p_" + 36 * "x",
        "gl" + "pat-XXXXXXXXXXXXXXXXXXXX",
        "sk_" + "live_" + "1234567890" * 3,
        "xox" + "b-your-token-goes-in-here",
        "ops_" + "eyJ" + random_text(40) + "...",
        random_text(40, HEX),
        "index 0a20cf1..b52370e 100644",
        "sha512-" + random_text(86) + "==",
        "550e8400-e29b-41d4-a716-446655440000",
        "data:image/png;base64," + random_text(120),
        "AI" + "za" + random_text(35),
        LETTERS,
    ],
)
def test_what_is_no_token_stays(text: str):
    assert redact(text).text == text


def test_a_key_of_google_is_one_beside_a_word_that_says_so():
    key = "AI" + "za" + random_text(35)

    assert redact(f"gemini: {key}").text == "gemini: [REDACTED:google_api_key]"


def test_a_token_that_goes_on_is_taken_to_its_end():
    token = "gh" + "p_" + random_text(60)

    assert redact(f"{token} and").text == "[REDACTED:github_token] and"


@pytest.mark.parametrize(
    "longer",
    [
        pytest.param("X{}", id="of a word that begins before it"),
        pytest.param("Qm+{}", id="of base64 that begins before it"),
        pytest.param("{}+Qm", id="of base64 that goes on behind it"),
    ],
)
def test_a_part_of_a_longer_word_is_no_token(longer: str):
    text = longer.format("AK" + "IA" + random_text(16, UPPER))

    assert redact(text).text == text


def test_a_checksum_that_holds_outweighs_a_plain_look():
    plain = 30 * "a"
    digits = DIGITS + LETTERS.upper() + LETTERS
    number, checksum = crc32(plain.encode()), ""
    while number:
        number, digit = divmod(number, 62)
        checksum = digits[digit] + checksum
    token = plain + checksum.rjust(6, "0")

    assert has_github_checksum(token.encode())
    assert not has_github_checksum((plain + "aaaaaa").encode())
    assert redact("gh" + "p_" + token).text == "[REDACTED:github_token]"


def test_a_finding_shows_no_more_than_a_published_beginning():
    token = PUBLISHED["stripe_key"]
    (finding,) = redact(token).findings

    assert (finding.prefix, finding.length) == (token[:4], len(token))


@pytest.mark.parametrize(
    "form",
    ["SECRET_KEY = 'django-insecure-{}'", "SECRET_KEY = '{}'", 'SECRET_KEY="{}"'],
)
def test_a_secret_key_of_django_is_gone_with_its_signs(form: str):
    key = random_text(44, LETTERS + DIGITS + "!@#$%^&*(-_=+)") + "(v)+=1"

    assert key[:20] not in redact(form.format(key)).text


def test_the_key_of_an_account_at_ethereum_is_gone_and_the_hash_of_a_transaction_stays():
    number = "0x" + random_text(64, HEX)

    assert number not in redact(f'PRIVATE_KEY="{number}"').text
    assert number in redact(f"tx: {number}").text


@pytest.mark.parametrize("words", [12, 24])
def test_the_words_of_a_wallet_are_gone(words: int):
    phrase = " ".join(["legal", "winner", "thank", "year", "wave", "sausage"] * (words // 6))

    assert redact(f"Seed phrase: {phrase}").text == "Seed phrase: [REDACTED:seed_phrase]"
