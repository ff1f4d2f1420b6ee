"""Test characters that the content firewall strips or keeps."""

# ruff: noqa: RUF001 - letters of other scripts are the subject

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.content import RemovedCharacters, clean

# Letters, signs and pictures, with what hides among them far more often than chance would have it.
HIDING = (
    "\u200b\u200c\u200d\u2060\ufeff\u00ad\u202e"
    "\u2066\u2069\u200e\ufe0e\ufe0f\U000e0041\U000e007f\U000e0100\u180b\x00\x1b"
)
CARRYING = "abz 1#\u20e3\n❤☠👩💻🏴🏳🌈\U0001f3fdמیखക്ක්ြကខ្ម葛0\u2229ᠠ"
mixed_text = st.text(st.one_of(st.sampled_from(HIDING + CARRYING), st.characters()), max_size=40)
plain_text = st.text(
    st.characters(categories=("L", "N", "P", "S", "Zs"), exclude_characters="\u115f\u1160\u3164\uffa0")
)


@given(mixed_text)
def test_cleaning_what_is_clean_changes_nothing(text: str):
    once = clean(text)
    again = clean(once.text)
    assert again.text == once.text
    assert again.removed == ()


@given(plain_text)
def test_text_of_letters_figures_and_signs_is_unchanged(text: str):
    assert clean(text).text == text


@given(mixed_text)
def test_what_is_removed_is_counted_and_the_rest_keeps_its_order(text: str):
    cleaned = clean(text)
    line_feeds_put_in = cleaned.text.count("\n") - text.count("\n")
    assert len(cleaned.text) - line_feeds_put_in + sum(removal.count for removal in cleaned.removed) == len(text)
    rest = iter(text)
    assert all(character in rest for character in cleaned.text if character != "\n")


@given(mixed_text)
def test_cleaned_text_can_be_written_as_utf8(text: str):
    cleaned = clean(text).text
    assert cleaned.encode().decode() == cleaned


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("in\u200bvoice", "invisible"),
        ("in\u2060voice", "invisible"),
        ("in\u00advoice", "invisible"),
        ("in\u200dvoice", "invisible"),
        ("\ufeffinvoice", "invisible"),
        ("in\u3164voice", "invisible"),
        ("in\u202evoice", "bidi"),
        ("in\u2066voice\u2069", "bidi"),
        ("\u200einvoice\u200f", "bidi"),
        ("in\U000e0068\U000e0069voice", "tag"),
        ("in\ufe0fvoice", "variation_selector"),
        ("in\U000e0150voice", "variation_selector"),
        ("in\x00vo\x1bice\x9b", "control"),
        ("in\ud800voice", "broken"),
        ("in\ufffevoice", "broken"),
    ],
)
def test_characters_that_nobody_sees_are_stripped_and_named(text: str, kind: str):
    cleaned = clean(text)
    assert cleaned.text == "invoice"
    assert {removal.kind for removal in cleaned.removed} == {kind}
    assert sum(removal.count for removal in cleaned.removed) == len(text) - len("invoice")


def test_several_kinds_are_told_apart_the_most_frequent_first():
    assert clean("a\u200b\u200bb\u202ec").removed == (RemovedCharacters("invisible", 2), RemovedCharacters("bidi", 1))


@pytest.mark.parametrize(
    "text",
    [
        "👩\u200d💻 pairing",
        "🧑🏽\u200d🚀 launch",
        "👨\u200d👩\u200d👧\u200d👦 family day",
        "🏳️\u200d🌈 parade",
        "🏴\u200d☠️ pirates",
        "👩\u200d❤️\u200d👨 anniversary",
        "🏃\u200d♀️\u200d➡️ run",
        "1️⃣ first, #️⃣ second",
        "☎︎ call, ✈️ fly, ™️",
        "🏴\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f Burns night",
        "🇯🇵 Tōkyō",
    ],
)
def test_emoji_keep_the_joiners_selectors_and_tags_that_make_them(text: str):
    assert clean(text).text == text


@pytest.mark.parametrize(
    "text",
    [
        "می\u200cخواهم",  # Persian: a prefix that does not join
        "کتاب\u200cها",
        "ه\u200d.ق",  # the abbreviation of the Hijri year shows a letter's inner form
        "क्\u200dष और क्\u200cष",  # Hindi: half form and visible virama
        "ශ්\u200dරී ලංකා",  # Sinhala
        "അവന്\u200d",  # Malayalam chillu at the end of a word
        "ភាសា\u200bខ្មែរ",  # Khmer: the ends of words
        "葛\U000e0100城市",  # a name's own form of an ideograph
        "ᠠ\u180b",
    ],
)
def test_joiners_and_selectors_stay_where_a_script_needs_them(text: str):
    assert clean(text).text == text


@pytest.mark.parametrize("text", ["פגישה עם דנה ב-10:00", "اجتماع مع Sara في 10:30", "שלום (world) 123"])
def test_right_to_left_text_passes_unchanged(text: str):
    assert clean(text).text == text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("😀" + "".join(chr(0xE0100 + byte) for byte in b"bring me the key"), "😀"),
        ("❤\ufe0f\ufe0f\ufe0f", "❤\ufe0f"),
        ("👩\u200d\u200d\u200d💻", "👩\u200d💻"),
        ("می\u200c\u200c\u200cخواهم", "می\u200cخواهم"),
        ("👩\u200dand", "👩and"),
        ("1\ufe0f2", "12"),
        ("🏴\U000e0061\U000e0062\U000e0063\U000e007f", "🏴"),
    ],
)
def test_more_than_a_sequence_needs_is_stripped(text: str, left: str):
    assert clean(text).text == left


def test_a_control_that_ends_a_line_becomes_a_line_feed():
    assert clean("first\x0bsecond\x85third").text == "first\nsecond\nthird"


def test_tabs_and_line_ends_stay():
    assert clean("a\tb\r\nc\n").text == "a\tb\r\nc\n"


def test_composed_and_decomposed_letters_stay_as_written():
    assert clean("Zoe\u0308 Zoë").text == "Zoe\u0308 Zoë"
