"""Tags, labels and moods, compared without case."""

from collections.abc import Sequence
from typing import Literal

from almanac.content import clean
from almanac.families.planner.search.text import fold
from almanac.kernel.errors import InvalidInput

MAX_TAGS = 30
MAX_TAG_CHARACTERS = 50


def check_tags(tags: Sequence[str], path: Literal["tags", "labels"] = "tags") -> tuple[str, ...]:
    """Return the tags in order, without duplicates, empty ones and a leading #. Raises InvalidInput for over 30 tags,
    or for one over 50 characters."""
    name = path.removesuffix("s")
    checked: dict[str, str] = {}
    for place, tag in enumerate(tags):
        written = " ".join(clean(tag).text.split()).lstrip("#")
        if len(written) > MAX_TAG_CHARACTERS:
            raise InvalidInput(
                f"A {name} has {len(written)} characters, over {MAX_TAG_CHARACTERS}.",
                "Use a word or two, and put the rest into the text.",
                path=f"{path}[{place}]",
            )
        if key := tag_key(written):
            checked.setdefault(key, written)
    if len(checked) > MAX_TAGS:
        raise InvalidInput(
            f"There are {len(checked)} {path}, over {MAX_TAGS}.", f"Keep the {path} that you search for.", path=path
        )
    return tuple(checked.values())


def tag_key(tag: str) -> str:
    """Return a key that ignores case, spaces and a leading #; empty for no tag."""
    return fold(clean(tag).text).lstrip("#").strip()


def check_mood(mood: str) -> str:
    """Return the cleaned mood; empty for none. Raises InvalidInput over 50 characters."""
    written = " ".join(clean(mood).text.split())
    if len(written) > MAX_TAG_CHARACTERS:
        raise InvalidInput(
            f"The mood has {len(written)} characters, over {MAX_TAG_CHARACTERS}.",
            "Use a word or two, and put the rest into the body.",
            path="mood",
        )
    return written


def mood_key(mood: str) -> str:
    """Return a key that ignores case and spaces; empty for none."""
    return fold(clean(mood).text)
