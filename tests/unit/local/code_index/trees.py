"""Working trees in folders, and a server of their index in memory."""

import hashlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from almanac.local.client.tool_calls import Answer, Failed

Json = dict[str, Any]
COMMIT = "1f" * 20


def files(root: Path, texts: dict[str, str | bytes]) -> Path:
    root.mkdir(parents=True, exist_ok=True)
    for path, text in texts.items():
        place = root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode() if isinstance(text, str) else text)
    return root


def checkout(root: Path, url: str = "git@github.com:acme/web.git", commit: str = COMMIT) -> Path:
    config = f'[core]\n\tbare = false\n[remote "origin"]\n\turl = {url}\n\tfetch = +refs/heads/*\n'
    said: dict[str, str | bytes] = {
        ".git/config": config,
        ".git/HEAD": "ref: refs/heads/main\n",
        ".git/refs/heads/main": f"{commit}\n",
    }
    return files(root, said)


class MemoryIndex:
    """Answers as the tools of a server do; `before` may raise Failed or give an answer of its own instead.

    `slow`: so many files it takes at once; the others it leaves.
    """

    def __init__(self, slow: int = 1000) -> None:
        self.texts: dict[str, str] = {}
        self.outdated: set[str] = set()
        self.commit: str | None = None
        self.url: str | None = None
        self.complete = 0
        self.refuses: set[str] = set()
        self.calls: list[tuple[str, Json]] = []
        self.before: Callable[[str, Json], Answer | None] = lambda _tool, _arguments: None
        self._slow = slow

    def call(self, tool: str, arguments: Json) -> Answer:
        self.calls.append((tool, arguments))
        answer = self.before(tool, arguments)
        if answer is not None:
            return answer
        return Answer("", getattr(self, tool)(**arguments), is_error=False)

    def list_files(self, repo_id: str, limit: int, cursor: str | None = None) -> Json:
        rows: list[Json] = [{"path": path, "sha256": digest_of(text)} for path, text in sorted(self.texts.items())]
        for row in rows:
            if row["path"] in self.outdated:
                row["outdated"] = True
        start = int(cursor or 0)
        more = start + limit < len(rows)
        return {
            "files": rows[start : start + limit],
            "next_cursor": str(start + limit) if more else None,
            "repositories": [],
        }

    def index_files(
        self,
        repo_id: str,
        files: list[Json],
        removed: list[str],
        complete: bool,
        commit: str | None = None,
        url: str | None = None,
    ) -> Json:
        taken = [file for file in files if file["path"] not in self.refuses]
        refused = [
            {"path": file["path"], "code": "invalid_input", "message": "It is odd.", "hint": ""}
            for file in files
            if file["path"] in self.refuses
        ]
        left = [file["path"] for file in taken[self._slow :]]
        self.texts |= {file["path"]: file["content"] for file in taken[: self._slow]}
        gone = sum(self.texts.pop(path, None) is not None for path in removed)
        whole = complete and not left and not refused
        if whole:
            self.complete, self.commit, self.url = self.complete + 1, commit, url
        counts = {"indexed": len(taken) - len(left), "unchanged": 0, "removed": gone}
        return {**counts, "refused": refused, "left": left, "complete": whole}

    def sent_paths(self) -> list[list[str]]:
        """The paths of each call that brought or removed something, or completed."""
        return [[file["path"] for file in said["files"]] for tool, said in self.calls if tool == "index_files"]


def digest_of(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def away() -> Failed:
    return Failed("No server answers.", 2, passing=True)
