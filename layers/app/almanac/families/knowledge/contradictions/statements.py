"""Normal forms of facts, in which a statement and its denial have the same root."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from functools import lru_cache

from msgspec import Struct

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)?")
_LEADING_NO = re.compile(r"^no (?:longer )?(?!of\b)|\bno longer ", re.IGNORECASE)
"""A leading "no" or "no longer". Elsewhere "no" means a number: phone_no."""
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")
_NEGATIONS = frozenset(["not", "never", "cannot"])
_CONTRACTED = re.compile(r"^(do|does|did|is|are|was|were|has|have|had|can|could|will|would|should|must)n['\u2019]?t$")
_SUPPORT = frozenset(["do", "does", "did"])
_FORMS: Mapping[str, str] = {
    **dict.fromkeys(("is", "are", "am"), "be"),
    "were": "was",
    "has": "have",
    "does": "do",
    "goes": "go",
}
_OPPOSITES: Mapping[str, str] = {
    "dislike": "like",
    "hate": "like",
    "detest": "like",
    "distrust": "trust",
    "mistrust": "trust",
    "disagree": "agree",
    "disapprove": "approve",
    "oppose": "support",
    "exclude": "include",
    "reject": "accept",
    "refuse": "accept",
    "forbid": "allow",
    "prohibit": "allow",
    "disallow": "allow",
    "lack": "have",
    "disobey": "obey",
    "disprove": "prove",
    "disable": "enable",
}
"""Verbs and the verb that each denies, as stems. Only pairs that cannot both be true of one object."""
_PAST: Mapping[str, str] = {"have": "had", "go": "went", "win": "won", "make": "made", "see": "saw", "buy": "bought"}
_SYNONYMS: Mapping[str, str] = {
    "love": "like",
    "enjoy": "like",
    "permit": "allow",
    "contain": "include",
    "possess": "have",
}
_INVERSES: Mapping[tuple[str, ...], tuple[str, ...]] = {
    ("child", "of"): ("parent", "of"),
    ("forbidden",): ("allowed",),
    ("prohibited",): ("allowed",),
    ("younger", "than"): ("older", "than"),
    ("shorter", "than"): ("taller", "than"),
    ("smaller", "than"): ("larger", "than"),
    ("slower", "than"): ("faster", "than"),
    ("cheaper", "than"): ("dearer", "than"),
    ("below",): ("above",),
    ("south", "of"): ("north", "of"),
    ("west", "of"): ("east", "of"),
    ("after",): ("before",),
}
"""Relations after "is" and their inverses. An object can have only one of the two."""

_YES = frozenset(["true", "yes", "y"])
_NO = frozenset(["false", "no", "n"])
_VALUES: Sequence[tuple[str, str]] = (
    ("open", "closed"), ("open", "shut"), ("on", "off"), ("enabled", "disabled"), ("active", "inactive"),
    ("alive", "dead"), ("alive", "deceased"), ("living", "dead"), ("public", "private"), ("present", "absent"),
    ("online", "offline"), ("available", "unavailable"), ("valid", "invalid"), ("allowed", "forbidden"),
    ("allowed", "prohibited"), ("permitted", "forbidden"), ("required", "optional"), ("mandatory", "optional"),
    ("married", "unmarried"), ("married", "single"), ("full", "empty"), ("locked", "unlocked"), ("up", "down"),
    ("healthy", "unhealthy"), ("healthy", "ill"), ("paid", "unpaid"), ("guilty", "innocent"), ("pass", "fail"),
    ("passed", "failed"), ("passing", "failing"), ("accepted", "rejected"), ("approved", "rejected"),
    ("employed", "unemployed"), ("complete", "incomplete"), ("finished", "unfinished"), ("legal", "illegal"),
    ("safe", "unsafe"), ("stable", "unstable"), ("visible", "hidden"), ("mutable", "immutable"), ("hot", "cold"),
    ("wet", "dry"), ("left handed", "right handed"), ("full time", "part time"), ("synchronous", "asynchronous"),
    ("read only", "writable"), ("odd", "even"), ("supported", "unsupported"), ("known", "unknown"),
)  # fmt: skip
_OPPOSITE_VALUES = frozenset(pair for one, other in _VALUES for pair in ((one, other), (other, one)))
_ARTICLES = frozenset(["a", "an", "the"])
_ARTICLE = re.compile(r"^(?:the|a|an)\s+", re.IGNORECASE)
_BLANKS = re.compile(r"[\s\"']|,(?!\d)")
_GROUPING = re.compile(r"[\s\"'(),./-]")
_LONG_NUMBER = 7
_NOT = re.compile(
    r"^(?:not|never|no longer|no|isn't)\s+(?!(?:only|just|all|every|much|many|necessarily)\b)(?P<rest>.+)$",
    re.IGNORECASE,
)


class Statement(Struct, frozen=True):
    """The normal form of a fact. `root` is the predicate without its negation, and `core` the object without its own.
    `says` is false for a denial. `by_value`: the object, true or false, decides whether the fact is a denial."""

    root: tuple[str, ...]
    core: str
    says: bool
    by_value: bool = False

    @property
    def about(self) -> tuple[tuple[str, ...], str]:
        return (self.root, self.core)


def statement_of(predicate: str, value: str) -> Statement:
    root, says = _predicate(predicate)
    plain = plain_of(value)
    if plain in _YES or plain in _NO:
        return Statement(root, "true", says == (plain in _YES), by_value=True)
    core, positive = _object(value)
    return Statement(root, core, says == positive)


def root_of(predicate: str) -> tuple[str, ...]:
    """Return the root of a predicate. Predicates that state or deny the same thing have the same root."""
    return _predicate(predicate)[0]


def is_negated(value: str) -> bool:
    """Return whether an object is negated: "not red"."""
    return not _object(value)[1]


def is_yes_or_no(value: str) -> bool:
    return plain_of(value) in _YES | _NO


def same_signs(one: str, other: str) -> bool:
    """Return whether two objects differ only in blanks, quotation marks, commas and the grouping of digits."""
    return _squeeze(one) == _squeeze(other)


def _squeeze(value: str) -> str:
    plain = plain_of(value)
    grouped = sum(map(str.isdigit, plain)) >= _LONG_NUMBER and not any(map(str.isalpha, plain))
    return (_GROUPING if grouped else _BLANKS).sub("", plain).rstrip("/")


def opposite_values(one: str, other: str) -> bool:
    """Return whether two objects are opposites, such as open and closed, or smoker and non-smoker."""
    a, b = (plain_of(value).replace("-", " ") for value in (one, other))
    if (a, b) in _OPPOSITE_VALUES or (is_yes_or_no(a) and is_yes_or_no(b) and (a in _YES) != (b in _YES)):
        return True
    return any(
        long in {f"non {short}", f"non{short}"} or (long == f"un{short}" and len(short) > 3)
        for long, short in ((a, b), (b, a))
    )


@lru_cache(1024)
def plain_of(value: str) -> str:
    """Return an object without case, accents, articles and the final full stop. Readers see objects with equal plain
    forms as the same."""
    composed = unicodedata.normalize("NFKC", value).casefold()
    bare = "".join(one for one in unicodedata.normalize("NFKD", composed) if not unicodedata.combining(one))
    tidy = " ".join(bare.replace("\u2019", "'").split()).strip("\"'`").rstrip(".!")
    return _ARTICLE.sub("", tidy) or tidy


@lru_cache(1024)
def _object(value: str) -> tuple[str, bool]:
    found = _NOT.match(value.strip())
    # "No Doubt" and "Never Let Me Go" are names.
    if (
        found is None
        or found["rest"][:1].isdigit()
        or " no " in found["rest"]
        or (value.strip()[:1].isupper() and found["rest"][:1].isupper())
    ):
        return plain_of(value), True
    return plain_of(found["rest"]), False


@lru_cache(1024)
def _predicate(predicate: str) -> tuple[tuple[str, ...], bool]:
    words = _WORD.findall(_LEADING_NO.sub("not ", _HUMP.sub(" ", predicate.replace("_", " ")).strip()))
    says, negated, kept = True, False, list[str]()
    for word in (one.lower().replace("\u2019", "'") for one in words):
        contracted = _CONTRACTED.match(word)
        if contracted is not None or word in _NEGATIONS:
            says, negated = not says, True
            if contracted is not None:
                kept.append(contracted[1])
            elif word == "cannot":
                kept.append("can")
        else:
            kept.append(word)
    stems = _stems([one for one in kept if one not in _ARTICLES] or kept, negated=negated)
    if stems and stems[0] in _REVERSED:
        stems[0], says = _REVERSED[stems[0]], not says
    elif stems and stems[0] in _SYNONYMS:
        stems[0] = _SYNONYMS[stems[0]]
    behind = tuple(stems[1:] if stems[:1] == ["be"] else stems)
    if behind in _INVERSES:
        behind, says = _INVERSES[behind], not says
    # "is_active" and "active" are one predicate. A lone "is" stays.
    return behind or tuple(stems), says


def _stems(words: Sequence[str], *, negated: bool) -> list[str]:
    if negated and len(words) > 1 and words[0] in _SUPPORT:
        stem = _stem(words[1])
        return [_past(stem) if words[0] == "did" else stem, *words[2:]]
    return [_stem(words[0]), *words[1:]] if words else []


def _past(stem: str) -> str:
    return _PAST.get(stem) or (
        f"{stem}d" if stem.endswith("e") else f"{stem[:-1]}ied" if stem.endswith("y") else f"{stem}ed"
    )


def _stem(verb: str) -> str:
    if verb in _FORMS:
        return _FORMS[verb]
    if verb.endswith("ies") and len(verb) > 4:
        return f"{verb[:-3]}y"
    if verb.endswith(("sses", "shes", "ches", "xes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith(("ss", "us", "is")) and len(verb) > 3 else verb


_REVERSED: Mapping[str, str] = {
    **_OPPOSITES,
    **{_past(one): _past(other) for one, other in _OPPOSITES.items()},
}
