"""Skills that come with Almanac."""

from collections.abc import Mapping

from msgspec import Struct


class DefaultSkill(Struct, frozen=True, kw_only=True):
    """A skill of ours. `recommended_for` says whom it is for, `files` are its texts beside SKILL.md, by path."""

    name: str
    tags: tuple[str, ...]
    recommended_for: str
    skill_md: str
    files: Mapping[str, str] = {}


def default_skills() -> tuple[DefaultSkill, ...]:
    """By name."""
    return ()
