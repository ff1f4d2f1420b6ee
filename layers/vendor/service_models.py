"""Reduce botocore's data to the services that the functions call: `service_models.py FOLDER`.

FOLDER is botocore/data of the built layer. Every client reads its service's model, the endpoints of all services and
the names of all folders. That takes 80 ms of a cold start and half of the layer, nearly all of it for documentation and
for unused services.
"""

import gzip
import json
import shutil
import sys
from pathlib import Path
from typing import Any

SERVICES = frozenset({"apigatewaymanagementapi", "bedrock-runtime", "dynamodb", "events", "kms", "s3", "sqs"})


def main() -> None:
    data = Path(sys.argv[1])
    for service in (each for each in data.iterdir() if each.is_dir()):
        if service.name not in SERVICES:
            shutil.rmtree(service)
    prefixes = {_without_words(path) for path in data.glob("*/*/service-2.json.gz")}
    for path in data.glob("*/*/examples-1.json"):
        path.unlink()
    _with_endpoints_of(prefixes, data / "endpoints.json")


def _without_words(path: Path) -> str:
    """Unzip the service's model without documentation, and return the prefix of the service's endpoints."""
    model = json.loads(gzip.decompress(path.read_bytes()), object_hook=_bare)
    # botocore reads documentation only here, and fails if it is missing.
    for parameter in model.get("clientContextParams", {}).values():
        parameter["documentation"] = ""
    _replace(path, path.with_suffix(""), model)
    return model["metadata"]["endpointPrefix"]


def _bare(model: dict[str, Any]) -> dict[str, Any]:
    # A member with the name "documentation" is an object and stays.
    return {name: each for name, each in model.items() if name != "documentation" or not isinstance(each, str)}


def _with_endpoints_of(prefixes: set[str], path: Path) -> None:
    endpoints = json.loads(path.read_bytes())
    for partition in endpoints["partitions"]:
        services = partition["services"]
        partition["services"] = {name: services[name] for name in services if name in prefixes}
    _replace(path, path, endpoints)


def _replace(old: Path, new: Path, content: Any) -> None:
    # Replace the file instead of writing into it: it may be a hard link to a file in the installer's cache.
    old.unlink()
    new.write_text(json.dumps(content, separators=(",", ":")), encoding="utf-8")


if __name__ == "__main__":
    main()
