"""Similar names that a caller may have meant. They are suggested and never merged."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import islice

from almanac.families.knowledge.core.knowledge import Knowledge
from almanac.families.knowledge.core.names import fold, name_key
from almanac.families.knowledge.core.records import FACTS, PREDICATES, SUBJECTS, Fact, FactSubject

_SHORT_FORMS = """
abigail abby gail; albert al bert; alexander alex al sandy xander; alexandra alex sandra lexi; alfred alf fred;
amanda mandy; andrew andy drew; anthony tony; archibald archie; arthur art; barbara barb babs;
benjamin ben benny benji; bernard bernie; bradley brad; catherine katherine kate katie kathy cathy kat;
charles charlie chuck chas; charlotte lottie charlie; christina christine tina chris;
christopher chris kit topher; cynthia cindy; daniel dan danny; david dave davy; deborah debbie deb; dominic dom;
donald don donny; dorothy dot dottie; douglas doug; edward ed eddie ted ned; eleanor ellie nell;
elizabeth liz beth betty lizzie eliza; emily em emmy; eugene gene; frances fran; francis frank; franklin frank;
frederick fred freddy; gabriel gabe; gerald gerry jerry; geoffrey jeffrey geoff jeff; gregory greg;
harold harry hal; henry harry hank; isabella bella izzy; jacob jake; jacqueline jackie; james jim jimmy jamie;
janet jan; jennifer jen jenny; jeremy jerry; jessica jess jessie; joanna jo; john jack johnny;
jonathan jon johnny; joseph joe joey; joshua josh; judith judy; kenneth ken kenny; kimberly kim;
lawrence laurence larry; leonard leo len lenny; louis lou; lucille lucy; madeleine maddie;
margaret maggie meg peggy marge; maria mary; martin marty; matthew matt; maximilian max; melissa mel;
michael mike mick mickey; mitchell mitch; nancy nan; natalie nat; nathaniel nathan nate nat; nicholas nick nicky;
nicole nicky; oliver ollie; pamela pam; patricia pat patty tricia trish; patrick pat paddy; peter pete;
philip phillip phil; rachel rae; raymond ray; rebecca becky becca; reginald reg reggie;
richard rick dick rich richie; robert bob bobby rob robbie; roger rodge; ronald ron ronnie; rosemary rose rosie;
samantha sam; samuel sam sammy; sarah sally; sebastian seb; solomon sol; stephanie steph; stephen steven steve;
stuart stu; susan sue suzie; sydney syd; terence terry; theodore ted theo teddy; theresa teresa terry tess;
thomas tom tommy; timothy tim; valerie val; veronica ronnie; victor vic; victoria vicky tori;
vincent vince vinny; virginia ginny; walter walt; william bill billy will liam; winston win; yvonne eve;
zachary zach
"""

MAX_ALIKE = 5
_LOOKED_AT = 200
_PREDICATES = 500
MAX_FACTS = 500
_SHORTEST_PART = 3
_COMPARED = 40
_CUT = 200
_LAST = "\U0010ffff"


def subjects_alike(knowledge: Knowledge, name: str) -> tuple[str, ...]:
    """Return subjects similar to `name`: by case, accents, signs, a short form of a given name, a missing part, or a
    letter or two. At most 5, the nearest first. Only 200 names with the same beginning are compared."""
    form, own = fold(name), name_key(name)
    found: dict[str, str] = {}
    for row in _near(knowledge, name, form):
        if row.subject_key != own:
            found.setdefault(row.subject_key, row.subject)
        if len(found) == MAX_ALIKE:
            break
    return tuple(found.values())


def predicates_alike(knowledge: Knowledge, name: str) -> tuple[str, ...]:
    """Return similar names among the first 500 predicates, like `subjects_alike`."""
    form, own = fold(name), name_key(name)
    rows = [one for one in islice(knowledge.rows(PREDICATES).every(), _PREDICATES) if one.predicate_key != own]
    near = sorted((_distance(form, fold(row.predicate)), row.predicate) for row in rows)
    return tuple(predicate for distance, predicate in near[:MAX_ALIKE] if distance <= _tolerance(form))


def objects_alike(knowledge: Knowledge, name: str, subjects: Sequence[str], predicate: str | None) -> tuple[str, ...]:
    """Return objects similar to `name`, like `subjects_alike`, from at most 500 facts: first those of the subjects with
    the keys `subjects`, then those of `predicate`, then others."""
    form, own = fold(name), name_key(name)
    read = islice(_facts_near(knowledge, subjects, predicate), MAX_FACTS)
    objects = {fact.object_key: fact.object for fact in read if fact.object_key != own}
    near = sorted((_unlikeness(name[:_CUT], form, each[:_CUT]), at, each) for at, each in enumerate(objects.values()))
    return tuple(each for unlikeness, _, each in near[:MAX_ALIKE] if unlikeness <= _tolerance(form))


def _facts_near(knowledge: Knowledge, subjects: Sequence[str], predicate: str | None) -> Iterator[Fact]:
    rows = knowledge.rows(FACTS)
    for subject in subjects:
        yield from rows.query(subject, limit=MAX_FACTS).records
    if predicate is not None:
        yield from rows.query(predicate, index="gsi1", limit=MAX_FACTS).records
    yield from rows.query(limit=MAX_FACTS).records


def _unlikeness(name: str, form: str, other: str) -> int:
    """Return the distance of two names; 0 if one is a part of the other, or if they differ in the short form of a given
    name."""
    words, others, folded = name.casefold().split(), other.casefold().split(), fold(other)
    shorter, longer = sorted((form, folded), key=len)
    is_part = len(shorter) >= _SHORTEST_PART and longer.startswith(shorter)
    has_words = set(words) <= set(others) or set(others) <= set(words)
    is_short_form = words[1:] == others[1:] and others[0] in other_forms(words[0])
    return 0 if is_part or has_words or is_short_form else _distance(form, folded)


def _near(knowledge: Knowledge, name: str, form: str) -> Iterator[FactSubject]:
    yield from _exactly(knowledge, form)
    words = name.casefold().split()
    for other in sorted(other_forms(words[0])) if words else ():
        yield from _with_prefix(knowledge, fold(" ".join([other, *words[1:]])), MAX_ALIKE)
    yield from _with_prefix(knowledge, form, MAX_ALIKE)
    if len(words) > 1:
        for part in (words[0], words[-1]):
            yield from _exactly(knowledge, fold(part))
    yield from _misspelt(knowledge, form)


def _misspelt(knowledge: Knowledge, form: str) -> Iterable[FactSubject]:
    """Return the subjects within the tolerated number of edits. Candidates share the first four letters or the first
    one, possibly with the first letter missing or the first two swapped."""
    starts = dict.fromkeys([form[:4], form[:1], form[1:3], form[1:2] + form[:1]])
    rows = {one.subject_key: one for start in starts if start for one in _with_prefix(knowledge, start, _LOOKED_AT)}
    near = [(_distance(form, row.folded), row.subject, row) for row in rows.values()]
    return [one for distance, _, one in sorted(near, key=lambda each: each[:2]) if distance <= _tolerance(form)]


def _exactly(knowledge: Knowledge, form: str) -> Iterable[FactSubject]:
    return knowledge.rows(SUBJECTS).query(form, index="gsi1", limit=MAX_ALIKE + 1).records


def _with_prefix(knowledge: Knowledge, start: str, limit: int) -> Iterable[FactSubject]:
    rows = knowledge.rows(SUBJECTS)
    return rows.query(since=start, until=start + _LAST, index="gsi1", limit=limit + 1).records


def _tolerance(form: str) -> int:
    return 0 if len(form) < 3 else 1 if len(form) < 6 else 2


def _distance(one: str, other: str) -> int:
    """Return the number of letters to insert, delete, replace or swap, in the first 40 letters; 3 stands for more than
    2."""
    one, other, most = one[:_COMPARED], other[:_COMPARED], 2
    if abs(len(one) - len(other)) > most:
        return most + 1
    former: list[int] = []
    row = list(range(len(other) + 1))
    for i, letter in enumerate(one, 1):
        older, former, row = former, row, [i] + [most + 1] * len(other)
        for j in range(max(1, i - most), min(len(other), i + most) + 1):
            costs = letter != other[j - 1]
            row[j] = min(former[j] + 1, row[j - 1] + 1, former[j - 1] + costs)
            if i > 1 and j > 1 and costs and letter == other[j - 2] and one[i - 2] == other[j - 1]:
                row[j] = min(row[j], older[j - 2] + 1)
        if min(row) > most:
            return most + 1
    return min(row[-1], most + 1)


def other_forms(name: str) -> frozenset[str]:
    """Return other forms of a given name, in lower case: robert for bob; bob and rob for robert."""
    return _forms().get(name, frozenset())


@cache
def _forms() -> dict[str, frozenset[str]]:
    found: dict[str, set[str]] = {}
    for group in _SHORT_FORMS.split(";"):
        names = group.split()
        for name in names:
            found.setdefault(name, set()).update(one for one in names if one != name)
    return {name: frozenset(others) for name, others in found.items()}
