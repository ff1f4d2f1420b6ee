"""Parts of files as search reads them from the store."""

from msgspec.structs import replace

from almanac.families.code.core.code import file_id
from almanac.families.code.core.documents import SOURCES
from almanac.families.code.core.records import TEXTS
from tests.unit.families.code.repository import Repository

[SOURCE] = SOURCES


def _ids(repository: Repository, after: str = "") -> list[str]:
    app = repository.app
    return [each.id for each in SOURCE.every(app.services, app.caller.scope, after)]


def test_all_parts_are_read_in_the_order_of_their_ids_from_any_of_them_on(repository: Repository) -> None:
    repository.index({f"{number}.py": "b first\na second\nc third\n" for number in range(20)})
    every = _ids(repository)
    assert (len(every), every) == (60, sorted(every))
    for place, name in enumerate(every):
        assert _ids(repository, name) == every[place + 1 :]


def test_a_text_of_another_version_than_its_file_is_left_to_the_write_that_is_under_way(repository: Repository) -> None:
    repository.index({"a.py": "first one"})
    [name] = _ids(repository)
    rows = repository.project.rows(TEXTS)
    text = rows.get(file_id("acme/web", "a.py"))
    assert text is not None
    repository.project.store.write([rows.put(replace(text, version=text.version + 1))])
    assert SOURCE.read(repository.app.services, repository.app.caller.scope, [name]) == []
