from pathlib import Path

import pytest

from almanac.platform.embedder.minilm import MiniLm
from almanac.platform.embedder.packaged_model import VOCABULARY, WEIGHTS, packaged_model
from almanac.platform.embedder.safetensors import read_tensors
from almanac.platform.embedder.word_pieces import WordPieces, vocabulary


@pytest.fixture(scope="session")
def model() -> Path:
    folder = packaged_model()
    assert folder is not None
    return folder


@pytest.fixture(scope="session")
def word_pieces(model: Path) -> WordPieces:
    return WordPieces(vocabulary(model / VOCABULARY))


@pytest.fixture(scope="session")
def minilm(model: Path, word_pieces: WordPieces) -> MiniLm:
    return MiniLm(read_tensors(model / WEIGHTS), word_pieces)
