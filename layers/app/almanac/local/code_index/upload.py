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
"""Size of a call, which the last file may exceed. Such a call takes a second or two, so progress is visible, and fits
into a request even after JSON has escaped its texts."""
REMOVED_AT_ONCE = 200
NAMED = 20
MOST_REJECTED = 20
"""Most files that may make a call fail. With more, the cause is not the files."""


class Report(Struct):
    """Progress of an upload.

    `files` is the number of the tree's files for the index. `changed` of them must be sent, `sent` have been, and
    `unchanged` are indexed already. `removed` is first the number of files to remove, and is then counted again as they
    are removed. `left_out` counts files that are not for the index, by reason. `refused` counts files that the server
    cannot index. `problems` names the first of those, and unreadable files. `complete` means that the server has all of
    `commit`."""

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
    """Changes to make. `hashes` are those of the tree's files for the index, `changed` the paths of new or different
    files, and `removed` the paths that only the index has."""

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


def compare_with_index(root: Path, plan: Plan, indexed: Mapping[str, str]) -> Plan:
    """Return the plan for an index with these hashes by path. Raises InvalidInput if it would empty the index."""
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
    """Upload of one tree. `report` is up to date at any time, even after an interruption."""

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
        """Send and remove these files, and mark the index as complete. Returns the hashes of the sent files."""
        sent: dict[str, str] = {}
        waiting, to_remove = deque(changed), deque(removed)
        self._done = self._singly = 0
        self.report.complete = False
        while True:
            files = self._portion(waiting)
            some = [to_remove.popleft() for _ in range(min(len(to_remove), 0 if self._singly else REMOVED_AT_ONCE))]
            try:
                left, refused = self._index(files, some, complete=not waiting and not to_remove)
            except Rejected as problem:
                if not files:
                    raise
                left, refused = self._handle_rejection([path for path, _ in files], problem)
                to_remove.extendleft(some)
            sent |= {path: text.digest for path, text in files if path not in left and path not in refused}
            waiting.extendleft(left)
            if not waiting and not to_remove:
                break
        if not self.report.complete:
            # Files that the server cannot index never will be. All others are indexed.
            self._index([], [], complete=True)
        return sent

    def _handle_rejection(self, paths: Sequence[str], problem: Rejected) -> tuple[set[str], set[str]]:
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
        """Return the texts of the next files. A file that has changed meanwhile is sent with its current text, or not
        at all if it is no longer for the index."""
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
        """Call index_files. Return the paths that it had no time for, and those that it cannot index."""
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
