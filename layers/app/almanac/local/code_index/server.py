"""Client of a server's code index, which calls its tools and waits out temporary refusals."""

from collections.abc import Callable, Iterator, Sequence

from almanac.local.client.patient_calls import Calls, Json, PatientCalls

PAGE = 500


class IndexServer:
    """The index of one repository. `pause` and `tell` are those of PatientCalls."""

    def __init__(
        self,
        calls: Calls,
        repo_id: str,
        *,
        pause: Callable[[float], None],
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.repo_id = repo_id
        self._ask = PatientCalls(calls, pause=pause, tell=tell).ask

    def hashes(self, repo_id: str) -> dict[str, str]:
        """Return the hash of each indexed file by its path. Raises ServerRefusal and Unavailable, like all methods."""
        return {row["path"]: row["sha256"] for row in self._files(repo_id)}

    def current(self) -> dict[str, str]:
        """Return the hashes of this repository's files, with "" for a file that another version analysed and that must
        be sent again."""
        return {row["path"]: "" if row.get("outdated") else row["sha256"] for row in self._files(self.repo_id)}

    def addresses(self) -> dict[str, str | None]:
        """Return the indexed repositories, each with its address if that is known."""
        return {each["repo_id"]: each.get("url") or None for each in self.state()}

    def _files(self, repo_id: str) -> Iterator[Json]:
        cursor: str | None = None
        while True:
            arguments: Json = {"repo_id": repo_id, "limit": PAGE}
            page = self._ask("list_files", arguments | ({"cursor": cursor} if cursor else {}))
            yield from page["files"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def state(self, repo_id: str | None = None) -> Sequence[Json]:
        """Return the index status of one repository, or of all."""
        arguments: Json = {"limit": 1}
        return self._ask("list_files", arguments | ({"repo_id": repo_id} if repo_id else {}))["repositories"]

    def index(
        self, files: Sequence[Json], removed: Sequence[str], commit: str | None, url: str | None, *, complete: bool
    ) -> Json:
        """Return the answer of index_files."""
        arguments: Json = {"repo_id": self.repo_id, "files": list(files), "removed": list(removed)}
        details = {name: value for name, value in (("commit", commit), ("url", url)) if value}
        return self._ask("index_files", arguments | details | {"complete": complete})

    def remove(self) -> int:
        """Remove the repository and return the number of files. Raises NotFound if it is not indexed."""
        count = 0
        while True:
            answer = self._ask("remove_repository", {"repo_id": self.repo_id})
            count += answer["removed"]
            if not answer["more"]:
                return count
