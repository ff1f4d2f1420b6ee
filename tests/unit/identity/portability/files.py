"""Notes, export files made line by line, and the refusals of their import."""

from io import BytesIO
from typing import Any

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import AlmanacError
from almanac.platform.portability.file import FileWriter
from almanac.platform.portability.lines import Header, Line
from almanac.platform.store.keys import Key, Partition, sort_key
from almanac.platform.store.port import Put
from tests.contract.installations import Installation

ACME = Scope("acme", "default")
NOTES = Partition.in_project(ACME, "notes")
HEADER = Header(format=1, tenant="acme", name="acme", created_at=1, exported_at=2)


def note(number: int, **attributes: Any) -> Put:
    return Put(Key(NOTES, sort_key(number)), attributes or {"n": number})


def file_of(*lines: Line) -> bytes:
    file = BytesIO()
    writer = FileWriter(file)
    for line in lines:
        writer.write(line)
    writer.finish()
    return file.getvalue()


def refusal(installation: Installation, content: bytes, into: str | None = None) -> AlmanacError:
    with pytest.raises(AlmanacError) as refused:
        installation.restore(content, into)
    return refused.value
