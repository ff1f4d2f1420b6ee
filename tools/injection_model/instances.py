"""Instances to learn from: windows of attacks and of benign texts as a sparse matrix."""

import random
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from almanac.content.injections.audience_words import AUDIENCE_WORDS
from almanac.content.injections.order_words import ORDER_WORDS
from almanac.content.injections.scoring import FEWEST_CONCEPTS, FEWEST_WORDS
from almanac.content.injections.windows import Window, windows
from almanac.content.lettering import latin, plain
from tools.injection_model.templates import Made

_TEMPLATES_OF_A_FEATURE = 2
_BENIGN_WEIGHT = 2.0
_SALADS = 3_000
# Shares of the words that copies of a window keep, so that no single word carries the decision.
_KEPT_OF_ATTACKS = (1.0, 0.3, 0.0)
_KEPT_OF_BENIGN = (1.0, 0.2)
_CONCEPTS_KEPT = 0.7

Floats = npt.NDArray[np.float64]
Whole = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Bag:
    """The windows of one text. Of an attack one of them has to be marked, of a benign text none."""

    attack: bool
    windows: list[Window]


@dataclass(frozen=True, slots=True)
class Matrix:
    """Instances in sparse form: cell `i` is in row `rows[i]` and column `columns[i]`."""

    rows: Whole
    columns: Whole
    values: Floats
    labels: Floats
    importance: Floats


@dataclass(slots=True)
class _Cells:
    columns_of: dict[int, int]
    rows: list[int] = field(default_factory=list[int])
    columns: list[int] = field(default_factory=list[int])
    values: list[float] = field(default_factory=list[float])
    labels: list[float] = field(default_factory=list[float])
    chance: random.Random = field(default_factory=lambda: random.Random(7))  # noqa: S311 - a seed is what is wanted

    def add(self, window: Window, label: float, words_kept: float) -> None:
        """Add a row: all of the window, or a part of its words and most of its concepts."""
        concepts_kept = 1.0 if words_kept == 1 else _CONCEPTS_KEPT
        self._part(window.lexical, FEWEST_WORDS, words_kept)
        self._part(window.conceptual, FEWEST_CONCEPTS, concepts_kept)
        self._cell(len(self.columns_of), 1.0)
        self.labels.append(label)

    def _part(self, features: set[int], fewest: int, kept: float) -> None:
        value = 1 / max(fewest, len(features)) ** 0.5
        for feature in sorted(features):
            if feature in self.columns_of and (kept == 1 or self.chance.random() < kept):
                self._cell(self.columns_of[feature], value)

    def _cell(self, column: int, value: float) -> None:
        self.rows.append(len(self.labels))
        self.columns.append(column)
        self.values.append(value)


def bags_of(texts: list[Made]) -> tuple[list[Bag], dict[int, int]]:
    """Return a bag for each text, and the columns of the features that occur in several templates."""
    templates: dict[int, set[int]] = defaultdict(set)
    bags: list[Bag] = []
    for made in [*texts, *_documents(texts), *_salads()]:
        bag = Bag(made.attack, list(windows(latin(plain(made.text)))))
        bags.append(bag)
        for feature in (one for window in bag.windows for part in (window.lexical, window.conceptual) for one in part):
            if made.template and len(templates[feature]) < _TEMPLATES_OF_A_FEATURE:
                templates[feature].add(made.template)
    kept = sorted(one for one, where in templates.items() if len(where) >= _TEMPLATES_OF_A_FEATURE)
    return bags, {feature: column for column, feature in enumerate(kept)}


def matrix_of(bags: list[Bag], columns: dict[int, int], score: Callable[[Window], float] | None) -> Matrix:
    """Return the instances: all windows of benign texts, and of each attack the one with the best `score`.

    Without a score, the last window of an attack is taken: it holds two sentences where there are two.
    """
    cells = _Cells(columns)
    for bag in bags:
        chosen = bag.windows
        if bag.attack and chosen:
            chosen = [max(chosen, key=score)] if score else chosen[-1:]
        for window in chosen:
            for kept in _KEPT_OF_ATTACKS if bag.attack else _KEPT_OF_BENIGN:
                cells.add(window, float(bag.attack), kept)
    labels = np.array(cells.labels)
    attacks = max(1.0, float(labels.sum()))
    benign = max(1.0, len(labels) - attacks)
    importance = np.where(labels > 0, 1 / attacks, _BENIGN_WEIGHT / benign)
    return Matrix(np.array(cells.rows), np.array(cells.columns), np.array(cells.values), labels, importance)


def _documents(texts: list[Made]) -> list[Made]:
    """Benign texts after one another, so that any two sentences may be neighbours."""
    chance = random.Random(45)  # noqa: S311 - a seed is what is wanted
    by_language: dict[str, list[Made]] = defaultdict(list)
    for made in texts:
        if not made.attack:
            by_language[made.language].append(made)
    joined: list[Made] = []
    for language, benign in sorted(by_language.items()):
        for _ in range(len(benign) // 4):
            drawn = [chance.choice(benign) for _ in range(4)]
            seam = chance.choice([" ", " ", "\n", "\n\n", "\n- "])
            joined.append(Made(seam.join(one.text for one in drawn), False, language, "document", drawn[0].template))
    return joined


def _salads() -> list[Made]:
    """Words of the tables at random: benign, so that only what attacks really combine counts, and not sheer number."""
    chance = random.Random(11)  # noqa: S311 - a seed is what is wanted
    tables = (ORDER_WORDS, AUDIENCE_WORDS)
    listed = [word.rstrip("*") for table in tables for words in table.values() for word in words.split()]
    signs = ["https://example.com/a", "load_config", "{name}", "ann@example.com", "# ", "= ", "(), ", "\n", ", "]

    def word(rare: float) -> str:
        drawn = chance.random()
        if drawn < rare:
            return "zq" + chance.choice("abcdefgh") * chance.randint(1, 6)
        return chance.choice(signs) if drawn < rare + 0.15 * (1 - rare) else chance.choice(listed)

    made: list[Made] = []
    for _ in range(_SALADS):
        rare = chance.uniform(0.0, 0.6)
        length = chance.choice((4, 5, 6, 7, 8, 10, 12, 16, 24, 36))
        made.append(Made(" ".join(word(rare) for _ in range(length)), False, "none", "salad", 0))
    return made
