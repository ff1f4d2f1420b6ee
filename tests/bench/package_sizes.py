"""What the built layers and functions weigh, against Lambda's limits."""

import zipfile
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryFile

import page

UNZIPPED, ZIPPED = 250, 50
"""What Lambda takes of a function with its layers unzipped, and of one archive in an upload; MB."""

MOST = 150
"""MB that a function with all layers may have unzipped, which tests/e2e/test_layers.py holds too."""

LAYERS = {
    "AppLayer": "layer of the `almanac` package",
    "VendorLayer": "layer of third-party packages",
    "EmbedderLayer": "layer of functions that embed: numpy and the table of vectors",
    "ModelLayer": "layer of functions that read with the model: its weights",
    "GrammarsLayer": "layer of functions that read code: the code graph, tree-sitter and its grammars",
}
_OF_NUMBERS = {LAYERS["EmbedderLayer"], LAYERS["ModelLayer"]}
_HEAVIEST = 6


@dataclass(frozen=True)
class Weights:
    """MB unzipped and zipped, by what it is; and the unzipped MB of third-party packages, the heaviest first."""

    archives: dict[str, tuple[float, float]]
    packages: list[tuple[float, str]]

    @property
    def whole(self) -> float:
        """Of a function with all layers, unzipped."""
        return sum(unzipped for unzipped, _ in self.archives.values())

    @property
    def largest_archive(self) -> float:
        """Zipped, but for the embedder's two layers, which hardly shrink.

        Uploads by S3, as `sam deploy` does it, have no limit but the unzipped one.
        """
        return max(zipped for title, (_, zipped) in self.archives.items() if title not in _OF_NUMBERS)


def measure(build: Path) -> Weights:
    """Of what `sam build` made."""
    archives = {title: _weigh(build / name) for name, title in LAYERS.items()}
    archives["a function alone, the largest"] = max(map(_weigh, build.glob("*Function")))
    packages = [path for path in (build / "VendorLayer/python").iterdir() if path.is_dir()]
    return Weights(archives, sorted(((_unzipped_megabytes(path), path.name) for path in packages), reverse=True))


def table(weights: Weights) -> page.Table:
    heaviest = ", ".join(f"{name} {size:.1f}" for size, name in weights.packages[:_HEAVIEST])
    rows = [[title, f"{unzipped:.3f}", f"{zipped:.3f}"] for title, (unzipped, zipped) in weights.archives.items()]
    rows.append(["a function with its layers", f"{weights.whole:.3f}", ""])
    rows.append(["Lambda's limit: a function with its layers; an archive in an upload", str(UNZIPPED), str(ZIPPED)])
    return page.Table(
        "Packages",
        f"MB, with bytecode. The heaviest third-party packages, unzipped: {heaviest}. Of botocore's models of AWS "
        "services, the build keeps those that the functions call, without documentation.",
        ["", "unzipped", "zipped"],
        rows,
    )


def _unzipped_megabytes(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def _weigh(folder: Path) -> tuple[float, float]:
    """Zipped as `sam deploy` zips."""
    with TemporaryFile() as file:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            for path in sorted(folder.rglob("*")):
                archive.write(path, path.relative_to(folder))
        return _unzipped_megabytes(folder), file.tell() / 1e6
