"""The skills that come with Almanac, ready to be installed."""

from collections.abc import Sequence
from typing import Annotated

from msgspec import Meta

from almanac.families.skills.catalogue import DefaultSkill, default_skills
from almanac.families.skills.format.manifest import MAX_NAME
from almanac.families.skills.format.skill_parser import read_skill
from almanac.families.skills.tools.results import OfferedSkill, OfferedSkills
from almanac.protocol.tool import Effect, tool

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
    """List the default skills: the built-in catalogue of ready-made playbooks that come with Almanac. With name it
    returns one to pass to install_skill; for the skills of this project use list_skills.
    """
    wanted = {each.lower() for each in tags or ()}
    every = default_skills()
    found = [
        each
        for each in every
        if name in (None, each.name) and (not wanted or wanted.intersection(tag.lower() for tag in each.tags))
    ]
    offered = tuple(_offer(each, whole=name is not None) for each in found)
    return OfferedSkills(offered, None if found else _why_empty(every))


def _offer(skill: DefaultSkill, whole: bool) -> OfferedSkill:
    manifest = read_skill(skill.skill_md, skill.name).manifest
    return OfferedSkill(
        name=skill.name,
        description=manifest.description if manifest is not None else "",
        tags=skill.tags,
        recommended_for=skill.recommended_for,
        skill_md=skill.skill_md if whole else None,
        files=dict(skill.files) if whole else None,
    )


def _why_empty(every: Sequence[DefaultSkill]) -> str:
    if not every:
        return "The catalogue has no skill yet. install_skill takes any SKILL.md."
    tags = sorted({tag for each in every for tag in each.tags})
    return f"None is called so, or recommended for these tags. Tags are: {', '.join(tags)}. Call without arguments."
