"""Tools to index, list and remove files of repositories."""

from typing import Annotated, Any

from msgspec import Meta

from almanac.families.code.core.code import CodeProject
from almanac.families.code.indexer.file_validation import MAX_FILES, CodeFileInput, RepoId
from almanac.families.code.indexer.operations import IndexRequest, index, remove
from almanac.families.code.indexer.pages import FileFilter, page_of
from almanac.families.code.indexer.precise import PreciseIndex
from almanac.families.code.indexer.preparation import Preparation
from almanac.families.code.indexer.states import states
from almanac.families.code.tools.file_results import Files, IndexReply, RemovalReply, file_row, index_view
from almanac.protocol.tool import Effect, Entries, tool

_FILES = Meta(
    description="New or changed files with whole texts, 4 MB together.",
    max_length=MAX_FILES,
    examples=[[{"path": "src/auth.py", "content": "def login(user):\n    return user\n"}]],
)
_REMOVED = Meta(description="Deleted paths.", max_length=MAX_FILES, examples=[["src/old.py"]])


@tool(title="Index files of a repository", effect=Effect.SETS)
def index_files(
    repo_id: RepoId,
    files: Annotated[list[Any], _FILES, Entries(CodeFileInput)] | None = None,
    removed: Annotated[list[str], _REMOVED] | None = None,
    commit: Annotated[str, Meta(description="Commit of the files.", min_length=1, max_length=100)] | None = None,
    complete: Annotated[bool, Meta(description="These complete the index of that commit.")] = False,
    url: Annotated[str, Meta(description="Where the repository is.", max_length=300)] | None = None,
    precise: Annotated[PreciseIndex, Meta(description="Index of these files by a compiler: {scip: base64}.")]
    | None = None,
    *,
    code: CodeProject,
    prepare: Preparation,
) -> IndexReply:
    """Index source files of a repository: upload, load or refresh code, so that code search finds it. For a whole
    working tree the command `almanac code index DIR` is faster.
    """
    wanted = IndexRequest(
        repo_id=repo_id,
        files=files or (),
        removed=removed or (),
        commit=commit,
        url=url,
        complete=complete,
        precise=precise,
    )
    return index_view(code, repo_id, index(code, wanted, prepare), complete=complete)


@tool(title="List indexed files", effect=Effect.READS, aliases=["list_code_files", "list_repo_files"])
def list_files(
    repo_id: Annotated[str, Meta(description="Only this repository.", max_length=100)] | None = None,
    lang: Annotated[str, Meta(description="Only this language, e.g. python.", max_length=40)] | None = None,
    path_prefix: Annotated[str, Meta(description="Only paths that begin so, e.g. src/.", max_length=500)] | None = None,
    modified_since: Annotated[int, Meta(description="Only those indexed since, ms since 1970.", ge=0)] | None = None,
    limit: Annotated[int, Meta(description="Maximum number.", ge=1, le=500)] = 100,
    cursor: Annotated[str, Meta(description="The last next_cursor.", max_length=4000)] | None = None,
    *,
    code: CodeProject,
) -> Files:
    """Show which source files are in the code index, by repository, folder or language such as Go, and which
    repositories were uploaded, with commit, age and failures: how fresh the index is. To search their text use
    search_code.
    """
    wanted = FileFilter(repo_id=repo_id, language=lang, prefix=path_prefix or "", since=modified_since)
    cursors = code.cursors
    query = ("files", repo_id, lang, path_prefix, None if modified_since is None else str(modified_since))
    after = cursors.start_of(query, cursor, "")
    found, following = page_of(code, wanted, limit=limit, after=after)
    return Files(
        files=tuple(map(file_row, found)),
        truncated=following is not None,
        next_cursor=cursors.seal(query, following),
        repositories=states(code, repo_id),
    )


@tool(title="Remove a repository", effect=Effect.REMOVES)
def remove_repository(
    repo_id: Annotated[str, Meta(description="Id from list_files.", max_length=100, examples=["acme/web"])],
    *,
    code: CodeProject,
) -> RemovalReply:
    """Remove, delete or forget a whole repository or old codebase in the code index; the repository itself stays. To
    drop single files use index_files.
    """
    count, more = remove(code, repo_id)
    return RemovalReply(True, repo_id, count, more)
