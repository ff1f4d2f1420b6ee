"""Test the lenient parser. Every skill with a description loads, and its assumptions are reported."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from almanac.families.skills.format.manifest import Manifest
from almanac.families.skills.format.skill_parser import read_skill
from tests.unit.families.skills.format.texts import skill_md, valid_with

MANY = tuple(f"T{number}" for number in range(300))


def load(text: str, folder: str | None = "tidy-desk") -> tuple[Manifest, list[str]]:
    reading = read_skill(text, folder)
    assert reading.manifest is not None
    return reading.manifest, [finding.rule for finding in reading.warnings]


def test_a_valid_skill_is_loaded_without_a_warning():
    manifest, warnings = load(
        skill_md(
            "name: tidy-desk",
            "description: >-",
            "  Tidies a desk.",
            "  Use when papers pile up.",
            "license: MIT",
            "compatibility: Needs hands",
            "allowed-tools: Bash(mv *.pdf:*) Read",
            "metadata:",
            '  version: "1.10"',
            "  author: ann",
            "  tags: office, paper",
        )
    )

    assert warnings == []
    assert manifest == Manifest(
        name="tidy-desk",
        description="Tidies a desk. Use when papers pile up.",
        license="MIT",
        compatibility="Needs hands",
        metadata={"version": "1.10", "author": "ann", "tags": "office, paper"},
        allowed_tools=("Bash(mv *.pdf:*)", "Read"),
        version="1.10",
        tags=("office", "paper"),
        frontmatter=manifest.frontmatter,
        body="# Steps\n\nDo it.",
    )
    assert list(manifest.frontmatter) == [
        "name",
        "description",
        "license",
        "compatibility",
        "allowed-tools",
        "metadata",
    ]


@pytest.mark.parametrize(
    ("written", "kept"),
    [
        ("true", "true"),
        ("No", "No"),
        ("~", "~"),
        ("0123", "0123"),
        ("1.10", "1.10"),
        ("1e3", "1e3"),
        ("2026-01-31", "2026-01-31"),
        ("12:30:45", "12:30:45"),
        ("'it''s'", "it's"),
        ('"a\\tb"', "a\tb"),
        ("", ""),
        ("[Read, [a, b]]", ["Read", ["a", "b"]]),
        ("{a: 1, b: [c]}", {"a": "1", "b": ["c"]}),
        ("\n  - a\n  - b: c", ["a", {"b": "c"}]),
        ("|\n  a\n\n   b", "a\n\n b\n"),
    ],
)
def test_fields_of_vendors_are_kept_as_they_are_written(written: str, kept: Any):
    manifest, warnings = load(valid_with(f"x-vendor: {written}"))

    assert manifest.frontmatter["x-vendor"] == kept
    assert "unknown_fields" in warnings


def test_brackets_are_read_and_told():
    assert "flow_style" in load(valid_with("tags: [office, paper, office]"))[1]
    assert load(valid_with("tags: [office, paper, office]"))[0].tags == ("office", "paper")


def test_a_text_with_a_colon_is_taken_as_it_is_meant():
    manifest, warnings = load(skill_md("name: tidy-desk", "description: Use when: papers pile up #1", "license: MIT"))

    assert manifest.description == "Use when: papers pile up #1"
    assert manifest.license == "MIT"
    assert warnings == ["field_as_text"]


def test_one_broken_field_costs_no_other_one():
    manifest, warnings = load(valid_with("argument-hint: [file] [--all]", "metadata:", "  version: 2"))

    assert manifest.frontmatter["argument-hint"] == "[file] [--all]"
    assert manifest.version == "2"
    assert warnings == ["field_as_text", "unknown_fields"]


def test_an_alias_stays_text_and_is_never_repeated():
    lines = [f"a{step}: &a{step} [*a{step - 1}, *a{step - 1}, *a{step - 1}]" for step in range(1, 40)]

    manifest, _ = load(valid_with("a0: &a0 x", *lines))

    assert manifest.frontmatter["a9"] == "&a9 [*a8, *a8, *a8]"


def test_a_text_over_several_lines_is_taken_on_one():
    manifest, _ = load(
        skill_md("name: tidy-desk", "description: Use when: papers", "  pile up: always", "license: MIT")
    )

    assert manifest.description == "Use when: papers pile up: always"


@pytest.mark.parametrize("mark", ["|", ">-", "|2"])
def test_a_broken_block_is_taken_without_its_mark(mark: str):
    manifest, _ = load(skill_md("name: tidy-desk", f"description: {mark}", "  Tidies.", "\tNow."))

    assert manifest.description == "Tidies. Now."


def test_quotation_marks_around_a_broken_text_are_no_part_of_it():
    assert load(skill_md("name: tidy-desk", 'description: "C:\\Users"'))[0].description == "C:\\Users"


def test_control_characters_are_dropped():
    assert load(skill_md("name: tidy-desk", "description: Ti\x07dies"))[0].description == "Tidies"


def test_a_description_that_is_no_text_is_taken_as_it_is_written():
    manifest, warnings = load(skill_md("name: tidy-desk", "description: [Deprecated]"))

    assert manifest.description == "[Deprecated]"
    assert "description_not_text" in warnings


def test_of_a_field_that_is_there_twice_the_last_counts():
    manifest, warnings = load(valid_with("license: MIT", "license: BSD"))

    assert (manifest.license, warnings) == ("BSD", ["duplicate_field"])


@pytest.mark.parametrize(
    ("lines", "tools", "rule"),
    [
        (("allowed-tools: Read, Bash(git add:*, x)",), ("Read", "Bash(git add:*, x)"), "allowed_tools_form"),
        (("allowed-tools:", "  - Read", "  - Bash(a b)"), ("Read", "Bash(a b)"), "allowed_tools_form"),
        (("allowed-tools: [Read, Write]",), ("Read", "Write"), "allowed_tools_form"),
        (("allowed_tools: Read Read",), ("Read",), "allowed_tools_spelling"),
        (("allowed-tools:", "  a: b"), (), "allowed_tools_form"),
        ((f"allowed-tools: {' '.join(MANY)}",), MANY[:200], "allowed_tools_form"),
    ],
)
def test_tools_are_granted_in_every_form_and_other_forms_are_told(
    lines: tuple[str, ...], tools: tuple[str, ...], rule: str
):
    manifest, warnings = load(valid_with(*lines))

    assert manifest.allowed_tools == tools
    assert rule in warnings


def test_an_open_parenthesis_grants_one_tool():
    assert load(valid_with("allowed-tools: ) Bash(a b, c"))[0].allowed_tools == (")", "Bash(a b, c")


def test_a_tool_that_nobody_would_name_is_not_granted():
    assert load(valid_with(f"allowed-tools: {'T' * 501} {'U' * 500}"))[0].allowed_tools == ("U" * 500,)


def test_version_and_tags_stand_in_metadata_or_beside_it():
    beside, _ = load(valid_with("version: 3", "tags:", "  - a", "  - [b]"))
    both, _ = load(valid_with("version: 3", "metadata:", "  version: 4"))
    none, _ = load(valid_with("version: [1, 2]", "metadata: text"))

    assert (beside.version, beside.tags, both.version) == ("3", ("a",), "4")
    assert (none.version, none.tags, none.metadata) == (None, (), {})


def test_tags_are_bounded():
    manifest, warnings = load(valid_with("tags: " + ",".join(["x" * 101, "y" * 100, *(f"t{n}" for n in range(60))])))

    assert (len(manifest.tags), manifest.tags[0]) == (50, "y" * 100)
    assert "tags_too_many" in warnings


def test_nested_metadata_is_kept_and_told():
    manifest, warnings = load(valid_with("metadata:", "  install:", "    kind: node", "  plain: x"))

    assert manifest.metadata == {"install": {"kind": "node"}, "plain": "x"}
    assert warnings == ["metadata_nested"]


@pytest.mark.parametrize(
    ("name", "kept", "rule"),
    [
        ("Tidy_Desk", "Tidy_Desk", "name_not_lowercase"),
        ("tidy desk", "tidy desk", "name_characters"),
        ("'  \ufb01le_desk '", "file_desk", "name_characters"),
        ("../../etc", "etc", "name_replaced"),
        ("a/b", "a-b", "name_replaced"),
        ("nul", "nul", "name_replaced"),
        ("..", "skill", "name_replaced"),
        ("x" * 80, "x" * 64, "name_replaced"),
        ('"a\\0b\\u202e"', "a-b", "name_replaced"),
    ],
)
def test_a_name_is_kept_where_it_can_name_a_folder(name: str, kept: str, rule: str):
    manifest, warnings = load(skill_md(f"name: {name}", "description: Tidies."), None)

    assert (manifest.name, rule in warnings) == (kept, True)


@pytest.mark.parametrize(("folder", "name"), [("My Skills!", "my-skills"), (None, "skill"), ("..", "skill")])
@pytest.mark.parametrize("line", ["license: x", "name:", "name: [a]"])
def test_without_a_name_the_folders_is_taken(folder: str | None, name: str, line: str):
    manifest, warnings = load(skill_md(line, "description: Tidies."), folder)

    assert manifest.name == name
    assert "name_missing" in warnings


def test_long_texts_are_kept_whole_and_told():
    manifest, warnings = load(
        skill_md("name: tidy-desk", f"description: {'d' * 1100}", f"compatibility: {'c' * 501}", body="x\n" * 501)
    )

    assert (len(manifest.description), len(manifest.compatibility or "")) == (1100, 501)
    assert warnings == ["description_too_long", "compatibility_too_long", "body_long"]
    assert "body_long" in load(skill_md("name: tidy-desk", "description: x", body="x" * 20_001))[1]
    assert load(skill_md("name: tidy-desk", "description: x", body="x\n" * 500))[1] == []


def test_a_mark_and_empty_lines_before_the_front_matter_do_no_harm():
    reading = read_skill("\ufeff\n\n" + skill_md("name: tidy-desk", "description: a: b"), "tidy-desk")

    assert reading.manifest is not None
    assert reading.manifest.description == "a: b"
    assert reading.warnings[0].line == 5
    assert not reading.valid


def test_three_hyphens_within_a_line_do_not_end_the_front_matter():
    manifest, _ = load(skill_md("name: tidy-desk", "description: Tidies --- and sorts.", "license: MIT"))

    assert (manifest.description, manifest.license) == ("Tidies --- and sorts.", "MIT")
    assert manifest.body == "# Steps\n\nDo it."


def test_a_body_has_plain_ends_of_lines():
    text = skill_md("name: tidy-desk", "description: Tidies --- and sorts.").replace("\n", "\r\n")

    manifest, _ = load(text)

    assert (manifest.description, manifest.body) == ("Tidies --- and sorts.", "# Steps\n\nDo it.")


def test_rules_of_the_body_are_no_front_matter():
    manifest, _ = load("---\nname: tidy-desk\ndescription: Tidies.\n---- \nBody\n---\nmore")

    assert manifest.body == "- \nBody\n---\nmore"


def test_what_is_valid_is_loaded_however_it_is_parted():
    text = "---\nname: tidy-desk\ndescription: Tidies --- \nx\n---"

    assert read_skill(text, "tidy-desk").valid
    assert load(text)[0].description == "Tidies --- x"
    quoted = "---\nname: tidy-desk\n'description': Tidies # ---\n: [\n---\n"
    assert read_skill(quoted, "tidy-desk").valid
    assert load(quoted)[0].description == "Tidies"
    assert load("---name: tidy-desk\ndescription: Tidies---")[0].description == "Tidies"


@pytest.mark.parametrize(
    "text",
    [
        "",
        "text",
        "---\nname: a\n---\n",
        "---\nname: a\ndescription:\n---",
        "---\n- a\n---",
        "---\nname: a\ndescription: b",
    ],
)
def test_without_a_description_nothing_is_loaded(text: str):
    reading = read_skill(text, None)

    assert (reading.manifest, reading.valid, reading.warnings) == (None, False, ())
    assert reading.errors


def test_of_a_broken_front_matter_the_first_500_fields_are_read():
    manifest, _ = load(valid_with("x: a: b", *(f"k{number}: v" for number in range(600))))

    assert len(manifest.frontmatter) == 500


def test_only_the_first_part_of_an_endless_front_matter_is_read():
    manifest, warnings = load(valid_with(f"x: {'y' * 40_000}", "z: 1"))

    assert "z" not in manifest.frontmatter
    assert "front_matter_cut" in warnings


@given(st.text(st.sampled_from("ab:-#'\"|>[]{}&*!%@`? \n\t~<,.\x85\u2028é\0\\"), max_size=60), st.booleans())
def test_no_text_breaks_the_reader_and_a_valid_one_is_loaded(text: str, inner: bool):
    reading = read_skill(valid_with(text) if inner else f"---{text}", "tidy-desk")

    assert reading.valid == (not reading.errors)
    assert reading.manifest is not None or not reading.valid
    if inner and "\n---" not in text and reading.valid:
        assert reading.manifest is not None
        assert reading.manifest.frontmatter["name"] == "tidy-desk"
