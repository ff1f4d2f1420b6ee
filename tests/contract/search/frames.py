"""Comparison of two frames, except for parts that an index may omit or compute in another way."""

from typing import Any

import numpy as np

from almanac.search.frame import Field, FieldStatistics, Frame


def frame_values(frame: Frame) -> dict[str, Any]:
    """Return a frame in plain values. Cosines have three digits, because vectors are stored in half precision."""
    return {
        "ids": frame.ids,
        "kinds": frame.kinds,
        "versions": frame.versions,
        "sessions": [frame.sessions[number] for number in frame.session.tolist()],
        "alone": len(set(frame.session.tolist())),
        "position": frame.position.tolist(),
        "candidates": frame.candidates.tolist(),
        "at": frame.at.tolist(),
        "roles": frame.roles,
        "speakers": frame.speakers,
        "asks": frame.asks.tolist(),
        "names": frame.names.tolist(),
        "documents": frame.documents,
        "title": _field(frame.title),
        "text": _field(frame.text),
        "title_statistics": _statistics(frame.title_statistics),
        "text_statistics": _statistics(frame.text_statistics),
    }


def _field(field: Field) -> dict[str, Any]:
    return {
        "tf": field.tf.tolist(),
        "length": field.length.tolist(),
        "pieces": [each.tolist() for each in field.pieces],
        "kept": field.kept.tolist(),
        "bits": [None if each is None else each.tolist() for each in field.bits],
        "similarity": _round_cosines(field.similarity),
        "context": _round_cosines(field.context),
    }


def _statistics(statistics: FieldStatistics) -> tuple[list[float], float]:
    return statistics.frequencies.tolist(), round(statistics.length, 4)


def _round_cosines(cosines: Any) -> list[float | None]:
    return [None if np.isnan(each) else round(each * 500) for each in cosines.tolist()]
