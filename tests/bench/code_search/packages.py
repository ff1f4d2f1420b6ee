"""Sources of packages as their registries have them, at pinned versions."""

import json
import os
import subprocess
import tarfile
from collections.abc import Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from shutil import which

from msgspec import Struct

from tests.bench.fresh_process import ROOT

UV = ROOT / ".tools/uv/bin/uv"
_SECONDS = 120


class Unavailable(Exception):
    """The sources of a package are not to be had here; the text says why."""


class Package(Struct, frozen=True, kw_only=True):
    """`folder` of what the registry has holds the sources, files that end in one of `endings`. `digest` is that of
    their paths and contents: tasks name lines."""

    name: str
    registry: str
    version: str
    folder: str
    endings: tuple[str, ...]
    digest: str


def sources(package: Package, folder: Path) -> dict[str, str]:
    """Texts by path, with `folder` for what is fetched. Raises Unavailable."""
    root = _FETCH[package.registry](package, folder) / package.folder
    files = {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in sorted(root.rglob("*"))
        if _is(path, package)
    }
    if digest(files) != package.digest:
        raise Unavailable(f"{package.name} {package.version} is not what the tasks were written for: {digest(files)}.")
    return files


def digest(files: Mapping[str, str]) -> str:
    return sha256(json.dumps(sorted(files.items())).encode()).hexdigest()[:16]


def _is(path: Path, package: Package) -> bool:
    return path.is_file() and path.name.endswith(package.endings)


def _from_pypi(package: Package, folder: Path) -> Path:
    place = folder / package.name
    _run(UV, "pip", "install", "--quiet", "--no-deps", "--target", place, f"{package.name}=={package.version}")
    return place


def _from_npm(package: Package, folder: Path) -> Path:
    place = folder / package.name
    place.mkdir()
    if which("npm") is None:
        raise Unavailable("There is no npm.")
    _run("npm", "pack", "--silent", "--pack-destination", place, f"{package.name}@{package.version}")
    for archive in place.glob("*.tgz"):
        with tarfile.open(archive) as packed:
            packed.extractall(place, filter="data")
    return place


def _from_go(package: Package, folder: Path) -> Path:
    if which("go") is None:
        raise Unavailable("There is no go.")
    said = _run("go", "mod", "download", "-json", f"{package.name}@{package.version}", cwd=folder)
    return Path(json.loads(said)["Dir"])


_FETCH = {"pypi": _from_pypi, "npm": _from_npm, "go": _from_go}


def _run(*command: str | Path, cwd: Path | None = None) -> str:
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=_SECONDS,
            check=False,
            cwd=cwd,
            env={**os.environ, "GOFLAGS": ""},
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise Unavailable(f"{command[0]}: {problem}") from problem
    if done.returncode:
        raise Unavailable(_first_line(f"{done.stderr}\n{done.stdout}".splitlines()))
    return done.stdout


def _first_line(lines: Sequence[str]) -> str:
    return next((line.strip() for line in lines if line.strip()), "It failed without a word.")
