"""Upload of the changes of a working tree to the index, in portions."""

from collections import Counter, deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct, field

from almanac.kernel.errors import InvalidInput
from almanac.local.client.patient_calls import Rejected
from almanac.local.code_index.file_reader import Text, read_file
from almanac.local.code_index.server import IndexServer
from almanac.local.code_index.tree_walk import FileInventory

FILES_AT_ONCE = 100
BYTES_AT_ONCE = 512 * 1024
"""A call has at least so much, and at most one file more: it takes a second or two, so that progress shows, and fits
into a request whatever JSON makes of its texts."""
REMOVED_AT_ONCE = 200
NAMED = 20
MOST_REJECTED = 20
"""With more files that a call fails on, it is not the files."""


class Report(Struct):
    """`files` of the tree are for the index: `changed` are to be sent, of which `sent` are, `unchanged` are there
    already. `removed` are to be taken out at first, and counted anew as they are.
    `left_out` counts what is not for the index, by reason. `refused` counts files that the server cannot index, and
    `problems` names the first of them, and what could not be read. `complete`: the server has all of `commit`."""

    repo_id: str
    commit: str | None = None
    files: int = 0
    changed: int = 0
    sent: int = 0
    unchanged: int = 0
    removed: int = 0
    refused: int = 0
    left_out: dict[str, int] = field(default_factory=dict[str, int])
    problems: list[str] = field(default_factory=list[str])
    complete: bool = False

    @property
    def is_whole(self) -> bool:
        return self.refused == 0 and not self.left_out.get("unreadable")

    def note(self, problem: str) -> None:
        if len(self.problems) < NAMED:
            self.problems.append(problem)


class Plan(Struct):
    """`hashes` are of the files of the tree that are for the index, `changed` the paths of those that the index does
    not have so, `removed` those that only the index has."""

    hashes: dict[str, str]
    changed: list[str]
    removed: list[str]
    left_out: Counter[str]
    unreadable: list[str]


def tree_plan(root: Path, found: FileInventory, progress: Callable[[int], None] = lambda _: None) -> Plan:
    """Return the plan that would fill an empty index with the tree's files."""
    plan = Plan({}, [], [], Counter(found.left_out), list(found.unreadable))
    for number, path in enumerate(found.files, 1):
        match read_file(root, path):
            case Text(digest=digest):
                plan.hashes[path] = digest
                plan.changed.append(path)
            case str(reason):
                plan.left_out[reason] += 1
                if reason == "unreadable":
                    plan.unreadable.append(path)
            case None:
                pass
        progress(number)
    return plan


def compared(root: Path, plan: Plan, indexed: Mapping[str, str]) -> Plan:
    """The plan where the index has these hashes, by paths. Raises InvalidInput where nothing would be left of it."""
    plan.changed = [path for path, digest in plan.hashes.items() if indexed.get(path) != digest]
    hidden = FileInventory(unreadable=plan.unreadable)
    plan.removed = [path for path in indexed if path not in plan.hashes and not hidden.is_hidden(path)]
    if indexed and not plan.hashes and plan.removed:
        raise InvalidInput(
            f"There is nothing to index in {root}, and the index has {len(indexed)} files.",
            "Name another folder; `almanac code remove` takes a repository out.",
        )
    return plan


class TreeUpload:
    """One tree on its way to the index: `report` is up to date at any time, also where it is interrupted."""

    def __init__(
        self,
        root: Path,
        server: IndexServer,
        report: Report,
        *,
        url: str | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.report = report
        self._root = root
        self._server = server
        self._url = url
        self._progress = progress
        self._done = self._singly = self._rejections = 0

    def send(self, changed: Iterable[str], removed: Iterable[str]) -> dict[str, str]:
        """Send these files, take those out, and say that the index is complete. Returns the hashes of what is there
        now."""
        sent: dict[str, str] = {}
        waiting, gone = deque(changed), deque(removed)
        self._done = self._singly = 0
        self.report.complete = False
        while True:
            files = self._portion(waiting)
            some = [gone.popleft() for _ in range(min(len(gone), 0 if self._singly else REMOVED_AT_ONCE))]
            try:
                left, refused = self._index(files, some, complete=not waiting and not gone)
            except Rejected as problem:
                if not files:
                    raise
                left, refused = self._rejected([path for path, _ in files], problem)
                gone.extendleft(some)
            sent |= {path: text.digest for path, text in files if path not in left and path not in refused}
            waiting.extendleft(left)
            if not waiting and not gone:
                break
        if not self.report.complete:
            # What the server cannot index never will be; all the rest is there.
            self._index([], [], complete=True)
        return sent

    def _rejected(self, paths: Sequence[str], problem: Rejected) -> tuple[set[str], set[str]]:
        """Return the paths to send again, one at a time, and the paths that are rejected for good. Raises `problem` if
        more than a few files are rejected."""
        if len(paths) > 1:
            self._singly = len(paths)
            return set(paths), set()
        self._rejections += 1
        if self._rejections > MOST_REJECTED:
            raise problem
        self.report.refused += 1
        self.report.note(f"{paths[0]}: {problem}")
        self._advance(1)
        return set(), set(paths)

    def _portion(self, waiting: deque[str]) -> list[tuple[str, Text]]:
        """The texts of the next ones. A file that has changed since it was looked at is sent as it is now, or not at
        all where it is nothing for the index any more."""
        some: list[tuple[str, Text]] = []
        size = 0
        most = 1 if self._singly else FILES_AT_ONCE
        self._singly = max(0, self._singly - 1)
        while waiting and len(some) < most and size < BYTES_AT_ONCE:
            path = waiting.popleft()
            text = read_file(self._root, path)
            if isinstance(text, Text):
                some.append((path, text))
                size += text.bytes
            else:
                self._advance(1)
        return some

    def _index(
        self, files: Sequence[tuple[str, Text]], removed: Sequence[str], *, complete: bool
    ) -> tuple[set[str], set[str]]:
        """The paths that there was no time for, and those that the server cannot index."""
        rows = [{"path": path, "content": text.content} for path, text in files]
        answer = self._server.index(rows, removed, self.report.commit, self._url, complete=complete)
        refused, left = answer.get("refused", []), set[str](answer.get("left", ()))
        report = self.report
        report.sent += answer["indexed"] + answer["unchanged"]
        report.removed += answer["removed"]
        report.refused += len(files) - answer["indexed"] - answer["unchanged"] - len(left)
        report.complete = bool(answer.get("complete"))
        for each in refused:
            report.note(f"{each['path']}: {each['message']} {each['hint']}".strip())
        self._advance(len(files) - len(left) + len(removed))
        return left, {each["path"] for each in refused}

    def _advance(self, by: int) -> None:
        self._done += by
        self._progress(self._done)
