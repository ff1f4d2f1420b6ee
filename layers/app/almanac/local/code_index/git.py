"""Reader of a working tree's git files, which finds its repository and commit without running git.

https://git-scm.com/docs/gitrepository-layout
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct

GIT = ".git"
_MOST = 4 * 1024 * 1024
_COMMIT = re.compile(r"[0-9a-f]{40}(?:[0-9a-f]{24})?")
_SECTION = re.compile(r'\s*\[\s*remote\s+"((?:[^"\\]|\\.)*)"\s*\]\s*(?:[#;].*)?')
_PLAIN_SECTION = re.compile(r"\s*\[\s*([A-Za-z0-9.-]+)\s*\]")
_URL = re.compile(r"\s*url\s*=\s*(.*?)\s*", re.IGNORECASE)
_SCP = re.compile(r"(?:[^/@\s]+@)?([^/:\s]+):(?!//)(.+)")
_OTHER = re.compile(r"[^A-Za-z0-9._/@:-]+")
_MOST_LINKS = 5
_NAME = 100


class GitUser(Struct, frozen=True):
    """Folders with a user's git files: `home`, and git's folder below the configuration folder."""

    home: Path
    config: Path

    @staticmethod
    def of(home: Path, environment: Mapping[str, str]) -> "GitUser":
        config_home = environment.get("XDG_CONFIG_HOME", "")
        return GitUser(home, (Path(config_home) if config_home else home / ".config") / "git")


class Checkout(Struct, frozen=True):
    """The git folders of a working tree. `folder` is its own, and `shared` is that of all working trees of the
    repository. They differ only for linked working trees."""

    folder: Path
    shared: Path

    @property
    def commit(self) -> str | None:
        """Return the commit of HEAD, or None before the first commit and if it cannot be read."""
        head = _text(self.folder / "HEAD").strip()
        for _ in range(_MOST_LINKS):
            if not head.startswith("ref:"):
                break
            head = self._ref(head.removeprefix("ref:").strip())
        return head if _COMMIT.fullmatch(head) else None

    @property
    def remote(self) -> str | None:
        """Return the address of origin, or of the only other remote, or None."""
        remotes = dict(_remotes(_text(self.shared / "config")))
        if "origin" in remotes or len(remotes) != 1:
            return remotes.get("origin")
        return next(iter(remotes.values()))

    @property
    def exclude_file(self) -> Path:
        """Return the repository's own file of ignore patterns, in the format of .gitignore."""
        return self.shared / "info" / "exclude"

    def global_exclude_file(self, user: "GitUser") -> Path:
        """Return the user's file of ignore patterns for all repositories.

        That is `core.excludesFile` of the nearest configuration, else git's default."""
        configs = (self.shared / "config", user.home / ".gitconfig", user.config / "config")
        configured = next(
            (found for file in configs if (found := _config_value(_text(file), "core", "excludesfile"))), None
        )
        if configured is None:
            return user.config / "ignore"
        return user.home / configured[2:] if configured.startswith("~/") else Path(configured)

    def _ref(self, name: str) -> str:
        if not name.startswith("refs/") or ".." in name.split("/"):
            return ""
        for folder in (self.folder, self.shared):
            if found := _text(folder / name).strip():
                return found
        packed = (line.split(" ", 1) for line in _text(self.shared / "packed-refs").splitlines())
        return next((line[0] for line in packed if line[1:] == [name]), "")


def checkout_of(tree: Path) -> Checkout | None:
    """Return the checkout whose top folder is `tree`, or None if it is no checkout."""
    folder = tree / GIT
    if folder.is_file():
        git_file = _text(folder)
        if not git_file.startswith("gitdir:"):
            return None
        folder = tree / git_file.removeprefix("gitdir:").strip()
    if not (folder / "HEAD").is_file():
        return None
    common = _text(folder / "commondir").strip()
    return Checkout(folder, folder / common if common else folder)


def is_linked(tree: Path) -> bool:
    """Return whether another repository has its working tree here. Submodules are part of this repository and do not
    count."""
    link = tree / GIT
    return link.is_dir() or (link.is_file() and "/modules/" not in _text(link).replace("\\", "/"))


def repository_name(address: str | None, folder: str) -> str:
    """Return a name for a repository. It is the path of its address, such as `acme/web` of
    `git@github.com:acme/web.git`, or the name of its folder."""
    path = _path_of(address or "").strip("/").removesuffix(".git").strip("/")
    name = path or folder
    return _OTHER.sub("-", name).strip("-./@:_")[-_NAME:].lstrip("-./@:_") or "repository"


def public_address(address: str | None) -> str | None:
    """Return the address without a possible password, or None for a folder on this machine."""
    if address is None:
        return None
    if "://" not in address:
        found = _SCP.fullmatch(address)
        return address if found and len(found[1]) > 1 else None
    try:
        parts = urlsplit(address)
    except ValueError:
        return None
    if parts.scheme == "file":
        return None
    return parts._replace(netloc=parts.netloc.rpartition("@")[2], query="", fragment="").geturl()


def _path_of(address: str) -> str:
    if "://" in address:
        try:
            parts = urlsplit(address)
        except ValueError:
            return ""
        return Path(parts.path).name if parts.scheme == "file" else parts.path
    found = _SCP.fullmatch(address)
    # A single letter before a colon is a drive of Windows.
    return found[2] if found and len(found[1]) > 1 else Path(address).name


def _remotes(config: str) -> Iterator[tuple[str, str]]:
    remote: str | None = None
    for line in config.splitlines():
        if line.lstrip().startswith("["):
            section = _SECTION.fullmatch(line)
            remote = section[1] if section else None
        elif remote is not None and (url := _URL.fullmatch(line)):
            yield remote, url[1].strip('"')


def _config_value(config: str, section: str, name: str) -> str | None:
    """Return the last value of a setting in a section without a subsection, or None. "" is a value."""
    inside, value = False, None
    for line in config.splitlines():
        heading = _PLAIN_SECTION.match(line)
        if heading or line.lstrip().startswith("["):
            inside = heading is not None and heading[1].lower() == section
        key, equals, raw_value = line[heading.end() if heading else 0 :].partition("=")
        if inside and equals and key.strip().lower() == name:
            value = raw_value.strip().strip('"')
    return value


def _text(file: Path) -> str:
    """Return the file's text, up to 4 MB, or "" if it cannot be read."""
    try:
        with file.open("rb") as source:
            return source.read(_MOST).decode("utf-8", "replace")
    except OSError:
        return ""
