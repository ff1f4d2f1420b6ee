"""Indexing of a working tree: walk it, compare it with the index, send the changes, and follow further edits."""

import time
from collections.abc import Callable
from pathlib import Path

from almanac.composition.commands.code_index import check_repo_id
from almanac.kernel.errors import AlmanacError, InvalidInput, Unavailable
from almanac.local.code_index.git import GitUser, checkout_of, public_address, repository_name
from almanac.local.code_index.identities import Folder, Identities, Index
from almanac.local.code_index.server import IndexServer
from almanac.local.code_index.tree_walk import FileInventory, Tree
from almanac.local.code_index.tree_watch import Change, TreeFollower, follow
from almanac.local.code_index.upload import Plan, Report, TreeUpload, compare_with_index, tree_plan

Progress = Callable[[int], None]


class TreeIndexer:
    """Indexes one working tree by `look`, `compare`, `send` and perhaps `follow`. `report` has the progress.

    `repo` is the repository's name. By default that is the name of its remote, else of its folder, which `identities`
    distinguish from others of that name. Raises InvalidInput for an invalid name, and if the folder is only a part of a
    checkout, since it would replace the index of the whole.
    """

    def __init__(
        self,
        folder: Path,
        server: IndexServer,
        repo: str | None,
        user: GitUser | None = None,
        identities: Identities | None = None,
    ) -> None:
        root = folder.resolve()
        checkout = checkout_of(root)
        if repo is None and checkout is None and (around := _checkout_around(root)) is not None:
            raise InvalidInput(
                f"{root} lies inside the working tree {around}.",
                "Index that one, or say with --repo what this part is called.",
            )
        remote = checkout.remote if checkout else None
        name = check_repo_id(repo if repo is not None else repository_name(remote, root.name))
        self.report = Report(name, checkout.commit if checkout else None)
        self._tree = Tree(root, user)
        self._server = server
        server.repo_id = name
        self._url = public_address(remote)
        # A remote on this machine identifies no more than the name of a folder does.
        self._identities = identities if repo is None and self._url is None else None
        self._folder = Folder.of(root)
        self._found = FileInventory()
        self._plan = Plan({}, [], [], self._found.left_out, [])
        self._hashes: dict[str, str] = {}

    def look(self) -> int:
        """Walk the tree and return the number of files to read."""
        self._found = self._tree.walk()
        return len(self._found.files)

    def compare(self, progress: Progress) -> int:
        """Compare the tree with the index and return the number of files to send or to remove."""
        report, root = self.report, self._tree.root
        plan = tree_plan(root, self._found, progress)
        if self._identities is not None:
            index = Index(self._server.addresses, self._server.hashes)
            report.repo_id = self._identities.repo_id(self._folder, report.repo_id, plan.hashes, index)
            self._server.repo_id = report.repo_id
        indexed = self._server.current()
        self._plan = compare_with_index(root, plan, indexed)
        report.files = len(plan.hashes)
        report.changed, report.removed = len(plan.changed), len(plan.removed)
        report.unchanged = len(plan.hashes) - len(plan.changed)
        report.left_out = dict(plan.left_out)
        for path in plan.unreadable:
            report.note(f"{path or self._tree.root}: It cannot be read.")
        removed_paths = set(plan.removed)
        self._hashes = {path: digest for path, digest in indexed.items() if path not in removed_paths}
        return len(plan.changed) + len(plan.removed)

    def send(self, progress: Progress) -> None:
        self.report.removed = 0
        if self._identities is not None:
            # Record it before anything is sent, so that an interrupted run continues with the same repository.
            try:
                self._identities.keep(self._folder, self.report.repo_id)
            except InvalidInput as problem:
                # The next run will find the repository by the index.
                self.report.note(str(problem))
        sending = self._new_upload(self.report, progress)
        self._hashes |= sending.send(self._plan.changed, self._plan.removed)

    def follow(
        self,
        tell: Callable[[Change], None],
        problem: Callable[[AlmanacError], None],
        pause: Callable[[float], None] = time.sleep,
    ) -> None:
        """Send further edits until interrupted. `tell` receives each change that was sent. `problem` receives an outage
        of the server, which this waits out.

        Raises the server's permanent refusals.
        """
        # Use a new report, because that of the first indexing has been shown already.
        sending = self._new_upload(Report(self.report.repo_id, self.report.commit), lambda _: None)
        following = TreeFollower(self._tree, sending, self._hashes, self._found.files)
        while True:
            try:
                follow(following, tell, pause)
            except Unavailable as away:
                problem(away)

    def _new_upload(self, report: Report, progress: Progress) -> TreeUpload:
        return TreeUpload(self._tree.root, self._server, report, url=self._url, progress=progress)


def _checkout_around(root: Path) -> Path | None:
    return next((folder for folder in root.parents if checkout_of(folder) is not None), None)
