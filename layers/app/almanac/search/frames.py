"""Making frames from stored rows, and joining an index's frame with fresh documents."""

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from almanac.search.fields import adjust_statistics, field_of, join_fields, take_rows
from almanac.search.filters import passes
from almanac.search.frame import FieldStatistics, Frame, Vector
from almanac.search.port import Context, Entry, Filters, Question

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Row(Struct, frozen=True):
    """A document as an index stores it."""

    entry: Entry
    context: Context | None = None


def frame_of(
    rows: Sequence[Row],
    question: Question,
    *,
    found: Collection[str],
    documents: int,
    title_statistics: FieldStatistics,
    text_statistics: FieldStatistics,
) -> Frame:
    """Make the frame of candidates and their neighbours, given in any order. `found` are the ids of the candidates."""
    rows = sorted(rows, key=_place)
    entries = [row.entry for row in rows]
    session, sessions = _number_sessions([each.session for each in entries])
    contexts = [row.context for row in rows]
    return Frame(
        ids=[each.id for each in entries],
        kinds=[each.kind for each in entries],
        versions=[each.version for each in entries],
        session=session,
        sessions=sessions,
        position=np.array([each.position for each in entries], dtype=np.int64),
        candidates=np.array([each.id in found for each in entries], dtype=np.bool_),
        at=np.array([each.at for each in entries], dtype=np.int64),
        roles=[each.role for each in entries],
        speakers=[each.speaker for each in entries],
        asks=np.array([each.asks for each in entries], dtype=np.bool_),
        names=np.array([each.names for each in entries], dtype=np.float32),
        title=field_of([each.title for each in entries], [each and each.title for each in contexts], question),
        text=field_of([each.text for each in entries], [each and each.text for each in contexts], question),
        documents=documents,
        title_statistics=title_statistics,
        text_statistics=text_statistics,
    )


def with_fresh(
    frame: Frame, fresh: Sequence[Entry], gone: Collection[str], question: Question, filters: Filters
) -> Frame:
    """Join a frame with fresh documents, which its index may not have yet. The statistics cover both.

    Of two versions of a document the later one counts, and of equal versions the fresh one. Documents in `gone` are
    left out. Fresh documents that meet the filters are candidates, and the others are neighbours.
    """
    held = dict(zip(frame.ids, frame.versions, strict=True))
    newer = {each.id: each for each in fresh if each.id not in gone and each.version >= held.get(each.id, 0)}
    replaced = np.array([each in gone or each in newer for each in frame.ids], dtype=np.bool_)
    kept = take(frame, np.flatnonzero(~replaced))
    dropped = take(frame, np.flatnonzero(replaced))
    added = list(newer.values())
    passing = {each.id for each in added if passes(each, filters)}
    joining = frame_of(
        [Row(each) for each in added],
        question,
        found=passing,
        documents=len(added),
        title_statistics=frame.title_statistics,
        text_statistics=frame.text_statistics,
    )
    return replace(
        _join_frames(kept, joining),
        documents=max(frame.documents - len(dropped.ids), 0) + len(added),
        title_statistics=adjust_statistics(frame.title_statistics, frame.documents, dropped.title, joining.title),
        text_statistics=adjust_statistics(frame.text_statistics, frame.documents, dropped.text, joining.text),
    )


def fold_forms(frame: Frame, forms: Sequence[int]) -> Frame:
    """Return the frame with counts of other forms added to those of their terms.

    The question of `frame` has the other forms after its terms. `forms` has, for each of them, the place of the term
    for which it stands.
    """
    if not forms:
        return frame
    return replace(
        frame,
        title=replace(frame.title, tf=_fold_counts(frame.title.tf, forms)),
        text=replace(frame.text, tf=_fold_counts(frame.text.tf, forms)),
        title_statistics=_fold_statistics(frame.title_statistics, frame.documents, forms),
        text_statistics=_fold_statistics(frame.text_statistics, frame.documents, forms),
    )


def _fold_statistics(statistics: FieldStatistics, documents: int, forms: Sequence[int]) -> FieldStatistics:
    frequencies = np.minimum(_fold_counts(statistics.frequencies, forms), np.float32(documents))
    return replace(statistics, frequencies=frequencies)


def _fold_counts(counts: Vector, forms: Sequence[int]) -> Vector:
    """Return the counts with other forms added. The last dimension is by term."""
    terms = counts.shape[-1] - len(forms)
    found = counts[..., :terms].copy()
    for column, place in enumerate(forms, terms):
        found[..., place] += counts[..., column]
    return found


def take(frame: Frame, rows: "NDArray[np.intp]") -> Frame:
    """Return some rows of a frame, with the statistics of the whole."""
    chosen = rows.tolist()
    return replace(
        frame,
        ids=[frame.ids[row] for row in chosen],
        kinds=[frame.kinds[row] for row in chosen],
        versions=[frame.versions[row] for row in chosen],
        session=frame.session[rows],
        position=frame.position[rows],
        candidates=frame.candidates[rows],
        at=frame.at[rows],
        roles=[frame.roles[row] for row in chosen],
        speakers=[frame.speakers[row] for row in chosen],
        asks=frame.asks[rows],
        names=frame.names[rows],
        title=take_rows(frame.title, rows),
        text=take_rows(frame.text, rows),
    )


def _place(row: Row) -> tuple[str, int, str]:
    return row.entry.session, row.entry.position, row.entry.id


def _join_frames(one: Frame, other: Frame) -> Frame:
    """Return the rows of both frames in order, with the statistics of the first."""
    names = _names(one) + _names(other)
    session, sessions = _number_sessions(names)
    both = replace(
        one,
        ids=one.ids + other.ids,
        kinds=one.kinds + other.kinds,
        versions=one.versions + other.versions,
        session=session,
        sessions=sessions,
        position=np.concatenate([one.position, other.position]),
        candidates=np.concatenate([one.candidates, other.candidates]),
        at=np.concatenate([one.at, other.at]),
        roles=one.roles + other.roles,
        speakers=one.speakers + other.speakers,
        asks=np.concatenate([one.asks, other.asks]),
        names=np.concatenate([one.names, other.names]),
        title=join_fields(one.title, other.title),
        text=join_fields(one.text, other.text),
    )
    places = list(zip(names, both.position.tolist(), both.ids, strict=True))
    order = sorted(range(len(places)), key=places.__getitem__)
    return take(both, np.array(order, dtype=np.intp))


def _names(frame: Frame) -> list[str]:
    """Return the session of each row."""
    return [frame.sessions[number] for number in frame.session]


def _number_sessions(sessions: Sequence[str]) -> tuple["NDArray[np.int32]", list[str]]:
    """Return the number of each row's session, and the session of each number."""
    numbers: dict[str, int] = {}
    names: list[str] = []
    found: list[int] = []
    for session in sessions:
        number = numbers.get(session) if session else None
        if number is None:
            number = numbers[session] = len(names)
            names.append(session)
        found.append(number)
    return np.array(found, dtype=np.int32), names
