"""The default skills: valid, installable, and true to the tools that they speak of."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from almanac.composition.families import families_for_docs
from almanac.families.skills import catalogue
from almanac.families.skills.bundle.files import bundle_of
from almanac.families.skills.catalogue import DefaultSkill, default_skills
from almanac.families.skills.format.skill_parser import read_skill
from almanac.protocol.arguments.conversion import convert
from almanac.protocol.tool import Tool

TOOLS = {tool.name: tool for family in families_for_docs() for tool in family.tools}
LITERALS: dict[str, Any] = {"true": True, "false": False, "null": None}
LANGUAGES = frozenset(
    re.findall(
        r"\w+",
        """getattr addopts filterwarnings python
        any as engines forEach import module moduleResolution nodenext packageManager unknown workspaces
        append cancel defer go nil toolchain
        bindgen chars expect get prost unsafe unwrap spawn_blocking checked_ saturating_ wrapping_
        compareTo equals gradlew hashCode jakarta javax mvnw parallelStream
        batchItemFailures""",
    )
)
"""Words in backticks that are of a language or its tools."""

every_skill = pytest.mark.parametrize("skill", default_skills(), ids=lambda skill: skill.name)


def texts_of(skill: DefaultSkill) -> Iterator[str]:
    """SKILL.md without its front matter, and the files."""
    yield skill.skill_md.split("\n---\n", 1)[1]
    yield from skill.files.values()


def spans_of(skill: DefaultSkill) -> Iterator[str]:
    """Return the spans in backticks, and the calls in code blocks."""
    for text in texts_of(skill):
        yield from (block.strip() for block in re.findall(r"```almanac\n(.*?)```", text, re.DOTALL))
        yield from re.findall(r"`([^`\n]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))


def calls_of(skill: DefaultSkill) -> Iterator[tuple[str, dict[str, Any]]]:
    """The calls of tools, with their arguments."""
    for span in spans_of(skill):
        name = re.match(r"([a-z]\w*)\(", span)
        if name is None or name[1] in LANGUAGES:
            continue
        call = ast.parse(span, mode="eval").body
        assert isinstance(call, ast.Call)
        assert not call.args, span
        yield name[1], {each.arg or "": value_of(each.value) for each in call.keywords}


def value_of(node: ast.expr) -> Any:
    """Return a value as JSON has it. Python reads `true` as a name."""
    match node:
        case ast.Name(id=name):
            return LITERALS[name]
        case ast.Dict(keys=keys, values=values):
            return {value_of(key): value_of(value) for key, value in zip(keys, values, strict=True) if key is not None}
        case ast.List(elts=entries):
            return [value_of(each) for each in entries]
        case _:
            return ast.literal_eval(node)


def names_in(schema: Any) -> Iterator[str]:
    """The properties of a schema, at any depth."""
    if isinstance(schema, dict):
        parts = cast("dict[str, Any]", schema)
        yield from map(str, parts.get("properties") or ())
        for each in parts.values():
            yield from names_in(each)
    elif isinstance(schema, list):
        for each in cast("list[Any]", schema):
            yield from names_in(each)


KNOWN = {*TOOLS, *(name for tool in TOOLS.values() for name in names_in([tool.input_schema, tool.output_schema]))}


def test_all_of_the_catalogue_is_there():
    names = [skill.name for skill in default_skills()]
    stacks = [skill.name for skill in default_skills() if "stack" in skill.tags]

    assert names == sorted(names)
    assert "almanac-toolkit" in names
    assert stacks == [f"{each}-project" for each in ("aws-sam", "go", "java", "python", "rust", "typescript")]
    assert {"python", "typescript", "go", "rust", "java", "aws-sam"} <= {
        tag for s in default_skills() for tag in s.tags
    }


@every_skill
def test_a_default_skill_is_valid_without_a_warning(skill: DefaultSkill):
    reading = read_skill(skill.skill_md, skill.name)

    assert (reading.valid, reading.errors, reading.warnings) == (True, (), ())
    assert reading.manifest is not None
    assert reading.manifest.body.count("\n") < 500
    assert skill.recommended_for.endswith(".")


@every_skill
def test_a_default_skill_is_a_bundle_of_texts_whose_references_are_there(skill: DefaultSkill):
    files = bundle_of({path: text.encode() for path, text in skill.files.items()}, len(skill.skill_md.encode()))

    assert all(file.is_text for file in files)
    assert all(path.count("/") == 1 for path in skill.files)
    linked = {path for text in texts_of(skill) for path in re.findall(r"\]\((?!https?:)([^)]+)\)", text)}
    assert linked == set(skill.files)


@every_skill
def test_each_call_of_a_tool_has_arguments_that_the_tool_takes(skill: DefaultSkill):
    calls = list(calls_of(skill))

    assert calls
    for name, arguments in calls:
        tool: Tool = TOOLS[name]
        convert(arguments, tool.signature.arguments, tool.input_schema)


@every_skill
def test_each_name_in_backticks_is_of_a_tool_or_of_a_language(skill: DefaultSkill):
    words = {span for span in spans_of(skill) if re.fullmatch(r"[a-z]\w*", span)}

    assert words <= KNOWN | LANGUAGES


@every_skill
def test_every_line_is_short_enough_to_read(skill: DefaultSkill):
    lines = [line for text in texts_of(skill) for line in text.splitlines() if not line.startswith("|")]

    assert max(map(len, lines)) < 220


def test_what_tools_leave_in_a_folder_is_no_file_of_the_skill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    skill = tmp_path / "desk"
    (skill / "__pycache__").mkdir(parents=True)
    (skill / "__pycache__" / "a.pyc").write_bytes(b"\xff")
    (skill / "a.py").write_text("print()")
    (skill / "SKILL.md").write_text(
        "---\nname: desk\ndescription: Tidies.\nmetadata:\n  tags: a, b\n  recommended-for: All.\n---\nBody\n"
    )
    (tmp_path / "stray.txt").write_text("none of them")
    monkeypatch.setattr(catalogue, "_SKILLS", tmp_path)

    [read] = default_skills.__wrapped__()

    assert (read.name, read.tags, read.recommended_for, dict(read.files)) == (
        "desk",
        ("a", "b"),
        "All.",
        {"a.py": "print()"},
    )
