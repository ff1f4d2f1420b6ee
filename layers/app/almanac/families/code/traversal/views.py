"""Views of a traversal. Foreign names and lines are quoted as data, and lists are bounded."""

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import islice

from almanac.families.code.core.code import CodeProject
from almanac.families.code.core.codec import unpack
from almanac.families.code.core.records import TEXTS
from almanac.families.code.indexer.states import state_of
from almanac.families.code.traversal.names import MODULE
from almanac.families.code.traversal.results import (
    Ambiguity,
    Candidate,
    GraphEdge,
    GraphNode,
    HubRow,
    Traversal,
    UnresolvedName,
    Use,
)
from almanac.families.code.traversal.walker import TraversalResult
from almanac.families.team.core.quoted_texts import TextQuoter
from codegraph import Edge, Symbol

MOST_EDGES = 600
MOST_LISTED = 50
MOST_CANDIDATES = 20
SNIPPETS = 100
SNIPPET_CHARACTERS = 200
FILES_READ = 40
_AT_ONCE = 8


def traversal_view(project: CodeProject, result: TraversalResult) -> Traversal:
    """Return the view of a traversal."""
    return _TraversalView(project, result).traversal()


class _TraversalView:
    def __init__(self, project: CodeProject, traversed: TraversalResult) -> None:
        self._project = project
        self._traversed = traversed
        self._quoting = TextQuoter()
        self._names: dict[str, str] = {}

    def traversal(self) -> Traversal:
        walked, starts = self._traversed.walked, self._traversed.starts
        edges = sorted(walked.edges, key=lambda edge: (not edge.resolved, edge.path, edge.line, edge.src, edge.dst))
        leaves = [edge for edge in edges if not edge.resolved]
        some = edges[:MOST_EDGES]
        possible = self._traversed.possible
        candidates = starts.candidates[:MOST_CANDIDATES]
        self._clean(some, [*leaves, *possible], candidates)
        cut = list(self._traversed.cut)
        if len(edges) > MOST_EDGES:
            cut.append(f"{len(edges) - MOST_EDGES} of {len(edges)} edges are not listed: those that lead nowhere last.")
        nodes = self._nodes(cut)
        return Traversal(
            repo_id=self._traversed.repository.repo_id,
            answer=self._answer(),
            start=tuple(map(self._name, starts.names)),
            nodes=nodes,
            edges=tuple(map(self._edge, some)),
            unresolved=self._unresolved_names(leaves, cut),
            ambiguous=tuple(self._ambiguity(edge) for edge in leaves if edge.candidates)[:MOST_LISTED],
            hubs=tuple(HubRow(self._name(each.name), each.direction, each.edges) for each in walked.hubs[:MOST_LISTED]),
            possible_users=tuple(map(self._use, possible[:MOST_LISTED])),
            possible=len(possible),
            candidates=tuple(Candidate(self._name(each.name), each.kind, each.path, each.line) for each in candidates),
            cut=tuple(cut),
            repositories=(state_of(self._traversed.repository, self._project.now()),),
            notes=self._quoting.notes,
        )

    def _clean(self, edges: Iterable[Edge], leaves: Iterable[Edge], candidates: Iterable[Symbol]) -> None:
        """Clean all names together, as a reader of the answer sees them."""
        walked = self._traversed.walked
        names = dict.fromkeys(node.name for node in walked.nodes)
        names |= dict.fromkeys(each.name for each in walked.hubs[:MOST_LISTED])
        names |= dict.fromkeys(self._traversed.starts.names)
        names |= dict.fromkeys(each.name for each in candidates)
        for edge in (*edges, *islice(leaves, 4 * MOST_EDGES)):
            names |= dict.fromkeys((edge.src, edge.dst, *edge.candidates))
        self._names = dict(zip(names, self._quoting.json("names", list(names)), strict=True))

    def _name(self, name: str) -> str:
        return self._names[name] if name in self._names else self._quoting.text("name", name)

    def _nodes(self, cut: list[str]) -> tuple[GraphNode, ...]:
        nodes, places = self._traversed.walked.nodes, self._traversed.places
        wanted = [place for node in nodes if (place := places.get(node.name)) and place.kind != MODULE]
        lines = self._lines(wanted[:SNIPPETS], cut)
        if len(wanted) > SNIPPETS:
            cut.append(f"Only the first {SNIPPETS} nodes have a snippet.")
        cleaned = dict(zip(lines, self._quoting.json("snippets", list(lines.values())), strict=True))
        return tuple(
            GraphNode(
                name=self._name(node.name),
                distance=node.distance,
                confidence=round(node.confidence, 3),
                kind=place.kind if place else None,
                path=place.path if place else None,
                line=place.line if place else None,
                snippet=cleaned.get(node.name),
            )
            for node in nodes
            for place in (places.get(node.name),)
        )

    def _lines(self, places: Sequence[Symbol], cut: list[str]) -> dict[str, str]:
        """Return the line of each definition, by name."""
        files = self._traversed.reading.names.files
        paths = [path for path in dict.fromkeys(each.path for each in places) if path in files]
        if len(paths) > FILES_READ:
            cut.append(f"Only nodes of {FILES_READ} files have a snippet.")
        found: dict[str, str] = {}
        for start in range(0, min(len(paths), FILES_READ), _AT_ONCE):
            some = paths[start : min(start + _AT_ONCE, FILES_READ)]
            stored = self._project.rows(TEXTS).by_id([files[path].id for path in some])
            for path in some:
                text = stored.get(files[path].id)
                if text is not None:
                    lines = unpack(text.content, str).split("\n")
                    found |= {
                        each.name: lines[each.line - 1].strip()[:SNIPPET_CHARACTERS]
                        for each in places
                        if each.path == path and each.line <= len(lines)
                    }
        return found

    def _edge(self, edge: Edge) -> GraphEdge:
        return GraphEdge(
            src=self._name(edge.src),
            dst=self._name(edge.dst),
            kind=edge.kind,
            how=edge.how,
            confidence=edge.confidence,
            resolved=edge.resolved,
            path=edge.path,
            line=edge.line,
            candidates=tuple(map(self._name, edge.candidates)),
        )

    def _unresolved_names(self, leaves: Sequence[Edge], cut: list[str]) -> tuple[UnresolvedName, ...]:
        counts = Counter[tuple[str, Edge.Kind, bool]]()
        for edge in leaves:
            if not edge.candidates:
                counts[edge.dst, edge.kind, edge.how != "unresolved"] += 1
        if len(counts) > MOST_LISTED:
            cut.append(f"{len(counts) - MOST_LISTED} more names are not resolved.")
        listed = sorted(counts.items(), key=lambda each: (-each[1], each[0]))[:MOST_LISTED]
        return tuple(
            UnresolvedName(self._name(name), kind, count, outside=outside) for (name, kind, outside), count in listed
        )

    def _ambiguity(self, edge: Edge) -> Ambiguity:
        return Ambiguity(
            self._name(edge.dst), edge.kind, self._name(edge.src), edge.path, edge.line,
            tuple(map(self._name, edge.candidates)),
        )  # fmt: skip

    def _use(self, edge: Edge) -> Use:
        return Use(self._name(edge.src), self._name(edge.dst), edge.kind, edge.path, edge.line)

    def _answer(self) -> str:
        starts = self._traversed.starts
        if starts.candidates:
            more = f" {starts.unread} more files define the last part of it." if starts.unread else ""
            return f"{len(starts.candidates)} definitions are called so: write one of the names in candidates.{more}"
        resolved = [edge for edge in self._traversed.walked.edges if edge.resolved]
        said = [f"{len(self._traversed.walked.nodes)} nodes, {len(resolved)} resolved edges."]
        said += self._users(resolved)
        return " ".join(said)

    def _users(self, resolved: Sequence[Edge]) -> Iterable[str]:
        """Yield sentences about users. The answer distinguishes between no known users and unresolved users."""
        if self._traversed.direction == "out":
            return
        names = frozenset(self._traversed.starts.names)
        from_outside = [edge for edge in resolved if edge.dst in names and edge.src not in names]
        count = len(self._traversed.possible)
        word = "callers" if self._traversed.kinds == frozenset({"calls"}) else "users"
        if not from_outside:
            yield f"No {word} are known."
        if count:
            yield f"{count} use{'s' * (count > 1)} could not be resolved and may be {word}: see possible_users."
        elif not from_outside and self._traversed.cut:
            yield "Not everything was looked at: see cut."
        elif not from_outside:
            yield "Nothing unresolved in the index has that name."
