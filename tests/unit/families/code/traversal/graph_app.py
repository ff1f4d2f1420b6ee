"""A project that indexes texts and follows their graph, as an agent does it."""

from collections.abc import Mapping
from typing import Any

from tests.unit.families.code.repository import Repository

REPO = "acme/web"
Json = dict[str, Any]


class GraphApp:
    def __init__(self, repository: Repository) -> None:
        self.app = repository.app

    def index(self, files: Mapping[str, str], repo_id: str = REPO, **more: Any) -> Json:
        given = [{"path": path, "content": content} for path, content in files.items()]
        return self.app.do("index_files", caller=None, repo_id=repo_id, files=given, **more)

    def traverse(self, **arguments: Any) -> Json:
        return self.app.do("traverse_code", caller=None, **({"repo_id": REPO} | arguments))

    def refusal(self, **arguments: Any) -> str:
        return self.app.refusal("traverse_code", caller=None, **({"repo_id": REPO} | arguments))

    def callers(self, symbol: str, **more: Any) -> set[str]:
        answer = self.traverse(symbol=symbol, direction="in", edge_kinds=["calls"], **more)
        return {edge["src"] for edge in answer["edges"] if edge["resolved"]}

    def calls(self, **start: Any) -> set[tuple[str, str]]:
        answer = self.traverse(direction="out", edge_kinds=["calls"], **start)
        return {(edge["src"], edge["dst"]) for edge in answer["edges"] if edge["resolved"]}
