"""Test the strict verdict on a SKILL.md, and the findings that its author gets."""

import pytest

from almanac.families.skills.format.manifest import MAX_SKILL_MD
from almanac.families.skills.format.skill_parser import MAX_FINDINGS, read_skill
from tests.unit.families.skills.format.texts import skill_md, valid_with

NAME = "name: tidy-desk"
ABOUT = "description: Tidies."


def rules(text: str, folder: str | None = "tidy-desk") -> list[str]:
    reading = read_skill(text, folder)
    assert reading.valid == (reading.errors == ())
    return [finding.rule for finding in reading.errors]


@pytest.mark.parametrize(
    "lines",
    [
        (),
        ("license: Apache-2.0", "compatibility: Needs git"),
        ("allowed-tools: Bash(git:*) Read",),
        ("allowed-tools:", "  - Read"),
        ("metadata:", "  author: ann", "  version: 1.0"),
        ("metadata: just text",),
        ("metadata:", "  inner:", "    deep: x"),
        ("license:", "compatibility:"),
        ("# a comment", "license: MIT # another"),
    ],
)
def test_what_the_reference_takes_is_valid(lines: tuple[str, ...]):
    assert rules(valid_with(*lines)) == []


@pytest.mark.parametrize("newline", ["\r\n", "\r"])
def test_ends_of_lines_of_other_systems_are_read(newline: str):
    assert rules(valid_with("license: MIT").replace("\n", newline)) == []


@pytest.mark.parametrize(
    ("name", "rule"),
    [
        ("Tidy-desk", "name_not_lowercase"),
        ("-tidy-desk", "name_hyphen_at_end"),
        ("tidy-desk-", "name_hyphen_at_end"),
        ("tidy--desk", "name_double_hyphen"),
        ("tidy_desk", "name_characters"),
        ("tidy desk", "name_characters"),
        ("t" * 65, "name_too_long"),
    ],
)
def test_a_name_breaks_one_rule_at_a_time(name: str, rule: str):
    assert rules(skill_md(f"name: {name}", ABOUT), folder=name) == [rule]


@pytest.mark.parametrize("name", ["t" * 64, "schreibtisch-aufräumen", "整理-桌子", "desk-2", "\uff12-desk"])
def test_letters_and_digits_of_all_scripts_make_names(name: str):
    assert rules(skill_md(f"name: {name}", ABOUT), folder=name) == []


def test_a_name_is_compared_with_its_folder_in_compatible_characters():
    assert rules(skill_md("name: ﬁle-desk", ABOUT), folder="file-desk") == []
    assert rules(skill_md("name: other", ABOUT)) == ["name_not_folder"]
    assert rules(skill_md("name: other", ABOUT), folder=None) == []


@pytest.mark.parametrize(
    ("lines", "rule"),
    [
        ((ABOUT,), "name_missing"),
        (("name:", ABOUT), "name_empty"),
        (("name: '  '", ABOUT), "name_empty"),
        (("name:", "  - tidy-desk", ABOUT), "name_not_text"),
        ((NAME,), "description_missing"),
        ((NAME, "description:"), "description_empty"),
        ((NAME, 'description: " "'), "description_empty"),
        ((NAME, "description:", "  a: b"), "description_not_text"),
        ((NAME, f"description: {'d' * 1025}"), "description_too_long"),
        ((NAME, ABOUT, f"compatibility: {'c' * 501}"), "compatibility_too_long"),
        ((NAME, ABOUT, "compatibility:", "  - a"), "compatibility_not_text"),
        ((NAME, ABOUT, "version: 1"), "unknown_field"),
        ((NAME, ABOUT, "allowed_tools: Read"), "unknown_field"),
    ],
)
def test_a_field_breaks_one_rule_at_a_time(lines: tuple[str, ...], rule: str):
    assert rules(skill_md(*lines)) == [rule]


def test_a_description_and_a_compatibility_may_have_all_their_characters():
    assert rules(skill_md(NAME, f"description: {'é' * 1024}", f"compatibility: {'c' * 500}")) == []


def test_each_unknown_field_is_named_with_what_to_do():
    reading = read_skill(valid_with("when_to_use: always", "hooks: none"), "tidy-desk")

    assert [finding.field for finding in reading.errors] == ["hooks", "when_to_use"]
    assert "Move it below metadata" in reading.errors[0].message


