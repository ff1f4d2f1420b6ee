"""A search for data that crosses from one tenant to another.

The tenant amber uses a shared installation and calls every tool until each has succeeded. The tenant birch uses it too,
and also an installation of its own as a control. Then birch sends every value from amber's answers and arguments to
every tool, in both installations. Amber's calls must make no difference to birch: apart from random values both
installations give the same answers, and no answer has a text of amber's that the control lacks. Birch's calls must not
change amber's data.
"""

import gc
import re
from collections.abc import Container, Generator, Iterable, Iterator, Sequence, Set
from contextlib import contextmanager
from itertools import cycle, islice
from pathlib import Path
from random import Random
from typing import NamedTuple

from almanac.kernel.instants import now_ms
from almanac.protocol.tool import Effect, Tool
from tests.contract.tenancy.arguments import ArgumentMaker, Json, Stock, places, put, texts_by_argument
from tests.contract.tenancy.consequences import follow_nothing
from tests.contract.tenancy.values import SHORTEST, numbers_in, shape, texts_in, texts_shown
from tests.contract.tenancy.world import START, Answer, Following, Opener, Tenant, World

TRIES = 1000
ROUNDS = 3
MORE_ROUNDS = 6
"""Further rounds for tools that have not succeeded yet, because other tools may create what they need."""
ADDED = 3
"""Number of calls with each adding tool at first, with some of its arguments and with all."""
_TOLD = 60
"""Number of latest successful calls whose answers may supply values that belong together."""
OWN_TEXTS, OTHER_TEXTS = 16, 8
"""Number of amber's texts to try in each argument: of the tool's own family, and of all families."""
_ORDER = (Effect.ADDS, Effect.SETS, Effect.READS, Effect.REMOVES)


_ENDS = re.compile("delete|cancel|remove|release|answer")


class SuccessfulCall(NamedTuple):
    tool: Tool
    arguments: Json
    answer: Answer


class Crossing(NamedTuple):
    tool: str
    arguments: Json
    what: str


class Verdict(NamedTuple):
    """`silent` tools never answered amber, so nothing could have crossed; `sent` counts birch's attempts."""

    crossings: list[Crossing]
    silent: set[str]
    sent: int
    defects: list[tuple[str, BaseException]]


def judge(
    open_families: Opener,
    folder: Path,
    seed: int = 1,
    open_following: Following = follow_nothing,
    failing: Set[str] = frozenset(),
) -> Verdict:
    """Run the trial. `failing` names tools that cannot succeed here."""
    with _avoid_full_collections():
        shared, alone = (World(folder / name, open_families, open_following) for name in ("shared.db", "alone.db"))
        return _judge(shared, alone, seed, failing)


@contextmanager
def _avoid_full_collections() -> Generator[None]:
    """Collect only young garbage. Full collections take a quarter of the trial's time and free nothing."""
    before = gc.get_threshold()
    gc.set_threshold(*before[:2], 1_000_000)
    try:
        yield
    finally:
        gc.set_threshold(*before)


def _judge(shared: World, alone: World, seed: int, failing: Set[str]) -> Verdict:
    amber = shared.settle("amber", "amber-web")
    life = live(shared, amber, seed, failing)
    trial = Trial(shared, alone, amber)
    trial.compare_lives(seed, failing)
    trial.send_all(life)
    tools = {tool.name for family in shared.families for tool in family.tools}
    silent = tools - {made.tool.name for made in life if made.answer.has_succeeded}
    return Verdict(trial.crossings, silent, trial.sent, shared.defects.causes + alone.defects.causes)


