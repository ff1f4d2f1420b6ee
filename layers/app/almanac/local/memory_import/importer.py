"""Import files of conversations in batches of turns."""

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

from msgspec import Struct, field
from msgspec.structs import replace

from almanac.composition.commands.memory_import import MOST_AT_ONCE, RecordTurns, ToImport, TurnToImport
from almanac.kernel.errors import AlmanacError
from almanac.local.memory_import.formats import READERS, format_of
from almanac.local.memory_import.progress import Positions
from almanac.local.memory_import.units import WHOLE, Unit

NAMED = 20
"""Maximum number of problems that a report describes. The counts include all problems."""
_BATCH_BYTES = 2 * 1024 * 1024


class NotTaken(Struct):
    """Records that an import did not store. `unreadable` and `refused` count records that could not be read or not be
    stored, and `problems` describes the first of both kinds. `left_out` counts deliberately skipped records by
    reason."""

    refused: int = 0
    unreadable: int = 0
    problems: list[str] = field(default_factory=list[str])
    left_out: dict[str, int] = field(default_factory=dict[str, int])

    @property
    def is_whole(self) -> bool:
        return self.refused + self.unreadable == 0

    def note(self, problem: str) -> None:
        if len(self.problems) < NAMED:
            self.problems.append(problem)

    def leave_out(self, reason: str) -> None:
        self.left_out[reason] = self.left_out.get(reason, 0) + 1


class Report(NotTaken):
    """Result of an import. `unchanged` counts files without new data since their last import, and `known` counts turns
    that an earlier import recorded. `unreadable` counts lines, conversations and files, and `refused` counts turns.
    `cut` counts turns whose content was too long and was truncated."""

    files: int = 0
    unchanged: int = 0
    turns: int = 0
    recorded: int = 0
    known: int = 0
    cut: int = 0
    sessions: int = 0


class Import:
    """An import of files. Its `report` is always up to date, even after an interruption.

    A `record` of None makes a dry run. `session` is the session id for turns without one.
    """

    def __init__(
        self,
        record: RecordTurns | None,
        positions: Positions | None,
        *,
        session: str | None = None,
        progress: Callable[[int], None] = lambda _: None,
    ) -> None:
        self.report = Report()
        self._record = record
        self._positions = positions
        self._session = session
        self._progress = progress
        self._sessions: set[str] = set()

    def read(self, files: Iterable[Path], chosen: str) -> None:
        before = 0
        for file in files:
            try:
                self._file(file, chosen, before)
            except (OSError, AlmanacError) as problem:
                if not isinstance(problem, OSError) and problem.retryable:
                    raise
                self.report.unreadable += 1
                self.report.note(f"{file}: {problem}")
            before += file.stat().st_size if file.exists() else 0
            self._progress(before)

    def _file(self, file: Path, chosen: str, before: int) -> None:
        size = file.stat().st_size
        found = format_of(file, chosen) if size else "jsonl"
        if found is None:
            self.report.unreadable += 1
            self.report.note(f"{file}: its format is not known; say it with --format.")
            return
        self.report.files += 1
        # Positions have no meaning in a database or an archive. Ids identify what an earlier import recorded.
        positions = None if _is_whole(file) else self._positions
        reached = positions.position_of(file) if positions else 0
        if reached == size > 0:
            self.report.unchanged += 1
            return
        with file.open("rb") as source:
            for units in _batches(unit for unit in READERS[found](source) if unit.end > reached):
                self._take(file, units)
                self._progress(before + units[-1].end)
                self._keep(positions, file, units[-1].end)
            # The rest of the file, after the last unit, holds nothing to import.
            self._keep(positions, file, source.tell())

    def _keep(self, positions: Positions | None, file: Path, position: int) -> None:
        if positions is not None and self._record is not None:
            positions.keep(file, position)

    def _take(self, file: Path, units: list[Unit]) -> None:
        report, turns = self.report, list[tuple[str, ToImport]]()
        for unit in units:
            if unit.problem is not None:
                report.unreadable += 1
                report.note(f"{file}, {unit.place}: {unit.problem}")
            if unit.left_out is not None:
                report.leave_out(unit.left_out)
            turns += [(unit.place, self._with_session(turn)) for turn in unit.turns]
        for start in range(0, len(turns), MOST_AT_ONCE):
            self._record_some(file, turns[start : start + MOST_AT_ONCE])

    def _record_some(self, file: Path, turns: list[tuple[str, ToImport]]) -> None:
        report = self.report
        outcomes = self._record([turn for _, turn in turns]) if self._record else []
        report.turns += len(turns)
        report.cut += sum("cut_from_bytes" in turn.metadata for _, turn in turns)
        self._sessions |= {one.session_id for _, one in turns if isinstance(one, TurnToImport) and one.session_id}
        report.sessions = len(self._sessions)
        for (place, _), outcome in zip(turns, outcomes, strict=False):
            match outcome.status:
                case "recorded":
                    report.recorded += 1
                case "known":
                    report.known += 1
                case "refused":
                    report.refused += 1
                    report.note(f"{file}, {place}: {outcome.message}")
                case "left_out":
                    self.report.leave_out(outcome.message)

    def _with_session(self, turn: ToImport) -> ToImport:
        if self._session is None or not isinstance(turn, TurnToImport) or turn.session_id is not None:
            return turn
        return replace(turn, session_id=self._session)


def _is_whole(file: Path) -> bool:
    with file.open("rb") as source:
        return source.read(16).startswith(WHOLE)


def _batches(units: Iterable[Unit]) -> Iterator[list[Unit]]:
    """Group whole units into batches of about as many turns as one call records."""
    batch, turns, size = list[Unit](), 0, 0
    for unit in units:
        batch.append(unit)
        turns += len(unit.turns)
        size += sum(len(turn.content) for turn in unit.turns)
        if turns >= MOST_AT_ONCE or size > _BATCH_BYTES or len(batch) >= 10 * MOST_AT_ONCE:
            yield batch
            batch, turns, size = [], 0, 0
    if batch:
        yield batch
