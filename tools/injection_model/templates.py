"""Texts from templates: `[a|b|c]` is one of several wordings, `{slot}` one of the values of a `@slot:` line.

A line that begins with `=` names the kind of the lines after it; every other line is one template. A template gives a
fixed number of texts at most, one that begins with `*` many more, drawn with a seed of its own, so that a changed line
changes no other.
"""

import hashlib
import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
MOST = 3
MANY = 12

_CHOICE = re.compile(r"\[([^\[\]\n]*\|[^\[\]\n]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class TrainingText:
    """A text made from a template, with where that stands: `attack` or not, language, kind and number."""

    text: str
    attack: bool
    language: str
    kind: str
    template: int


def digest() -> str:
    """Return the SHA-256 of all texts of the folder, by which weights name what they were trained on."""
    content = b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in sorted(FOLDER.glob("*.txt")))
    return hashlib.sha256(content).hexdigest()


def training_texts() -> Iterator[TrainingText]:
    """Yield every text that the folder's templates make, the same ones each time."""
    number = 0
    for path in sorted(FOLDER.glob("*.txt")):
        name, language, _ = path.name.split(".")
        slots: dict[str, list[str]] = {}
        kind = ""
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith("@") and ": " in line and line[1:].partition(":")[0].isidentifier():
                slot, _, values = line[1:].partition(":")
                slots[slot] = [value.strip() for value in values.split(" | ")]
            elif line.startswith("= "):
                kind = line[2:].strip()
            elif line.strip():
                number += 1
                for text in _wordings(line, slots):
                    yield TrainingText(text, name.startswith("attack"), language, kind, number)


def _wordings(template: str, slots: dict[str, list[str]]) -> Iterator[str]:
    chance = random.Random(template)  # noqa: S311 - a seed is what is wanted
    seen: set[str] = set()
    most = MANY if template.startswith("* ") else MOST
    for _ in range(3 * most):
        text = template.removeprefix("* ")
        while choice := _CHOICE.search(text):
            text = text[: choice.start()] + chance.choice(choice[1].split("|")) + text[choice.end() :]
        for _ in range(4):
            text = _SLOT.sub(lambda slot: chance.choice(slots.get(slot[1], [slot[0]])), text)
        text = (
            re.sub(r" {2,}", " ", text)
            .replace(r"\n", "\n")
            .replace(" .", ".")
            .replace("{{", "{")
            .replace("}}", "}")
            .strip()
        )
        if text not in seen:
            seen.add(text)
            yield text
        if len(seen) == most:
            return
