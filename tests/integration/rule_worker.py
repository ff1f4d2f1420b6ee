"""A worker with rules in a process of its own, to be killed.

python -m tests.integration.rule_worker PATH HOLDER        says a line before each firing
"""

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from almanac.families.team.rules.reactions import rule_reactions
from almanac.families.team.rules.set_broadcast import set_broadcast
from almanac.platform.declaration.rule_actions import Firing
from almanac.platform.feed.log import LOGGING
from almanac.platform.store.conditions import Absent, Equals
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Change, Put, Store
from tests.integration import worker

SCOPE = worker.SCOPE
open_store = worker.open_store


def pinned_contents(store: Store, rule: str, key: str) -> list[Any]:
    item = store.get(_list_key(rule, key))
    listed = item.attributes["contents"] if item else []
    assert isinstance(listed, list)
    return [*listed]


def _list_key(rule: str, key: str) -> Key:
    return Key(Partition.in_project(SCOPE, "pinned", rule), sort_key(key))


def pin_memory(args: Mapping[str, Any], firing: Firing) -> Sequence[Change]:
    """Keeps a list for each rule and key, in which a firing twice or out of order would show."""
    sys.stdout.write(f"{firing.cause.rule}\n")
    sys.stdout.flush()
    key, content = args["metadata"]["key"], args["content"]
    before = pinned_contents(firing.store, firing.cause.rule, key)
    standing = Equals("length", len(before)) if before else Absent()
    after: dict[str, Any] = {"contents": [*before, content], "length": len(before) + 1}
    return [Put(_list_key(firing.cause.rule, key), after, standing)]


def work(path: Path, holder: str) -> None:
    rules = rule_reactions(["turn_recorded"], {"pin_memory": pin_memory, "set_broadcast": set_broadcast})
    worker.work(path, holder, (LOGGING, *rules))


if __name__ == "__main__":
    work(Path(sys.argv[1]), sys.argv[2])