@pytest.mark.parametrize(
    ("line", "rule"),
    [
        ("license: [MIT, BSD]", "flow_style"),
        ("metadata: {a: b}", "flow_style"),
        ("license: &here MIT", "yaml_anchor"),
        ("license: !!str MIT", "yaml_tag"),
        ("license: *here", "yaml_alias"),
        ("name: tidy-desk", "duplicate_field"),
        ("license: a: b", "not_yaml"),
        ("license: 'MIT", "not_yaml"),
        ("license: @MIT", "not_yaml"),
        ("license:\tMIT", "not_yaml"),
        ("license: a\0b", "not_yaml"),
        ('license: "\\UFFFFFFFF"', "not_yaml"),
        ('license: "\\U00110000"', "not_yaml"),
        ("...\nlicense: MIT", "not_yaml"),
        ("? [a]\n: b", "key_not_text"),
        ("metadata:\n  a:\n    b: c\n  d:\n      e: f", "indentation"),
        ("license: " + "- " * 40, "not_yaml"),
        ("license:\n  " + "- " * 40 + "x", "yaml_too_complex"),
        ("license: " + "[" * 40, "yaml_too_complex"),
        (f"license: {'x' * 40_000}", "front_matter_too_long"),
    ],
)
def test_what_only_other_readers_of_yaml_take_is_not_valid(line: str, rule: str):
    assert rules(valid_with(line))[:1] == [rule]


def test_a_merge_key_is_not_valid_and_a_quoted_one_is_a_name():
    assert rules(valid_with("metadata:", "  <<:", "    a: b")) == ["yaml_merge"]
    assert rules(valid_with("metadata:", "  '<<': b")) == []


@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("", "no_front_matter"),
        ("# Steps", "no_front_matter"),
        ("\n---\nname: a\n---\n", "no_front_matter"),
        ("\ufeff---\nname: a\n---\n", "byte_order_mark"),
        ("---\nname: a\n", "front_matter_open"),
        ("---\n---\n", "no_fields"),
        ("---\n- a\n---\n", "no_fields"),
        ("---\njust text\n---\n", "no_fields"),
    ],
)
def test_a_file_without_fields_is_not_valid(text: str, rule: str):
    assert rules(text) == [rule]


def test_the_verdict_parts_at_three_hyphens_wherever_they_stand():
    assert rules("---name: tidy-desk\ndescription: a --- b") == []
    assert rules(skill_md(NAME, "license: a---b", ABOUT)) == ["description_missing"]


def test_an_error_names_its_line_in_the_file():
    (error,) = read_skill(skill_md(NAME, ABOUT, "license: a: b"), None).errors

    assert (error.line, error.field) == (4, "")
    assert "there is a colon within text" in error.message
    told = read_skill(skill_md(NAME, ABOUT, "license: [a]"), None)
    assert [finding.line for finding in (*told.errors, told.warnings[0])] == [4, 4]


def test_a_file_over_the_limit_is_not_read():
    text = valid_with() + "é" * (MAX_SKILL_MD // 2)

    reading = read_skill(text, "tidy-desk")

    assert len(text) < MAX_SKILL_MD
    assert [finding.rule for finding in reading.errors] == ["file_too_long"]
    assert (reading.manifest, reading.valid) == (None, False)


def test_halves_of_characters_are_no_text():
    assert rules(valid_with("license: \ud800")) == ["not_utf8"]


def test_findings_are_bounded_and_say_that_there_are_more():
    reading = read_skill(skill_md(*["license: MIT"] * 500, ABOUT), None)

    assert len(reading.errors) == MAX_FINDINGS + 1
    assert reading.errors[-1].rule == "more_findings"
    assert len(reading.warnings) == MAX_FINDINGS + 1


def test_text_of_an_author_is_shown_short_and_without_what_cannot_be_seen():
    (error,) = read_skill(valid_with(f"a\u202e{'b' * 200}: x"), "tidy-desk").errors

    assert "\u202e" not in error.message
    assert "b" * 59 not in error.message
    assert '"a?bbb' in error.message
