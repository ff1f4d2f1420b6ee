"""The real template on this machine: built by SAM, deployed onto ministack on loopback, with a tenant and its key.

No Docker and no account. The emulator checks every request against the policies in the template (actions and
resources; not leading keys), so a function that was granted too little fails here as it would on AWS.
"""

import os
import platform
import shlex
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import boto3  # pyright: ignore[reportMissingTypeStubs]

from tests.e2e import emulator_gaps
from tests.ports import reserve_port

ROOT = Path(__file__).resolve().parents[2]
TOOLS = ROOT / ".tools"
MINISTACK = TOOLS / "ministack" / "bin" / "python"
SAM = TOOLS / "sam" / "bin" / "sam"
UV = TOOLS / "uv" / "bin" / "uv"
BUILT = ROOT / ".aws-sam" / "local"
EMBEDDER = ROOT / ".aws-sam" / "embedder"
OPERATOR = ROOT / ".aws-sam" / "operator"
ALMANAC = Path(sys.executable).parent / "almanac"
ZONE = "Europe/Berlin"
"""Of the keys that the suite issues."""

REGION = "us-east-1"
PUBLIC_URL = "https://mcp.example.com"
"""Where browsers and programs sign in: whoever names this host reaches the deployed API on the emulator's port."""
SYSTEM = "almanac-local"

BUILT_FOR = {
    "LAMBDA_ARCHITECTURE": {"aarch64": "arm64"}.get(platform.machine(), platform.machine()),
    "LAMBDA_PYTHON": f"{sys.version_info.major}.{sys.version_info.minor}",
}

_STEP_SECONDS = 900
"""Of one command: half a minute on a machine that has nothing else to do."""
_CHOSEN = (
    f"Architecture={BUILT_FOR['LAMBDA_ARCHITECTURE']}",
    "ConnectedCalendars=on",
    "AlarmEmail=somebody@example.com",
    f"PublicUrl={PUBLIC_URL}",
    f"CertificateArn=arn:aws:acm:{REGION}:000000000000:certificate/none",
    # For the tests that listen beside our rules.
    "EventKinds=slot_booked",
    # The emulator's domain is nothing but a name, unless a node is named to stand for it.
    "Search=off",
)


@dataclass(frozen=True)
class Stack:
    """A deployed stack.

    `url` is the hub's, `feed_url` the live feed's, and `endpoint` that of every AWS service. `bucket` has the large
    values. `search` is the host of the OpenSearch domain, "" if there is none.
    """

    url: str
    feed_url: str
    table: str
    bucket: str
    endpoint: str
    search: str = ""

    @property
    def environment(self) -> dict[str, str]:
        named = {"ALMANAC_SEARCH_ENDPOINT": f"http://{self.search}", "ALMANAC_SEARCH_NAME": SYSTEM}
        ours = {"ALMANAC_DATA": str(OPERATOR), "ALMANAC_BUCKET": self.bucket}
        return _environment(self.endpoint) | ours | (named if self.search else {})

    def deploy_again(self, *parameters: str) -> "Stack":
        """Deploy again with these parameters changed."""
        return deploy(self.endpoint, *_with_search(self.search), *parameters)

    def client(self, service: str) -> Any:
        """boto3's, for one of the emulated services."""
        return client(self.endpoint, service)

    def almanac(self, *arguments: str) -> str:
        """Return the output of an `almanac` command on the deployed table."""
        return _run([str(ALMANAC), *arguments, "--table", self.table, "--region", REGION], self.environment)


class StepFailed(Exception):
    """A command failed. The message has the end of its output."""


def missing_requirement() -> str | None:
    """Return the program that must be installed before a stack can be deployed here, or None."""
    absent = [path.parents[1].name for path in (MINISTACK, SAM, UV) if not path.exists()]
    absent += [] if (EMBEDDER / ".ready").exists() else ["embedder"]
    return f"{' and '.join(absent)} not installed: make tools build" if absent else None


@contextmanager
def deploy_on_emulator(port: int = 0, search: str | None = None) -> Generator[Stack]:
    """Deploy the stack on an emulator of its own, which ends with the context. That takes about half a minute.

    `search` is the address of an OpenSearch node that stands for the stack's domain.
    """
    build()
    with emulator(port, search) as endpoint:
        yield deploy(endpoint, *_with_search(search))


def build() -> None:
    """Build for this machine's processor and Python. The emulator runs functions on them, whatever Runtime says."""
    ours = dict.fromkeys(("PYTHON", "ALMANAC_PYTHON", "COMPILER"), sys.executable)
    settings = {"UV": str(UV), "EMBEDDER": str(EMBEDDER)} | ours | BUILT_FOR
    command = [str(SAM), "build", "--build-dir", str(BUILT), "--parameter-overrides", *_CHOSEN]
    _run(command, _environment() | settings)


