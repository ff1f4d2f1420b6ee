"""The index of code at a server, asked by its tools; what passes by itself is waited for."""

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Protocol

from almanac.kernel.errors import AlmanacError, NotFound, Unavailable
from almanac.local.client.calling import Answer, Failed

Json = dict[str, Any]
PAGE = 500
_PAUSES = (0.5, 2.0, 5.0, 10.0)
_LONGEST_PAUSE = 120.0


class Refused(AlmanacError):
    """The server does not do what it is asked, now or later."""


class Rejected(Refused):
    """A tool answered with an error: something is wrong with these arguments, or with what it does with them."""


class Calls(Protocol):
    def call(self, tool: str, arguments: Json) -> Answer: ...


class IndexServer:
    """The index of one repository.

    A call that a later one may replace is repeated after a pause, four times without any success; how long it waits
    for a limit that the server names is not counted. `pause` waits for seconds, `tell` is given a line for people.
    """

    def __init__(
        self,
        calls: Calls,
        repo_id: str,
        *,
        pause: Callable[[float], None],
        tell: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.repo_id = repo_id
        self._calls = calls
        self._pause = pause
        self._tell = tell

    def files(self) -> Iterator[tuple[str, str]]:
        """The path and the hash of each file that is indexed. Raises Refused and Unavailable, as all here."""
        cursor: str | None = None
        while True:
            wanted: Json = {"repo_id": self.repo_id, "limit": PAGE}
            page = self._ask("list_files", wanted | ({"cursor": cursor} if cursor else {}))
            for row in page["files"]:
                yield row["path"], row["sha256"]
            cursor = page["next_cursor"]
            if cursor is None:
                return

    def state(self, repo_id: str | None = None) -> Sequence[Json]:
        """What is indexed of one repository, or of all."""
        wanted: Json = {"limit": 1}
        return self._ask("list_files", wanted | ({"repo_id": repo_id} if repo_id else {}))["repositories"]

    def index(
        self, files: Sequence[Json], removed: Sequence[str], commit: str | None, url: str | None, *, complete: bool
    ) -> Json:
        """What index_files answers."""
        arguments: Json = {"repo_id": self.repo_id, "files": list(files), "removed": list(removed)}
        told = {name: value for name, value in (("commit", commit), ("url", url)) if value}
        return self._ask("index_files", arguments | told | {"complete": complete})

    def remove(self) -> int:
        """Take the whole repository out; how many files were taken. Raises NotFound where it is not indexed."""
        count = 0
        while True:
            answer = self._ask("remove_repository", {"repo_id": self.repo_id})
            count += answer["removed"]
            if not answer["more"]:
                return count

    def _ask(self, tool: str, arguments: Json) -> Json:
        failures = 0
        while True:
            problem = self._attempt(tool, arguments)
            if not isinstance(problem, Failed):
                return problem
            if not problem.passing:
                kind = Rejected if isinstance(problem, _ToolFailed) else Refused
                raise kind(str(problem)) from problem
            if problem.retry_after is None:
                if failures == len(_PAUSES):
                    hint = "When it is up again, the same command goes on from here."
                    raise Unavailable(str(problem), hint) from problem
                seconds = _PAUSES[failures]
                failures += 1
            else:
                seconds = min(max(problem.retry_after, _PAUSES[0]), _LONGEST_PAUSE)
            self._tell(f"{problem} Trying again in {seconds:g} s.")
            self._pause(seconds)

    def _attempt(self, tool: str, arguments: Json) -> Json | Failed:
        try:
            answer = self._calls.call(tool, arguments)
        except Failed as failed:
            return failed
        if not answer.is_error:
            return answer.structured
        if answer.text.startswith("not_found: "):
            raise NotFound(answer.text.removeprefix("not_found: "))
        return _ToolFailed(answer.text, 1, passing=answer.passing, retry_after=answer.retry_after)


class _ToolFailed(Failed):
    """The call did reach a tool."""