def live(world: World, who: Tenant, seed: int, failing: Set[str] = frozenset()) -> list[SuccessfulCall]:
    """Call every tool, changing tools first, and without removals in the last rounds, so that something is left.

    Tools of `failing` are not tried more often than tools that succeeded before.
    """
    random = Random(seed)
    # Mail to somebody else is never answered, and their claims are never handed over: each tenant has one actor here.
    words = [who.name, who.project, *(f"{who.name}-word-{number}" for number in range(6))]
    stock = Stock(words, own=dict.fromkeys(("to", "person", "holder"), who.actor))
    maker = ArgumentMaker(random, stock)
    made, succeeded = list[SuccessfulCall](), list[SuccessfulCall]()
    for number in range(ROUNDS + MORE_ROUNDS):
        silent = {tool.name for tool in in_order(world)} - {one.tool.name for one in succeeded} - failing
        if number >= ROUNDS and not silent:
            break
        late = [tool for tool in in_order(world) if number >= ROUNDS and tool.name in silent]
        needed = {name for tool in late for name in tool.input_schema.get("required", [])}
        for tool in _round(world, late, succeeded, needed):
            # What tools make of each other's doings is there before anything is read.
            world.follow()
            if number >= ROUNDS - 1 and tool.effect is Effect.REMOVES and tool.name not in silent:
                continue
            left = ADDED if number == 0 and tool.effect is Effect.ADDS else 1
            like = _like(tool, succeeded)
            for _ in range(TRIES if tool.name in silent or _tells(tool, succeeded, needed) else TRIES // 40):
                arguments = maker.arguments(tool.input_schema) | random.choice([{}, *like])
                answer = world.call(who, tool.name, arguments)
                made.append(SuccessfulCall(tool, arguments, answer))
                if answer.has_succeeded:
                    succeeded.append(made[-1])
                    stock.learn(arguments)
                    stock.learn(answer.result, noun=tool.name.rsplit("_", 1)[-1])
                    left -= _has_effect(answer.result)
                    if not left:
                        break
    world.follow()
    return made


def _round(world: World, late: Sequence[Tool], succeeded: Sequence[SuccessfulCall], needed: Set[str]) -> Iterator[Tool]:
    """Yield every tool in turn.

    After a tool whose answer has values that `late` tools need, yield those again, before the values lapse.
    """
    for tool in in_order(world):
        yield tool
        if _tells(tool, succeeded, needed):
            yield from late


def _has_effect(result: Json) -> bool:
    """Return whether other tools find the thing that a call made.

    They do not if no file could be read, or if a skill was only checked.
    """
    return result.get("indexed") != 0 and result.get("ok") is not False and result.get("changed") is not False


def _tells(tool: Tool, succeeded: Sequence[SuccessfulCall], needed: Set[str]) -> bool:
    """Return whether the tool's answers have values that tools need which never succeeded."""
    return any(texts_by_argument(needed, one.answer.result) for one in succeeded if needed and one.tool is tool)


def _like(tool: Tool, succeeded: Sequence[SuccessfulCall]) -> list[Json]:
    """Return values that other tools accepted, or answered lately, under the names of this tool's arguments.

    Some values only fit together.
    """
    names = tool.input_schema.get("properties", {}).keys()
    others = [one for one in succeeded if one.tool is not tool]
    shared = [{name: value for name, value in one.arguments.items() if name in names} for one in others]
    taken = sorted((one for one in shared if len(one) > 1), key=len)[-3:]
    told = [texts_by_argument(names, one.answer.result) for one in others[-_TOLD:]]
    return taken + sorted((one for one in told if len(one) > 1), key=len)[-3:]


def in_order(world: World) -> list[Tool]:
    """Return the tools by effect.

    Tools that delete, cancel or answer come last, because they leave nothing for the others.
    """
    tools = [tool for family in world.families for tool in family.tools]
    return sorted(tools, key=lambda tool: (_ORDER.index(tool.effect), bool(_ENDS.search(tool.name)), tool.name))


def _texts_of(known: Iterable[object], common: Container[str]) -> list[str]:
    """Return each text once, without short texts and without `common` ones."""
    texts = (text for each in known for text in texts_in(each))
    return list(dict.fromkeys(text for text in texts if len(text) >= SHORTEST and text not in common))


def _next_of(texts: Sequence[str], turn: int, count: int) -> list[str]:
    """So many of them, beginning where the turn before ended."""
    first = turn * count % max(1, len(texts))
    return list(islice(cycle(texts), first, first + count))


class Trial:
    """birch in two installations, step by step the same."""

    def __init__(self, shared: World, alone: World, amber: Tenant) -> None:
        self.crossings: list[Crossing] = []
        self.sent = 0
        self._shared = shared
        self._alone = alone
        self._amber = amber
        for world in (shared, alone):
            world.clock.instant = START.replace(day=22)
        self._here, self._control = (world.settle("birch", "birch-web") for world in (shared, alone))
        self._lives: list[tuple[SuccessfulCall, SuccessfulCall]] = []
        self._before = shared.holdings(amber)
        self._ambers: list[str] = []
        self._of_family: dict[str, list[str]] = {}
        self._next = 0

    def compare_lives(self, seed: int, failing: Set[str]) -> None:
        """Let birch call every tool in both installations.

        Later calls depend on earlier answers, so the first difference causes all others.
        """
        both = ((self._shared, self._here), (self._alone, self._control))
        here, control = (live(world, who, seed, failing) for world, who in both)
        self._lives = list(zip(here, control, strict=False))
        for made, other in self._lives:
            self._compare(made.tool.name, made.arguments, made.answer, other.answer)
            if self.crossings:
                return

    def send_all(self, life: Sequence[SuccessfulCall]) -> None:
        """Send every value of `life`, which is amber's, in every argument of every tool, in headers and in keys."""
        succeeded = [made for made in life if made.answer.has_succeeded]
        common = {text for _, made in self._lives for text in texts_in([made.arguments, made.answer.result])}
        self._ambers = _texts_of(
            [list(self._amber), *([made.arguments, made.answer.result] for made in succeeded)], common
        )
        for family in self._shared.families:
            of_it = [[made.arguments, made.answer.result] for made in succeeded if made.tool in family.tools]
            self._of_family.update(dict.fromkeys((tool.name for tool in family.tools), _texts_of(of_it, common)))
        numbers = list(dict.fromkeys(number for made in succeeded for number in numbers_in(made.answer.result)))
        for made in succeeded:
            self._send(made.tool, made.arguments, made.arguments)
        self._look_after_amber("any")
        for tool in in_order(self._shared):
            for path, value in self._attempts(tool, numbers):
                for here, control in self._bases(tool):
                    self._send(tool, put(here, path, value), put(control, path, value))
            self._look_after_amber(tool.name)
        self._send_headers()

    def _attempts(self, tool: Tool, numbers: Sequence[int]) -> Iterator[tuple[tuple[str | int, ...], str | int]]:
        for path, _ in places(tool.input_schema, ("string",)):
            yield from ((path, text) for text in self._texts_for(tool))
        for path, _ in places(tool.input_schema, ("integer", "number")):
            yield from ((path, number) for number in numbers[-3:])

    def _texts_for(self, tool: Tool) -> list[str]:
        """Return the next texts that amber exchanged with this family, whose ids mean something there, and the next
        texts of all families, so that each is tried somewhere."""
        turn = self._next
        self._next += 1
        own = _next_of(self._of_family[tool.name], turn, OWN_TEXTS)
        return list(dict.fromkeys([*own, *_next_of(self._ambers, turn, OTHER_TEXTS)]))

    def _bases(self, tool: Tool) -> Iterator[tuple[Json, Json]]:
        """Yield the arguments of birch's last successful call of this tool in both installations, and the same in
        amber's name if the tool has arguments for that."""
        both = ((here, control) for here, control in reversed(self._lives) if here.tool is tool)
        said = ((here, control) for here, control in both if here.answer.has_succeeded and control.answer.has_succeeded)
        nothing: tuple[Json, Json] = ({}, {})
        here, control = next(((here.arguments, control.arguments) for here, control in said), nothing)
        yield here, control
        names = {"tenant": self._amber.name, "project": self._amber.project}
        found = [
            (path, names[word])
            for path, _ in places(tool.input_schema, ("string",))
            for word in names
            if word in str(path[-1])
        ]
        for path, name in found:
            here, control = put(here, path, name), put(control, path, name)
        if found:
            yield here, control

    def _send_headers(self) -> None:
        tool = in_order(self._shared)[0]
        here, control = next(self._bases(tool))
        for project in (self._amber.project, *self._ambers[:5]):
            self._send(tool, here, control, x_almanac_project=project)
        key_id = self._amber.key.split("_")[1]
        forged = [f"alm_{key_id}_{who.key.split('_')[2]}" for who in (self._here, self._control)]
        for world, who, key in zip((self._shared, self._alone), (self._here, self._control), forged, strict=True):
            answer = world.call(who, tool.name, here, x_api_key=key)
            if answer.status != 401:
                self.crossings.append(Crossing(tool.name, here, "a key with the id of another tenant's was accepted"))

    def _send(self, tool: Tool, here: Json, control: Json, **headers: str) -> None:
        self.sent += 1
        answer = self._shared.call(self._here, tool.name, here, **headers)
        self._compare(tool.name, here, answer, self._alone.call(self._control, tool.name, control, **headers))

    def _compare(self, tool: str, arguments: Json, answer: Answer, control: Answer) -> None:
        leaked = texts_shown(answer.body, self._ambers) - texts_shown(control.body, self._ambers)
        if leaked:
            self.crossings.append(Crossing(tool, arguments, f"the answer holds {sorted(leaked)}"))
        elif (answer.status, answer.has_succeeded, shape(answer.result)) != (
            control.status,
            control.has_succeeded,
            shape(control.result),
        ):
            what = f"the answer differs: {answer.result} where nobody else lives: {control.result}"
            self.crossings.append(Crossing(tool, arguments, what))

    def _look_after_amber(self, tool: str) -> None:
        """Check that amber's data, apart from expired items, is the same as before `tool` was tried."""
        now = now_ms(self._shared.clock)
        lasting = {key: item for key, item in self._before.items() if not item.expires_at or item.expires_at > now}
        if self._shared.holdings(self._amber) != lasting:
            self.crossings.append(Crossing(tool, {}, "the other tenant's data changed"))
            self._before = self._shared.holdings(self._amber)
