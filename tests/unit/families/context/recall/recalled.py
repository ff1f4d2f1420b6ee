"""Memories for tests of recall, and an app whose search finds them by meaning."""

from pathlib import Path
from typing import Any

from almanac.composition.search import index_parts
from almanac.kernel.caller import Caller
from tests.doubles.embedders import WordEmbedder
from tests.project_app import ProjectApp


class Vectors:
    def __init__(self, *texts: str) -> None:
        self._static = WordEmbedder(texts)

    def ready(self) -> WordEmbedder:
        return self._static


def app_with_vectors(folder: Path, *texts: str) -> ProjectApp:
    """Return an app whose embedder has the words of `texts` and knows that an automobile is a car."""
    app = ProjectApp(folder)
    indexing = index_parts(app.index, Vectors(*texts))
    app.open_again(indexing=indexing)
    return app


def recall_ids(app: ProjectApp, query: str, *, caller: Caller | None = None, **more: Any) -> list[str]:
    """Return the ids of context_recall's answer in order. Without a threshold every similarity counts."""
    result = app.do("context_recall", caller=caller, query=query, **{"threshold": 0, **more})
    return [each["memory"]["id"] for each in result["results"]]


def cause(app: ProjectApp, query: str, **more: Any) -> str:
    """Why a recall is empty."""
    result = app.do("context_recall", query=query, **more)
    assert result["results"] == []
    assert result["total"] == 0
    return result["emptyBecause"]
