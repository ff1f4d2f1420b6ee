"""Blobs as objects of an S3 bucket."""

# boto3, whose client and errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from almanac.kernel.errors import Unavailable
from almanac.platform.blobs.port import BlobEntry, BlobName

T = TypeVar("T")


class S3Blobs:
    """The blobs port on `bucket`. `client` is boto3's S3 client, which retries by itself.

    With `deleted`, it also reads deleted blobs that are kept as earlier versions, for items of a restored table.
    """

    def __init__(self, client: Any, bucket: str, *, deleted: bool = False) -> None:
        self._client = client
        self._bucket = bucket
        self._deleted = deleted

    def put(self, name: BlobName, data: bytes) -> None:
        path = name.path()
        _call_s3(lambda: self._client.put_object(Bucket=self._bucket, Key=path, Body=data))

    def get(self, name: BlobName) -> bytes | None:
        path = name.path()
        try:
            return self._read(path)
        except _Missing:
            pass
        if not self._deleted:
            return None
        # A name is written only once, so its only version is the deleted blob.
        page = _call_s3(lambda: self._client.list_object_versions(Bucket=self._bucket, Prefix=path))
        kept = [each["VersionId"] for each in page.get("Versions", []) if each["Key"] == path]
        return self._read(path, VersionId=kept[0]) if kept else None

    def delete(self, name: BlobName) -> None:
        path = name.path()
        _call_s3(lambda: self._client.delete_object(Bucket=self._bucket, Key=path))

    def list_blobs(self, after: str = "") -> Iterator[BlobEntry]:
        begin = {"StartAfter": after} if after else {}
        while True:
            request = {"Bucket": self._bucket, **begin}
            page = _call_s3(lambda request=request: self._client.list_objects_v2(**request))
            for each in page.get("Contents", []):
                with suppress(ValueError):  # an object of another program
                    yield BlobEntry(BlobName.of_path(each["Key"]), int(each["LastModified"].timestamp() * 1000))
            if not page["IsTruncated"]:
                return
            begin = {"ContinuationToken": page["NextContinuationToken"]}

    def remove_below(self, folder: str) -> None:
        begin: dict[str, str] = {}
        while True:
            request = {"Bucket": self._bucket, "Prefix": f"{folder}/", **begin}
            page = _call_s3(lambda request=request: self._client.list_object_versions(**request))
            every = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
            objects = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in every]
            if objects:
                self._remove(objects)
            if not page["IsTruncated"]:
                return
            begin = {"KeyMarker": page["NextKeyMarker"], "VersionIdMarker": page["NextVersionIdMarker"]}

    def _read(self, path: str, **version: str) -> bytes:
        """Read an object. Raises _Missing."""
        answer = _call_s3(lambda: self._client.get_object(Bucket=self._bucket, Key=path, **version))
        return _call_s3(answer["Body"].read)

    def _remove(self, objects: list[dict[str, str]]) -> None:
        """Delete up to 1000 object versions, the most that a page lists."""
        request = {"Objects": objects, "Quiet": True}
        if _call_s3(lambda: self._client.delete_objects(Bucket=self._bucket, Delete=request)).get("Errors"):
            raise Unavailable("The bucket refuses to delete versions.", "Grant s3:DeleteObjectVersion, then repeat.")


class _Missing(Exception):
    pass


def _call_s3(call: Callable[[], T]) -> T:
    try:
        return call()
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            raise _Missing from error
        raise Unavailable(
            "The bucket of large values refused the request.", "Check its name and permissions."
        ) from error
    except BotoCoreError as error:
        raise Unavailable("The bucket of large values does not answer.", "Repeat the call in a moment.") from error
