"""Test that hostile XML is refused early, and that good XML is read."""

import subprocess
import sys

import pytest

from almanac.families.calendar.providers.caldav.bounded_xml import parse_xml
from almanac.families.calendar.providers.caldav.dav_xml import read_multistatus
from almanac.kernel.errors import Unavailable

GOOD = '<D:multistatus xmlns:D="DAV:"><D:response><D:href>/a</D:href></D:response></D:multistatus>'
DOCTYPE = '<!DOCTYPE a [<!ENTITY b "bbbbbbbbbb">]><a>&b;</a>'


@pytest.mark.parametrize("before", ["", "\ufeff", '<?xml version="1.0"?>', '<?xml version="1.0" encoding="UTF-8"?>'])
def test_utf_8_is_read(before: str) -> None:
    (resource,) = read_multistatus((before + GOOD).encode(), "https://a.example/", "Example").resources
    assert resource.href == "https://a.example/a"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "cp037"])
@pytest.mark.parametrize("text", [GOOD, DOCTYPE])
@pytest.mark.parametrize("declared", [True, False])
def test_other_encodings_are_refused(encoding: str, text: str, declared: bool) -> None:
    before = f'<?xml version="1.0" encoding="{encoding}"?>' if declared else ""
    body = (before + text).encode(encoding)
    assert parse_xml(body) is None


@pytest.mark.parametrize("encoding", ["ISO-8859-1", "windows-1252", "utf-16", "x-mac", "UTF-7"])
def test_what_is_declared_to_be_another_encoding_is_refused_whatever_its_bytes(encoding: str) -> None:
    assert parse_xml(f'<?xml version="1.0" encoding="{encoding}"?>{GOOD}'.encode()) is None


@pytest.mark.parametrize(
    "text",
    [
        DOCTYPE,
        "<!DOCTYPE a><a/>",
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/a.dtd"><a/>',
        '\n\n<?xml-stylesheet href="a"?><!DOCTYPE a><a/>',
        "<a>&unknown;</a>",
        "",
        "<a>",
        "no xml",
        "<a/><b/>",
    ],
)
def test_document_types_entities_and_what_is_no_xml_are_refused(text: str) -> None:
    assert parse_xml(text.encode()) is None


def test_texts_are_whole_whatever_they_hold() -> None:
    root = parse_xml("<a> <b>1 &lt; 2\r\n<![CDATA[<x>]]> \u00e4</b><c/></a>".encode())
    assert root is not None
    assert [child.text for child in root] == ["1 < 2\n<x> \u00e4", None]


HOSTILE = {
    "deep": lambda: b"<a>" * 5_000_000,
    "many": lambda: b"<a>" + b"<b/>" * 6_000_000 + b"</a>",
    "names": lambda: b"<a>" + b"".join(b"<b%d/>" % number for number in range(2_000_000)) + b"</a>",
    "attributes": lambda: b"<a " + b" ".join(b'b%d=""' % number for number in range(2_000_000)) + b"/>",
    "prefixes": lambda: b"<a>" + b"".join(b'<b xmlns:c%d="d"/>' % number for number in range(1_000_000)) + b"</a>",
    "endless tag": lambda: b"<a " + b" " * 30_000_000,
    "endless name": lambda: b"<" + b"a" * 30_000_000,
    "endless comment": lambda: b"<a><!--" + b"x" * 30_000_000,
    "utf-16": lambda: ("<a>" + "<b/>" * 4_000_000).encode("utf-16"),
}
MEASURED = """\
import resource, sys
from tests.unit.families.calendar.transport.test_bounded_xml import HOSTILE
from almanac.families.calendar.providers.caldav.bounded_xml import parse_xml
body = HOSTILE[sys.argv[1]]()
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
assert parse_xml(body) is None
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.parametrize("kind", ["deep", "names", "attributes", "endless tag"])
def test_hostile_xml_costs_little_memory(kind: str) -> None:
    answer = subprocess.run(
        [sys.executable, "-c", MEASURED, kind], capture_output=True, text=True, check=False, timeout=60
    )
    assert answer.returncode == 0, answer.stderr
    assert int(answer.stdout) < 64


@pytest.mark.slow
@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_xml_is_refused_without_reading_it_all(kind: str) -> None:
    with pytest.raises(Unavailable):
        read_multistatus(HOSTILE[kind](), "https://a.example/", "Example")


def test_a_calendar_of_twenty_thousand_events_is_no_hostile_one() -> None:
    one = (
        '<D:response><D:href>/work/{0}.ics</D:href><D:propstat><D:prop><D:getetag>"{0}"</D:getetag></D:prop>'
        "<D:status>HTTP/1.1 200 OK</D:status></D:propstat></D:response>"
    )
    listed = "".join(one.format(number) for number in range(20_000))
    body = f'<D:multistatus xmlns:D="DAV:">{listed}</D:multistatus>'.encode()
    assert len(read_multistatus(body, "https://a.example/", "Example").resources) == 20_000
