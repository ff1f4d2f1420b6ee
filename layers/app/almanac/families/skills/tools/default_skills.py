"""The skills that come with Almanac, ready to be installed."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec import Meta

from almanac.families.skills.catalogue import DefaultSkill, default_skills
from almanac.families.skills.format.manifest import MAX_NAME
from almanac.families.skills.format.reading import read_skill
from almanac.families.skills.tools.results import OfferedSkill, OfferedSkills
from almanac.protocol.tool import Effect, tool

_CHARACTERS = 150_000
"""Of texts in one answer."""
_TAG = Annotated[str, Meta(min_length=1, max_length=64)]


@tool(title="List default skills", effect=Effect.READS)
def list_default_skills(
    tags: Annotated[
        list[_TAG],
        Meta(description="Only those recommended for one of these.", max_length=20, examples=[["python"]]),
    ]
    | None = None,
    name: Annotated[str, Meta(description="Only this one.", min_length=1, max_length=MAX_NAME)] | None = None,
) -> OfferedSkills:
    """List the default skills: the bundled catalogue of ready-made ones that come with Almanac, to begin with, with
    the stacks that each is recommended for and its whole SKILL.md. Pass skill_md and files of one to install_skill.

    list_skills has what is installed.
    """
    wanted = {each.lower() for each in tags or ()}
    every = default_skills()
    found = [
        each
        for each in every
        if name in (None, each.name) and (not wanted or wanted.intersection(tag.lower() for tag in each.tags))
    ]
    return OfferedSkills(tuple(_offered(found)), None if found else _why_empty(every))


def _offered(found: Sequence[DefaultSkill]) -> Iterator[OfferedSkill]:
    """The first one whole in any case, the others as long as there is room."""
    left = _CHARACTERS
    for position, skill in enumerate(found):
        size = len(skill.skill_md) + sum(map(len, skill.files.values()))
        fits = position == 0 or size <= left
        left -= size if fits else 0
        manifest = read_skill(skill.skill_md, skill.name).manifest
        yield OfferedSkill(
            name=skill.name,
            description=manifest.description if manifest is not None else "",
            tags=skill.tags,
            recommended_for=skill.recommended_for,
            skill_md=skill.skill_md if fits else None,
            files=dict(skill.files) if fits else None,
        )


def _why_empty(every: Sequence[DefaultSkill]) -> str:
    if not every:
        return "The catalogue has no skill yet. install_skill takes any SKILL.md."
    tags = sorted({tag for each in every for tag in each.tags})
    return f"None is called so, or recommended for these tags. Tags are: {', '.join(tags)}. Call without arguments."
