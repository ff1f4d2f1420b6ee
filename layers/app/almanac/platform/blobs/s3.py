"""Blobs as objects of an S3 bucket."""

# boto3, whose client and errors these are, carries no types.
# pyright: reportMissingTypeStubs=false, reportUnknownMemberType=false, reportUnknownVariableType=false

from collections.abc import Callable, Iterator
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from almanac.kernel.errors import Unavailable
from almanac.platform.blobs.port import BlobName, Stored

T = TypeVar("T")


class S3Blobs:
    """The blobs port on `bucket`; `client` is boto3's S3 client, which retries by itself."""

    def __init__(self, client: Any, bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, name: BlobName, data: bytes) -> None:
        path = name.path()
        _answered(lambda: self._client.put_object(Bucket=self._bucket, Key=path, Body=data))

    def get(self, name: BlobName) -> bytes | None:
        path = name.path()
        try:
            answer = _answered(lambda: self._client.get_object(Bucket=self._bucket, Key=path))
        except _Missing:
            return None
        return _answered(answer["Body"].read)

    def delete(self, name: BlobName) -> None:
        path = name.path()
        _answered(lambda: self._client.delete_object(Bucket=self._bucket, Key=path))

    def listing(self) -> Iterator[Stored]:
        after: dict[str, str] = {}
        while True:
            asked = {"Bucket": self._bucket, **after}
            page = _answered(lambda asked=asked: self._client.list_objects_v2(**asked))
            for each in page.get("Contents", []):
                yield Stored(BlobName.of_path(each["Key"]), int(each["LastModified"].timestamp() * 1000))
            if not page["IsTruncated"]:
                return
            after = {"ContinuationToken": page["NextContinuationToken"]}


class _Missing(Exception):
    pass


def _answered(call: Callable[[], T]) -> T:
    try:
        return call()
    except ClientError as error:
        if error.response["Error"]["Code"] == "NoSuchKey":
            raise _Missing from error
        raise Unavailable("The bucket of large values refuses.", "Check its name and permissions.") from error
    except BotoCoreError as error:
        raise Unavailable("The bucket of large values does not answer.", "Repeat the call in a moment.") from error
