"""A real OpenSearch node on loopback that tests start, kill, restart and stop.

OpenSearch refuses to run as root. If the tests run as root, the node runs as another user of a user namespace, or as
the user nobody.
"""

import os
import shutil
import signal
import subprocess
import time
import urllib.request
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path

from tests.opensearch import artefacts
from tests.opensearch.java import has_vectors, is_small, java_home, major
from tests.ports import reserve_port

INSTALLED = Path(__file__).parents[2] / ".tools" / "opensearch"
HEAP = ("-Xms512m", "-Xmx1g")
START_SECONDS = 240
"""A quiet machine needs 20."""

_LOGGING = """\
status = error
appender.file.type = File
appender.file.name = file
appender.file.fileName = ${sys:opensearch.logs.base_path}/node.log
appender.file.layout.type = PatternLayout
appender.file.layout.pattern = [%d{ISO8601}][%-5p][%c{1.}] %m%n
rootLogger.level = warn
rootLogger.appenderRef.file.ref = file
"""


class DidNotStart(Exception):
    """The node did not start. The message has the end of its output."""


class Node:
    """A node whose data are in `folder`, which outlive it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._port, self._transport = reserve_port(), reserve_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.endpoint = f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Returns when it answers, its indexes too. Raises DidNotStart."""
        self._configure()
        with (self._folder / "logs" / "said").open("wb") as said:
            self._process = subprocess.Popen(
                _as_another_user(self._command(), self._folder),
                cwd=self._folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._wait_until_ready(self._process)

    def kill(self) -> None:
        """Kill the node with SIGKILL, so that it flushes and closes nothing."""
        self._end(signal.SIGKILL)

    def stop(self) -> None:
        self._end(signal.SIGTERM)

    def _end(self, how: signal.Signals) -> None:
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait()
            self._process = None

    def _configure(self) -> None:
        for name in ("config", "data", "logs", "temporary"):
            (self._folder / name).mkdir(parents=True, exist_ok=True)
        (self._folder / "config" / "log4j2.properties").write_text(_LOGGING)
        settings = {
            "node.name": "tested",
            "network.host": "127.0.0.1",
            "http.port": self._port,
            "transport.port": self._transport,
            "discovery.type": "single-node",
            "path.data": self._folder / "data",
            "path.logs": self._folder / "logs",
            "cluster.routing.allocation.disk.threshold_enabled": "false",
            # What the adapter must never rely on.
            "action.auto_create_index": "false",
        }
        lines = [f"{name}: {value}\n" for name, value in settings.items()]
        (self._folder / "config" / "opensearch.yml").write_text("".join(lines))

    def _command(self) -> list[str]:
        home, java = artefacts.home(INSTALLED), java_home(INSTALLED)
        assert java is not None, artefacts.missing_requirement(INSTALLED)
        classes = f"{home}/lib/*" + (f":{home}/icu/*" if is_small(java) else "")
        return [
            f"{java}/bin/java",
            *HEAP,
            *_options(java),
            f"-javaagent:{home}/agent/opensearch-agent.jar",
            f"-Djava.io.tmpdir={self._folder}/temporary",
            f"-XX:ErrorFile={self._folder}/logs/java_error.log",
            f"-Dopensearch.path.home={home}",
            f"-Dopensearch.path.conf={self._folder}/config",
            *("-cp", classes, "org.opensearch.bootstrap.OpenSearch"),
        ]

    def _wait_until_ready(self, process: subprocess.Popen[bytes]) -> None:
        ends = time.monotonic() + START_SECONDS
        while not self._ready():
            if process.poll() is not None or time.monotonic() > ends:
                self.kill()
                raise DidNotStart(self._log_tail())
            time.sleep(0.1)

    def _ready(self) -> bool:
        url = f"{self.endpoint}/_cluster/health?wait_for_status=yellow&timeout=1s"
        try:
            with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(url, timeout=3) as answer:
                return answer.status == 200
        except OSError:
            return False

    def _log_tail(self) -> str:
        logs = [self._folder / "logs" / name for name in ("said", "node.log")]
        return "\n".join(log.read_text(errors="replace")[-2000:] for log in logs if log.exists())


@contextmanager
def run_node(folder: Path) -> Generator[Node]:
    """A node that ends with the context."""
    node = Node(folder)
    node.start()
    try:
        yield node
    finally:
        node.stop()


@cache
def _options(java: Path) -> Sequence[str]:
    """Return the options of `config/jvm.options` that matter here."""
    version = major(java)
    return (
        *("-XX:+UseG1GC", "-XX:G1ReservePercent=25", "-XX:InitiatingHeapOccupancyPercent=30", "-Xss1m"),
        *(["--add-modules=jdk.incubator.vector"] if has_vectors(java) else []),
        *(["--enable-native-access=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"] if version >= 24 else []),
        "--add-opens=java.base/java.nio=ALL-UNNAMED",
        "-Dorg.apache.lucene.store.MMapDirectory.sharedArenaMaxPermits=1",
        *("-Djava.awt.headless=true", "-Dfile.encoding=UTF-8", "-Djna.nosys=true", "-Djava.locale.providers=SPI,CLDR"),
        *("-Dio.netty.noUnsafe=true", "-Dio.netty.noKeySetOptimization=true"),
        *("-Dio.netty.recycler.maxCapacityPerThread=0", "-Dio.netty.allocator.numDirectArenas=0"),
        *("-Dlog4j.shutdownHookEnabled=false", "-Dlog4j2.disable.jmx=true"),
        *("-Dopensearch.distribution.type=zip", "-Dopensearch.bundled_jdk=false"),
    )


def _as_another_user(command: list[str], folder: Path) -> list[str]:
    """Return the command that runs the node as another user.

    If setpriv is installed, the node ends with its parent thread.
    """
    bound = ["setpriv", "--pdeathsig", "KILL", "--"] if shutil.which("setpriv") else []
    if os.geteuid() != 0:
        return [*bound, *command]
    if _may_map_users():
        return ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--", *bound, *command]
    subprocess.run(["chown", "-R", "65534:65534", str(folder)], check=True)
    return ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", *bound[1:-1], "--", *command]


@cache
def _may_map_users() -> bool:
    tried = ["unshare", "--user", "--map-user=1000", "--map-group=1000", "--", "true"]
    return (
        shutil.which("unshare") is not None and not subprocess.run(tried, capture_output=True, check=False).returncode
    )
