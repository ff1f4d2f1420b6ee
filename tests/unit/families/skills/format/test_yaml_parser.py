"""YAML within bounds."""

from contextlib import suppress

import pytest

from almanac.families.skills.format.yaml_parser import MAX_CHARACTERS, UnreadableYaml, read_yaml
from tests.cpu_time import takes_under


@pytest.mark.parametrize("separator", ["\u2028", "\u2029", "\x85"])
def test_line_separators_are_text_as_in_yaml_1_2(separator: str):
    assert read_yaml(f"a: b{separator}c").value == {"a": f"b{separator}c"}


def test_an_escaped_half_of_a_character_becomes_a_replacement():
    assert read_yaml('a: "x\\uD800y"').value == {"a": "x\ufffdy"}


def test_anchors_and_tags_are_told_and_ignored():
    yaml = read_yaml("a: &x !!int 1\nb: !seq\n  - c")

    assert yaml.value == {"a": "1", "b": ["c"]}
    assert [(each.rule, each.line) for each in yaml.deviations] == [
        ("yaml_anchor", 0),
        ("yaml_tag", 0),
        ("yaml_tag", 1),
    ]


def test_objects_in_a_list_may_be_indented_as_they_like():
    assert read_yaml("a:\n- b:\n    c: d\n-   e: f").deviations == ()


def test_a_second_document_is_refused():
    with pytest.raises(UnreadableYaml) as problem:
        read_yaml("a: b\n--- c")

    assert (problem.value.rule, problem.value.line) == ("several_documents", 1)


def test_a_document_of_one_text_is_that_text():
    assert read_yaml("just text").value == "just text"
    assert read_yaml("").value == ""


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a: b\n\tc: d", "a tab"),
        ("a: b: c", "a colon within text"),
        ("a: b\nc\nd: e", "it has no colon"),
        ("a: 'b", "is not closed"),
        ('a: "\\q"', "a backslash"),
        ('a: "\\x4"', "a backslash"),
        ("a: @b", "a meaning of its own"),
        ("a: b\n  - c\n d: e", "mapping"),
        ("a: 'b' c", "behind a closing quotation mark"),
        ("%TAG !a! b", "cannot be read from here on"),
    ],
)
def test_what_is_wrong_is_said_in_words_of_authors(text: str, said: str):
    with pytest.raises(UnreadableYaml) as problem:
        read_yaml(text)

    if said != "mapping":
        assert said in problem.value.message
    assert problem.value.rule == "not_yaml"


HOSTILE = "[", "{a: ", "- ", "? ", "a: b\n", "- b\n", "a: &a x\n", "'\n", '"', "a: |\n", " \n", "x ", "\\", "#\n", "[]"


@pytest.mark.parametrize("unit", HOSTILE)
@pytest.mark.parametrize("start", ["", "a: ", 'a: "', "a: |\n "])
def test_the_largest_hostile_text_takes_a_moment(unit: str, start: str):
    text = start + unit * ((MAX_CHARACTERS - len(start)) // len(unit))

    def read() -> None:
        with suppress(UnreadableYaml):
            read_yaml(text)

    # Some 0.2 s where it is largest; brackets alone took 21 s before their depth was bounded.
    assert takes_under(3, read)
