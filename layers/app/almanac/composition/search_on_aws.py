"""Composition of the search index on OpenSearch."""
# ruff: noqa: PLC0415 - installations without an index load none

import time
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from almanac.composition.settings import Settings
from almanac.kernel.errors import InvalidInput

if TYPE_CHECKING:
    from almanac.search.port import SearchIndex

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def open_opensearch(settings: Settings) -> "SearchIndex":
    """Open the index at `search_endpoint`. Requests are signed with this process's credentials, except to loopback.

    Raises InvalidInput if the settings lack the endpoint or the region.
    """
    from almanac.search.opensearch.calls import connect
    from almanac.search.opensearch.generations import Shape
    from almanac.search.opensearch.index import OpenSearchIndex

    settings.require_fields("search_endpoint", "region")
    address = address_of(str(settings.search_endpoint))
    signs = None if urlsplit(address).hostname in _LOOPBACK else signer(str(settings.region))
    shape = Shape(settings.search_shards, settings.search_replicas)
    return OpenSearchIndex(connect(address, signs), settings.search_name.lower(), sleep=time.sleep, shape=shape)


def address_of(endpoint: str) -> str:
    """Return the endpoint with a scheme.

    The default is https, and http on this machine. Raises InvalidInput for http to another machine, because signed
    requests must not go over unprotected connections.
    """
    host = urlsplit(endpoint if "://" in endpoint else f"//{endpoint}")
    scheme = host.scheme or ("http" if host.hostname in _LOOPBACK else "https")
    if scheme != "https" and host.hostname not in _LOOPBACK:
        raise InvalidInput(
            f"The address of OpenSearch begins with {scheme} instead of https.", "Name one that begins with https."
        )
    return f"{scheme}://{host.netloc}"


def signer(region: str) -> Any:
    """Return the signer for requests to a domain in `region`. It uses the credentials of this process.

    Raises InvalidInput if the process has none.
    """
    # boto3 and opensearch-py's signers carry no types.
    import boto3  # pyright: ignore[reportMissingTypeStubs]
    from opensearchpy import Urllib3AWSV4SignerAuth

    credentials = boto3.Session().get_credentials()  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    if credentials is None:
        raise InvalidInput("No AWS credentials were found to sign requests with.", "Configure them as for the AWS CLI.")
    return Urllib3AWSV4SignerAuth(credentials, region)