def deploy(endpoint: str, *parameters: str) -> Stack:
    """Once more where it is deployed already. Raises StepFailed, after which the emulator's stack events say more."""
    command = [str(SAM), "deploy", "--template-file", str(BUILT / "template.yaml"), "--config-env", "local"]
    command += ["--config-file", str(ROOT / "samconfig.toml"), "--parameter-overrides", *_CHOSEN, *parameters]
    _run(command, _environment(endpoint))
    return open_stack(endpoint, SYSTEM)


def _with_search(node: str | None) -> list[str]:
    return ["Search=domain"] if node else []


def open_stack(endpoint: str, system: str) -> Stack:
    """Return a deployed stack after bridging the emulator's differences from AWS."""
    (found,) = client(endpoint, "cloudformation").describe_stacks(StackName=system)["Stacks"]
    outputs = {output["OutputKey"]: output["OutputValue"] for output in found["Outputs"]}
    # AWS gives every API a host name; the emulator serves them all under its own.
    hub, feed = (emulator_gaps.served_address(endpoint, outputs[name]) for name in ("Url", "FeedUrl"))
    template, bucket = (ROOT / "template.yaml").read_text(), outputs["LargeValuesBucket"]
    emulator_gaps.bridge(template, endpoint, credentials(), system, bucket, hub, feed, PUBLIC_URL)
    return Stack(
        hub.url,
        feed.url.replace("http", "ws", 1),
        outputs["TableName"],
        bucket,
        endpoint,
        outputs.get("SearchEndpoint", ""),
    )


def client(endpoint: str, service: str) -> Any:
    """boto3's, for a service of the emulator at `endpoint`."""
    keys = {"aws_access_key_id": "AWS_ACCESS_KEY_ID", "aws_secret_access_key": "AWS_SECRET_ACCESS_KEY"}
    sent = {ours: credentials()[name] for ours, name in keys.items()}
    return boto3.client(service, endpoint_url=endpoint, region_name=REGION, **sent)  # pyright: ignore


@contextmanager
def emulator(port: int = 0, search: str | None = None) -> Generator[str]:
    """Run ministack on loopback, with its state in a temporary folder.

    It reports `search` as the address of any OpenSearch domain, without a scheme, as AWS does.
    """
    port = port or reserve_port()
    with tempfile.TemporaryDirectory(prefix="almanac-stack-", ignore_cleanup_errors=True) as folder:
        settings = {"BIND_HOST": "127.0.0.1", "GATEWAY_PORT": str(port), "MINISTACK_HOST": "127.0.0.1", "AUTH": "true"}
        settings |= {"TMPDIR": folder, "STATE_DIR": f"{folder}/state", "S3_DATA_DIR": f"{folder}/s3"}
        settings |= {"MINISTACK_OPENSEARCH_ENDPOINT": urlsplit(search).netloc} if search else {}
        log = Path(folder) / "log"
        with log.open("wb") as said:
            process = subprocess.Popen(
                [str(MINISTACK), str(ROOT / "tests/e2e/nested_transforms.py")],
                env=_environment() | settings,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        try:
            _wait_until_ready(process, log)
            yield f"http://127.0.0.1:{port}"
        finally:
            # Its workers, which run the functions, are in its process group.
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], log: Path) -> None:
    ends = time.monotonic() + _STEP_SECONDS
    while b"Running on" not in log.read_bytes():
        if process.poll() is not None or time.monotonic() > ends:
            raise StepFailed(f"ministack did not start:\n{log.read_text(errors='replace')[-2000:]}")
        time.sleep(0.05)


def first_key(stack: Stack, tenant: str = "local", *terms: str) -> str:
    """Creates the tenant and issues a key for it."""
    stack.almanac("tenants", "create", tenant)
    return stack.almanac("keys", "issue", "--tenant", tenant, "--timezone", ZONE, *terms).strip()


def credentials() -> dict[str, str]:
    """Such as no service would take, so that nothing ever leaves for one."""
    return {
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_DEFAULT_REGION": REGION,
        "AWS_REGION": REGION,
        "AWS_EC2_METADATA_DISABLED": "true",
        "SAM_CLI_TELEMETRY": "0",
    }


def _environment(endpoint: str | None = None) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("AWS_", "ALMANAC_", "SAM_"))}
    return kept | credentials() | ({"AWS_ENDPOINT_URL": endpoint} if endpoint else {})


def _run(command: Sequence[str], environment: dict[str, str]) -> str:
    done = subprocess.run(
        command, env=environment, cwd=ROOT, capture_output=True, text=True, timeout=_STEP_SECONDS, check=False
    )
    if done.returncode:
        raise StepFailed(f"{shlex.join(command)}\n{(done.stdout + done.stderr)[-3000:]}")
    return done.stdout
