"""Test the contract of blobs on every technology."""

import os
from pathlib import Path

import pytest

from almanac.kernel.caller import Scope
from almanac.kernel.errors import InvalidInput, Unavailable
from almanac.platform.blobs.folder import FolderBlobs
from almanac.platform.blobs.port import BlobName, Blobs, folder_of
from almanac.platform.blobs.s3 import S3Blobs
from almanac.platform.store.keys import Key, Partition, sort_key
from tests.contract.backends import REGION, s3_client


@pytest.fixture(params=["folder", "s3", "versioned"])
def blobs(request: pytest.FixtureRequest, tmp_path: Path, scope: Scope) -> Blobs:
    if request.param == "folder":
        return FolderBlobs(tmp_path / "blobs")
    client = s3_client(request.getfixturevalue("ministack_address"))
    client.create_bucket(Bucket=scope.tenant, CreateBucketConfiguration={"LocationConstraint": REGION})
    if request.param == "versioned":
        client.put_bucket_versioning(Bucket=scope.tenant, VersioningConfiguration={"Status": "Enabled"})
    return S3Blobs(client, scope.tenant)


def _name(sort: str = "a", partition: str = "notes", number: int = 0) -> BlobName:
    return BlobName(Key(Partition.in_project(Scope("acme", "web"), partition), sort), f"{number:032x}")


def test_a_blob_reads_back_as_it_was_written(blobs: Blobs):
    data = os.urandom(2_000_000)
    blobs.put(_name(), data)
    blobs.put(_name("b"), b"")
    assert blobs.get(_name()) == data
    assert blobs.get(_name("b")) == b""


def test_what_was_never_written_or_deleted_is_not_there(blobs: Blobs):
    assert blobs.get(_name()) is None
    blobs.delete(_name())
    blobs.put(_name(), b"x")
    blobs.delete(_name())
    assert blobs.get(_name()) is None


AWKWARD = ["..", ".", "...", "a/b", "../../x", "a=b", "=", "%2F", "é\U0001f30d", "a b", "CON", "\x00", "~", "a#b#c"]


def test_no_name_meets_another_and_all_are_listed(blobs: Blobs):
    names = [_name(sort_key(sort)) for sort in AWKWARD] + [_name("x", partition=sort) for sort in AWKWARD]
    names += [_name("a", number=1), _name(sort_key("a", "=", "b")), _name("a#.#b")]
    for number, name in enumerate(names):
        blobs.put(name, b"%d" % number)
    assert [blobs.get(name) for name in names] == [b"%d" % number for number in range(len(names))]
    listed = list(blobs.list_blobs())
    assert {each.name for each in listed} == set(names)
    assert len(listed) == len(names)
    assert all(each.written_at > 1_700_000_000_000 for each in listed)


def test_a_listing_goes_on_behind_a_path(blobs: Blobs):
    names = sorted([_name("a", number=number) for number in range(5)] + [_name("a#b")], key=BlobName.path)
    for name in names:
        blobs.put(name, b"x")
    assert [each.name for each in blobs.list_blobs(names[2].path())] == names[3:]
    assert list(blobs.list_blobs(names[-1].path())) == []


def test_a_folder_goes_with_all_below_it_and_its_neighbours_stay(blobs: Blobs):
    mine = [_name("a", number=number) for number in range(3)]
    neighbour = BlobName(Key(Partition.in_project(Scope("acme", "web2"), "notes"), "a"), "0")
    for name in (*mine, neighbour):
        blobs.put(name, b"x")
    blobs.delete(mine[0])

    blobs.remove_below(folder_of("P#acme#web"))
    blobs.remove_below(folder_of("P#acme#web"))

    assert [each.name for each in blobs.list_blobs()] == [neighbour]
    if isinstance(blobs, S3Blobs):
        assert _deleted_blob(blobs, mine[0]) is None


def test_what_was_deleted_is_read_for_recovery_until_its_folder_goes(blobs: Blobs, request: pytest.FixtureRequest):
    if "versioned" not in request.node.name or not isinstance(blobs, S3Blobs):
        pytest.skip("it has no earlier versions")
    blobs.put(_name(), b"once")
    blobs.put(_name("a#b"), b"other")
    blobs.delete(_name())

    assert blobs.get(_name()) is None
    assert _deleted_blob(blobs, _name()) == b"once"
    assert _deleted_blob(blobs, _name("c")) is None
    blobs.remove_below(folder_of("P#acme"))
    assert _deleted_blob(blobs, _name()) is None


def _deleted_blob(blobs: S3Blobs, name: BlobName) -> bytes | None:
    client, bucket = blobs._client, blobs._bucket  # pyright: ignore[reportPrivateUsage]
    return S3Blobs(client, bucket, deleted=True).get(name)


def test_names_stay_in_the_folder_of_their_project():
    for sort in AWKWARD:
        path = _name(sort_key(sort), partition=sort).path()
        assert path.startswith("P/acme/web/")
        assert not {"", ".", ".."} & set(path.split("/"))


def test_a_key_too_long_for_a_path_is_refused(blobs: Blobs):
    for sort in ("x" * 256, "x#" * 500, "é" * 50):
        with pytest.raises(InvalidInput):
            blobs.put(_name(sort), b"x")


def test_a_folder_that_cannot_be_written_is_unavailable(tmp_path: Path):
    file = tmp_path / "file"
    file.write_bytes(b"")
    with pytest.raises(Unavailable):
        FolderBlobs(file).put(_name(), b"x")
    with pytest.raises(Unavailable):
        FolderBlobs(file).get(_name())


def test_a_bucket_that_is_missing_is_unavailable(ministack_address: str):
    with pytest.raises(Unavailable):
        S3Blobs(s3_client(ministack_address), "no-such-bucket").put(_name(), b"x")
