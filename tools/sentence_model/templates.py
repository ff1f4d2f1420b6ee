"""Sentences to train on: those written by hand in `texts/said/`, and those made from the templates of `texts/`.

Each file of `texts/said/` holds the sentences of one domain, a line each: the kind, a colon, the sentence. Each other
file but `slots.txt` holds the templates of one kind, a line each: `[a|b]` is one of several wordings, `{slot}` one of
the values that a domain has for it. Every template is worded in every domain that has slots, with a seed of its own,
so that a changed line changes no other.
"""

import hashlib
import random
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

FOLDER = Path(__file__).parent / "texts"
OF_A_DOMAIN = 3
"""Wordings of a template in one domain."""
WORTH_BY_HAND = 3
_EVERYWHERE = "everywhere"
_CHOICE = re.compile(r"\[([^\[\]\n]*\|[^\[\]\n]*)\]")
_SLOT = re.compile(r"\{(\w+)\}")


@dataclass(frozen=True, slots=True)
class TrainingSentence:
    """A sentence, with the kind, the domain and the number of the template that it is made from. `worth`: as many
    sentences of templates it counts as; one written by hand is a template of its own."""

    text: str
    kind: str
    domain: str
    template: int
    worth: int = 1


def digest() -> str:
    """Return the SHA-256 of all texts of the folder, by which weights name what they were trained on."""
    content = b"".join(path.name.encode() + b"\0" + path.read_bytes() for path in sorted(FOLDER.rglob("*.txt")))
    return hashlib.sha256(content).hexdigest()


def slots() -> dict[str, dict[str, list[str]]]:
    """Return the values of each slot by domain; those of everywhere are in each."""
    found: dict[str, dict[str, list[str]]] = {}
    domain = ""
    for line in (FOLDER / "slots.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("= "):
            domain = line[2:].strip()
            found[domain] = {}
        elif line.startswith("@"):
            slot, _, values = line[1:].partition(":")
            found[domain][slot] = [value.strip() for value in values.split(" | ")]
    shared = found.pop(_EVERYWHERE)
    return {domain: {**shared, **own} for domain, own in found.items()}


def domains_of_texts() -> set[str]:
    """Return the names of all domains, those with slots and those with sentences written by hand."""
    return slots().keys() | {path.stem for path in (FOLDER / "said").glob("*.txt")}


def training_sentences(without: Collection[str] = ()) -> Iterator[TrainingSentence]:
    """Yield every sentence of the domains that are not held out, the same ones each time."""
    yield from _from_templates(without)
    numbers = count(1)
    for path in sorted((FOLDER / "said").glob("*.txt")):
        if path.stem not in without:
            for line in path.read_text(encoding="utf-8").splitlines():
                kind, _, text = line.partition(": ")
                yield TrainingSentence(text, kind, path.stem, -next(numbers), WORTH_BY_HAND)


def _from_templates(without: Collection[str]) -> Iterator[TrainingSentence]:
    domains = slots()
    number = 0
    for path in sorted(FOLDER.glob("*.txt")):
        if path.name == "slots.txt":
            continue
        for line in filter(None, path.read_text(encoding="utf-8").splitlines()):
            number += 1
            seen: set[str] = set()
            for domain in sorted(domains.keys() - set(without)):
                chance = random.Random(f"{domain} {line}")  # noqa: S311 - a seed is what is wanted
                for _ in range(OF_A_DOMAIN):
                    text = _fill_template(line, domains[domain], chance)
                    if text not in seen:
                        seen.add(text)
                        yield TrainingSentence(text, path.stem, domain, number)


def _fill_template(template: str, values: dict[str, list[str]], chance: random.Random) -> str:
    text = template
    while choice := _CHOICE.search(text):
        text = text[: choice.start()] + chance.choice(choice[1].split("|")) + text[choice.end() :]
    text = _SLOT.sub(lambda slot: chance.choice(values[slot[1]]), text)
    text = re.sub(r" {2,}", " ", text).replace(" .", ".").strip()
    return text[:1].upper() + text[1:] if chance.random() < 0.3 else text
