"""Carry an event of a coding agent to Almanac: `python -I -S almanac_hook.py CLIENT [EVENT]`, with its JSON on stdin.

This file is copied out of the package and imports only the standard library. It always ends with status 0, prints the
client's JSON or nothing, and never waits longer than the event's deadline. Turns and prompts to record go through a
queue on disk. The script sends them in order until the server accepts them. The server recognises turns by their ids,
so a repeated turn is stored once. `patterns.json` masks secrets before anything is written or sent. Without these
patterns, or without a key, the script sends nothing.

The script runs at each event, so its start is most of its cost. `json`, `re`, `socket`, `signal` and `hashlib` take
three times as long to import as the interpreter takes to start. Most events need only the C modules beneath them.
"""

import os
import sys
import time

BESIDE = os.path.dirname(os.path.abspath(__file__))
# The next version of a plugin replaces its whole folder, so unsent data is kept in its data folder.
HOME = os.environ.get("ALMANAC_HOOKS_HOME") or os.environ.get("CLAUDE_PLUGIN_DATA") or BESIDE
MOST_STDIN = 1024 * 1024
MOST_QUEUE = 5 * 1024 * 1024
MOST_READ = 8 * 1024 * 1024
MOST_ANSWER = 1024 * 1024
KEPT_SECONDS = 7 * 86_400
BREAK_SECONDS = 60
BATCH_TURNS, BATCH_BYTES = 50, 400_000
TEXT_BYTES, MOST_MASKED = 60_000, 80_000
DEADLINES = {"sessionstart": 1.5, "pretooluse": 0.7, "beforetool": 0.7, "sessionend": 1.0}
PROMPTS = ("userpromptsubmit", "beforesubmitprompt", "beforeagent", "userpromptsubmitted", "preuserprompt")
RECORDS = ("stop", "subagentstop", "precompact", "precompress", "sessionend", "agentstop")
REPLIES = ("afteragent", "afteragentresponse", "postcascaderesponse")
WITH_TRANSCRIPT = ("claude-code", "codex")
SENT = (
    "session_id sessionId sessionID conversation_id generation_id turn_id trajectory_id transcript_path cwd directory "
    "workspace_roots hook_event_name hookEventName agent_action_name event source prompt initialPrompt prompt_response "
    "last_assistant_message text agent_type tool_name toolName tool_use_id timestamp trigger reason error file_path"
).split()
PATHS = "file_path filePath notebook_path path absolute_path target_file file".split()
# Names and paths are not searched for secrets, so most prompts need no pattern at all.
AS_THEY_ARE = {
    *SENT[: SENT.index("source")],
    *PATHS,
    *("source", "tool_name", "toolName", "tool_use_id", "agent_type", "timestamp", "trigger", "patch"),
}
SENT_OF_TOOLS = [*PATHS, "command", "user_prompt", "response"]
_BLOCKS = ("almanac-memory", "private", "system-reminder")
_CHANNEL = r"""(?is)<channel\s{1,9}source=["'][^"'<>]{0,200}almanac.*?(?:</channel>|\Z)"""
_OWN_LINES = ("<command-", "<local-command", "<bash-", "<task-notification", "<environment_context",
              "<user_instructions", "Caveat: The messages below", "[Request interrupted")  # fmt: skip
_SUSPECT = (
    "://,pass,psw,pssw,sssw,pw,secret,token,key,cred,bearer,cookie,auth,basic,login,kennwort,senha,contrase,clave,"
    "wachtwoord,parola,haslo,heslo,senord,adgang,salasana,psk,mdp,salt,nonce,sess,sig,seed,pin,otp,api,_id,-----begin"
).split(",")
_LONG_WORD = 14


def main(arguments):
    client = arguments[1] if len(arguments) > 1 else "claude-code"
    if arguments[2:] == ["--check"]:
        return check(client)
    given = loads(sys.stdin.buffer.read(MOST_STDIN).decode("utf-8", "replace") or "{}")
    if not isinstance(given, dict):
        return None
    named = arguments[2] if len(arguments) > 2 else ""
    name = str(given.get("hook_event_name") or given.get("hookEventName") or given.get("agent_action_name") or named)
    plain = name.translate({45: None, 46: None, 95: None}).lower()
    folder = folder_of(given)
    root, repository = project_of(folder)
    settings = read_json("config.json", {})
    # Both Copilots run the hooks of Claude Code, with other field names and their own transcripts.
    path = given.get("transcript_path") if client in WITH_TRANSCRIPT and "hook_event_name" in given else None
    if is_silent(folder):
        if isinstance(path, str):
            pass_over(path)
        return None
    server = Server(settings, client)
    if not server.key or not rules() or is_left_out(settings, given, folder, root):
        return None
    records = plain in RECORDS or plain in REPLIES
    arm(DEADLINES.get(plain, 30.0 if records else 0.7))
    carried = {"repository": repository, "root": root, "at": int(time.time() * 1000), "once": os.urandom(12).hex()}
    queue = Queue(repository.replace(":", "-"))
    if plain in RECORDS and isinstance(path, str):
        base = {"session_id": given.get("session_id"), "cwd": folder, "hook_event_name": "Stop"}
        queue_transcript(queue, client, path, base, carried)
        queue.flush(settings)
        if plain != "sessionend":
            return None
    remembers = plain in PROMPTS and not path
    try:
        body = slim(given) | {"almanac": carried}
    except TimeoutError:
        # Masking a long prompt takes time, so a child process does it while the client goes on.
        if not remembers or not hasattr(os, "fork") or os.fork():
            return None
        os.setsid()
        detach()
        arm(30.0)
        queue.add([{"client": client, "event": named, "body": slim(given) | {"almanac": carried}}])
        return None
    if plain in REPLIES or plain in RECORDS:
        if plain in REPLIES or plain == "sessionend" or body.get("last_assistant_message"):
            queue.add([{"client": client, "event": named, "body": body}])
        queue.flush(settings)
        return None
    answer = None if is_broken() else server.post(client, named, body)
    if answer is None and remembers:
        arm(1.0)
        queue.add([{"client": client, "event": named, "body": body}])
    return answer


def check(client):
    """Make a real call with the client's key and return its status, or the problem that keeps hooks from sending."""
    arm(15.0)
    server = Server(read_json("config.json", {}), client)
    if not rules() or not server.key:
        return {"problem": "the patterns of secrets or the key are missing"}
    try:
        return {"status": server.request("status", "", b"{}", 10.0)[0]}
    except (OSError, ValueError) as problem:
        return {"problem": str(problem)}


def folder_of(given):
    roots = given.get("workspace_roots")
    first = roots[0] if isinstance(roots, list) and roots else None
    for value in (given.get("cwd"), given.get("directory"), first):
        if isinstance(value, str) and value:
            return value
    return os.getcwd()


def project_of(folder: str) -> tuple[str, str]:
    """Return the root of the working tree, and an id that all worktrees and clones of a repository share."""
    root = folder
    while not os.path.exists(os.path.join(root, ".git")):
        above = os.path.dirname(root)
        if above == root:
            return folder, "path:" + digest(os.path.realpath(folder))
        root = above
    git = os.path.join(root, ".git")
    if os.path.isfile(git):
        git = os.path.join(root, read_text(git).partition("gitdir:")[2].strip())
        common = os.path.join(git, "commondir")
        git = os.path.join(git, read_text(common).strip()) if os.path.exists(common) else git
    remote = remote_of(read_text(os.path.join(git, "config")))
    return root, "git:" + digest(remote) if remote else "path:" + digest(os.path.realpath(git))


def remote_of(config):
    """Return the address of origin, or else of the first remote, in the same form for every protocol. Return "" if
    there is no remote."""
    found, section = {}, ""
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.partition("=")[0].strip() == "url":
            found.setdefault(section, line.partition("=")[2].strip())
    url = found.get('[remote "origin"]') or next(iter(found.values()), "")
    scheme, sign, rest = url.partition("://")
    if sign and scheme.replace("+", "a").isalpha():
        url = rest
    user, sign, rest = url.partition("@")
    url = (rest if sign and "/" not in user else url).rstrip("/")
    host, sign, rest = url.partition(":")
    if sign and host and "/" not in host:
        port, slash, path = rest.partition("/")
        rest = path if slash and port.isdecimal() else rest
        url = f"{host}/{rest.removeprefix('/')}"
    host, slash, path = url.partition("/")
    return host.lower() + slash + (path[:-4] if path.endswith(".git") else path)


def is_silent(folder):
    """Tell whether the hooks are off, either everywhere or by `.almanac/off` in this folder or one above it."""
    if os.environ.get("ALMANAC_HOOKS") == "off" or os.path.exists(within("paused")):
        return True
    while not os.path.exists(os.path.join(folder, ".almanac", "off")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def is_left_out(settings, given, folder, root):
    """Tell whether the settings or `.almanac/ignore` exclude the tool or a path of the event."""
    tools = settings.get("leave_out_tools") or []
    ignored = [line.strip() for line in read_text(os.path.join(root, ".almanac", "ignore")).splitlines()]
    patterns = [*(settings.get("leave_out_paths") or []), *(line for line in ignored if line and line[0] != "#")]
    if not tools and not patterns:
        return False
    from fnmatch import fnmatch

    tool = str(given.get("tool_name") or given.get("toolName") or "")
    if any(fnmatch(tool, pattern) for pattern in tools):
        return True
    if not patterns:
        return False
    for named in paths_of(given):
        path = os.path.normpath(os.path.join(folder, named)).replace("\\", "/")
        inside = os.path.relpath(path, root).replace("\\", "/")
        above = inside.split("/")
        ways = ["/".join(above[: count + 1]) for count in range(len(above))]
        for pattern in patterns:
            bare = pattern.strip("/")
            # A bare name matches anywhere, a path from the root on, and an absolute path also outside of the root.
            if any(fnmatch(one, bare) for one in (*ways, *(above if "/" not in bare else ()))):
                return True
            if fnmatch(path, pattern) or path.startswith("/" + bare + "/"):
                return True
    return False


def paths_of(given):
    """Return every path in the event, including those in a patch, a command line or an error."""
    import re

    found = [given.get("file_path")]
    errors = [given.get("error"), *tool_values(given.get("tool_response")).values()]
    for text in errors:
        found += re.split(r"[\s\"'=:;|&<>(),]+", text)[:2000] if isinstance(text, str) else []
    for values in map(tool_values, (given.get(name) for name in ("tool_input", "toolArgs", "tool_info"))):
        found += [values.get(name) for name in PATHS]
        found += re.findall(r"^\*\*\* (?:Update|Add|Delete) File: (.*)$", patch_of(values), re.M)
        for name in ("command", "command_line"):
            words = values.get(name)
            words = " ".join(map(str, words)) if isinstance(words, list) else words
            found += re.split(r"[\s\"'=:;|&<>()]+", words)[:200] if isinstance(words, str) else []
    return [one for one in found if isinstance(one, str) and one.strip()]


def tool_values(values):
    values = parse_json(values) if isinstance(values, str) else values
    return values if isinstance(values, dict) else {}


def patch_of(values):
    patches = (values.get(name) for name in ("input", "patch", "command"))
    return next((one for one in patches if isinstance(one, str) and one.lstrip().startswith("*** ")), "")


def pass_over(path):
    """Mark a transcript as read to its end. Anything said while the hooks are off is then never sent."""
    if os.path.exists(path):
        with Lock(within("cursors.lock")):
            write_json(cursor_of(path), {"offset": os.path.getsize(path)})


def cursor_of(path):
    return os.path.join("cursors", digest(path) + ".json")


def slim(given):
    """Return the part of the event to send, without file contents, tool output, secrets and private passages."""
    body = {name: given[name] for name in SENT if name in given}
    for name in ("tool_input", "toolArgs", "tool_info"):
        if values := tool_values(given.get(name)):
            kept = {one: values[one] for one in SENT_OF_TOOLS if isinstance(values.get(one), str)}
            if patch := patch_of(values):
                import re

                lines = re.findall(r"^\*\*\* (?:Update|Add|Delete) File: .*$", patch, re.M)
                kept = {one: kept[one] for one in kept if one != "command"} | {"patch": "\n".join(lines[:20])}
            body["tool_info" if name == "tool_info" else "tool_input"] = kept
    result = given.get("tool_response", given.get("toolResult"))
    if isinstance(result, dict):
        body["tool_response"] = {
            name: str(value)[-2000:] if isinstance(value, str) else value
            for name, value in result.items()
            if name in ("error", "exit_code", "exitCode", "stderr", "resultType") and not isinstance(value, list)
        }
    return clean(body)


def clean(value):
    if isinstance(value, str):
        text = strip_private_blocks(value)
        if len(text) > MOST_MASKED:
            # Do not cut within a word, because the patterns would not recognise half a secret.
            text = text[:MOST_MASKED].rpartition(" ")[0]
        return mask(text)[:TEXT_BYTES]
    if isinstance(value, dict):
        return {name: one if name in AS_THEY_ARE and is_plain(one) else clean(one) for name, one in value.items()}
    if isinstance(value, list):
        return [clean(one) for one in value]
    return value


def is_plain(value):
    """Tell whether a value is a name, a number, a path or a list of paths, rather than a text or an address."""
    if isinstance(value, list):
        return all(isinstance(one, str) and is_plain(one) for one in value)
    return isinstance(value, int) or (isinstance(value, str) and len(value) < 4096 and "://" not in value)


def strip_private_blocks(text: str) -> str:
    """Return the text without private and injected passages and messages of the channel. An unclosed block extends to
    the end of the text. A nested block does not end the outer one."""
    if "<" not in text:
        return text.strip()
    import re

    text = re.sub(_CHANNEL, "", text)
    for name in _BLOCKS:
        depth, at, kept = 0, 0, []
        for mark in re.finditer(rf"(?i)<(/?){name}(?:[\s/][^>]*)?>", text):
            closes = mark.group(1) == "/"
            if not depth:
                kept.append(text[at : mark.start()])
            depth = max(0, depth - 1) if closes else depth + 1
            at = mark.end()
        text = "".join(kept) + ("" if depth else text[at:])
    return text.strip()


def mask(text: str) -> str:
    """Return the text with [REDACTED:kind] in place of secrets, by the server's own rules."""
    if not is_suspect(text):
        return text
    import re

    # No person writes such words by hand, and the patterns would take minutes for them.
    text = re.sub(r"\S{1000,}", "[REDACTED:blob]", text)
    found_secrets = {}
    for rule in rules():
        prefix, needs = rule.get("prefix"), rule.get("needs")
        if (prefix and prefix not in text) or (needs and not re.search(needs, text, re.I)):
            continue
        kind, bits = rule["kind"], rule.get("bits", 0)
        if "compiled" not in rule:
            # The cache of `re` is smaller than the list of rules.
            rule["compiled"] = re.compile(rule["pattern"])

        def mask_match(found, kind=kind, bits=bits):
            group = found.lastindex or 1
            secret = found.group(group)
            if not secret or secret.startswith("[REDACTED") or entropy(secret) < bits:
                return found.group(0)
            if len(secret) >= 8:
                found_secrets[secret] = kind
            start, end = found.start(group) - found.start(0), found.end(group) - found.start(0)
            return found.group(0)[:start] + "[REDACTED:" + kind + "]" + found.group(0)[end:]

        text = rule["compiled"].sub(mask_match, text)
    for secret, kind in found_secrets.items():
        text = text.replace(secret, "[REDACTED:" + kind + "]")
    return text


def is_suspect(text):
    """Tell whether the text may hold a secret, which is the case for a long word or a word that often precedes
    secrets."""
    # Patterns that ignore case treat the dotless i as an i.
    plain = text.casefold().replace("\u0131", "i")
    if any(one in plain for one in _SUSPECT) or any(len(word) >= _LONG_WORD for word in text.split()):
        return True
    # "mot de passe" with any separator, which casefolding may turn into up to three characters.
    return any("de" in rest[1:6] for rest in plain.split("mot")[1:])


def rules(kept=[]):  # noqa: B006 - read once
    if not kept:
        kept.append(read_json("patterns.json", read_json(os.path.join(BESIDE, "patterns.json"), [])))
    return kept[0]


def entropy(text):
    from math import log2

    return -sum(n / len(text) * log2(n / len(text)) for n in map(text.count, set(text)))


def queue_transcript(queue, client, path, base, carried):
    """Queue the turns that were added to the transcript since the last time, and store how far it was read."""
    place = cursor_of(path)
    with Lock(within("cursors.lock")):
        offset = read_json(place, {}).get("offset", 0)
        if not os.path.exists(path):
            return
        if os.path.getsize(path) < offset:
            offset = 0
        while True:
            turns, after = turns_of(client, path, offset)
            rows, batch, size = [], [], 0
            for turn in turns:
                if batch and (len(batch) >= BATCH_TURNS or size > BATCH_BYTES):
                    rows.append(batch)
                    batch, size = [], 0
                batch.append(turn)
                size += len(turn["text"])
            rows += [batch] if batch else []
            queue.add(
                [{"client": client, "event": "", "body": base | {"almanac": carried | {"turns": one}}} for one in rows]
            )
            if after == offset:
                return
            offset = after
            write_json(place, {"offset": offset})


def turns_of(client, path, offset):
    """Return the turns in whole lines from `offset` on, and the offset after the last of these lines."""
    turns = []
    with open(path, "rb") as source:
        source.seek(offset)
        data = source.read(MOST_READ)
    end = data.rfind(b"\n") + 1
    at = offset
    for line in data[:end].splitlines(keepends=True):
        turn = turn_of(client, parse_json(line), at)
        at += len(line)
        if turn:
            turn["text"] = clean(turn["text"])
            if turn["text"]:
                turns.append(turn)
    # A line that does not fit into one read is skipped.
    return turns, offset + (end or (len(data) if len(data) == MOST_READ else 0))


def turn_of(client, entry, at):
    if not isinstance(entry, dict):
        return None
    message = entry.get("payload") if client == "codex" else entry.get("message")
    if not isinstance(message, dict):
        return None
    if client == "codex" and message.get("type") != "message":
        return None
    if any(entry.get(name) for name in ("isMeta", "isSidechain", "isCompactSummary", "isApiErrorMessage")):
        return None
    role, content = message.get("role"), message.get("content")
    if role not in ("user", "assistant"):
        return None
    blocks = [content] if isinstance(content, str) else content if isinstance(content, list) else []
    texts = [one if isinstance(one, str) else one.get("text") for one in blocks if isinstance(one, (str, dict))]
    text = "\n".join(one for one in texts if isinstance(one, str) and not one.lstrip().startswith(_OWN_LINES))
    turn = {"id": str(entry.get("uuid") or f"line {at}"), "role": role, "text": text}
    if isinstance(entry.get("timestamp"), str):
        turn["at"] = entry["timestamp"]
    return turn if text.strip() else None


class Queue:
    """Queue of records to send to the server, in order. One file holds the lines, and a second one the offset up to
    which the server has accepted them."""

    def __init__(self, project):
        self.file = within("queue", project + ".jsonl")
        self.place = os.path.join("queue", project + ".sent.json")

    def add(self, rows):
        if not rows:
            return
        lines = b"".join(dumps(row | {"at": time.time()}).encode() + b"\n" for row in rows)
        with Lock(self.file + ".lock"):
            self._make_room(len(lines))
            with open(os.open(self.file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab") as target:
                if target.tell() and read_tail(self.file) != b"\n":
                    target.write(b"\n")
                target.write(lines)
                target.flush()
                os.fsync(target.fileno())

    def flush(self, settings):
        """Send records until all are accepted or the server accepts no more. Wait if another process is sending."""
        if not os.path.exists(self.file):
            return
        with Lock(self.file + ".sending"):
            while (row := self._next()) is not None:
                end, sent = row
                if sent is not None and time.time() - sent.get("at", 0) < KEPT_SECONDS:
                    server = Server(settings, sent["client"])
                    if server.post(sent["client"], sent.get("event", ""), sent["body"], 20.0) is None:
                        return
                with Lock(self.file + ".lock"):
                    write_json(self.place, {"sent": end})

    def _next(self):
        """Return the end of the first line that was not accepted yet, and its record (None if it is damaged). Return
        None if no line is left."""
        with Lock(self.file + ".lock"):
            sent = read_json(self.place, {}).get("sent", 0)
            with open(self.file, "rb") as source:
                source.seek(sent)
                line = source.readline()
            if not line.endswith(b"\n"):
                if not line:
                    os.truncate(self.file, 0)
                    write_json(self.place, {"sent": 0})
                return None
            row = parse_json(line)
            return sent + len(line), row if isinstance(row, dict) and "body" in row else None

    def _make_room(self, more):
        """If the queue is full, drop its oldest lines and count them."""
        if not os.path.exists(self.file) or os.path.getsize(self.file) + more <= MOST_QUEUE:
            return
        with open(self.file, "rb") as source:
            source.seek(read_json(self.place, {}).get("sent", 0))
            lines = source.readlines()
        kept, size = [], more
        for line in reversed(lines):
            size += len(line)
            if size > MOST_QUEUE // 2:
                break
            kept.append(line)
        count = read_json("dropped.json", {}).get("lines", 0) + len(lines) - len(kept)
        write_json("dropped.json", {"lines": count})
        write_bytes(self.file, b"".join(reversed(kept)))
        write_json(self.place, {"sent": 0})


class Server:
    def __init__(self, settings, client):
        url = (
            (settings.get("urls") or {}).get(client)
            or settings.get("url")
            or os.environ.get("CLAUDE_PLUGIN_OPTION_URL")
            or os.environ.get("ALMANAC_URL")
            or ""
        )
        keys = settings.get("keys") or {}
        own = os.environ.get("CLAUDE_PLUGIN_OPTION_API_KEY") or os.environ.get("ALMANAC_API_KEY") or ""
        self.key = keys.get(client) or own
        scheme, sign, rest = (url or "").partition("://")
        place, slash, path = rest.partition("/")
        if not sign or scheme not in ("http", "https") or not place.partition(":")[0]:
            scheme, place, slash, path = "http", "127.0.0.1:8787", "", ""
        head, bracket, tail = place.rpartition("]")
        host, _, port = (head + bracket, "", tail[1:]) if bracket else place.partition(":")
        self.secure, self.host = scheme == "https", host.strip("[]")
        self.port = int(port) if port.isdecimal() else 443 if self.secure else 80
        path = (slash + path).partition("?")[0].rstrip("/")
        at = f"{path}/".find("/mcp/")
        self.path = path if at < 0 else path[:at]

    def post(self, client, event, body, seconds=5.0):
        """Return the JSON of the answer, {} if the server rejects the record for good, or None to send it again
        later."""
        try:
            status, headers, answer = self.request(client, event, dumps(body).encode(), seconds)
        except (OSError, ValueError) as problem:
            if isinstance(problem, TimeoutError):
                open_breaker()
            return None
        # Give a record up only if the server itself rejects it for good. A proxy's redirect does not count.
        if "x-almanac-retry" in headers or status not in (200, 400, 413, 422):
            return None
        return parse_json(answer) if status == 200 else {}

    def request(self, client, event, body, seconds):
        connection = open_connection(self.host, self.port, seconds, self.secure)
        try:
            letters = "".join(one for one in event if one.isascii() and one.isalpha())
            query = "?event=" + letters if event else ""
            host = f"[{self.host}]" if ":" in self.host else self.host
            head = (
                f"POST {self.path}/hooks/{client}{query} HTTP/1.1\r\nhost: {host}:{self.port}\r\n"
                f"x-api-key: {self.key}\r\ncontent-type: application/json\r\nx-almanac-hook: 1\r\n"
                f"content-length: {len(body)}\r\nconnection: close\r\n\r\n"
            )
            connection.sendall(head.encode("latin-1", "replace") + body)
            data = b""
            while len(data) < MOST_ANSWER and (chunk := connection.recv(65536)):
                data += chunk
        finally:
            connection.close()
        head, _, answer = data.partition(b"\r\n\r\n")
        lines = head.decode("latin-1").split("\r\n")
        headers = {line.partition(":")[0].strip().lower(): line.partition(":")[2].strip() for line in lines[1:]}
        if headers.get("transfer-encoding", "").lower() == "chunked":
            answer = join_chunks(answer)
        if len(answer) < int(headers.get("content-length") or 0):
            raise ValueError("the answer was cut short")
        return int(lines[0].split()[1]), headers, answer


def open_connection(host, port, seconds, secure):
    """Return an open connection to the server."""
    if secure:
        import socket
        import ssl

        return ssl.create_default_context().wrap_socket(
            socket.create_connection((host, port), timeout=seconds), server_hostname=host
        )
    import _socket

    problem = OSError("the server has no address")
    # As bytes the name needs no codec for international names.
    name = host.encode() if host.isascii() else host
    for family, kind, protocol, _, address in _socket.getaddrinfo(name, port, 0, _socket.SOCK_STREAM):
        connection = _socket.socket(family, kind, protocol)
        try:
            connection.settimeout(seconds)
            connection.connect(address)
            return connection
        except OSError as failed:
            connection.close()
            problem = failed
    raise problem


def join_chunks(data):
    whole = b""
    while data:
        size, _, data = data.partition(b"\r\n")
        length = int(size.split(b";")[0] or b"0", 16)
        if not length:
            break
        whole, data = whole + data[:length], data[length + 2 :]
    return whole


def is_broken():
    return read_json("breaker.json", {}).get("until", 0) > time.time()


def open_breaker():
    """Count a timeout of the server. After the second in a row, events skip the server for a minute."""
    known = read_json("breaker.json", {})
    recent = known.get("at", 0) > time.time() - BREAK_SECONDS
    write_json("breaker.json", {"at": time.time(), "until": time.time() + BREAK_SECONDS if recent else 0})


class Lock:
    """Lock between processes. The operating system releases it if its holder is killed."""

    def __init__(self, file):
        self.file = file

    def __enter__(self):
        os.makedirs(os.path.dirname(self.file), mode=0o700, exist_ok=True)
        self.handle = os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600)
        if os.name == "nt":
            import msvcrt

            msvcrt.locking(self.handle, msvcrt.LK_LOCK, 1)
        else:
            import fcntl

            fcntl.flock(self.handle, fcntl.LOCK_EX)

    def __exit__(self, *_):
        os.close(self.handle)


def arm(seconds):
    """Raise TimeoutError in the running code after so many seconds, and end the process a second later if it still
    runs."""
    import _signal as signal

    def fail(*_):
        signal.signal(signal.SIGALRM, lambda *_: os._exit(0))
        signal.setitimer(signal.ITIMER_REAL, 1.0)
        raise TimeoutError

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, fail)
        signal.setitimer(signal.ITIMER_REAL, seconds)


def detach():
    """Close the client's pipes, because the client waits until they are closed."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)


def within(*names):
    return os.path.join(HOME, *names)


def read_text(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as source:
            return source.read(1_000_000)
    except OSError:
        return ""


def read_tail(path):
    with open(path, "rb") as source:
        source.seek(-1, os.SEEK_END)
        return source.read(1)


def read_json(name, default):
    found = parse_json(read_text(within(name)))
    return found if isinstance(found, type(default)) else default


def parse_json(text):
    try:
        return loads(text)
    except (ValueError, RecursionError):
        return None


def write_json(name, value):
    write_bytes(within(name), dumps(value).encode())


def write_bytes(path, data):
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    made = f"{path}.{os.getpid()}"
    with open(os.open(made, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as target:
        target.write(data)
    os.replace(made, path)


def codec():
    """Return a function that reads JSON and one that writes it, which behave like `json` with its defaults."""
    try:
        from _json import encode_basestring_ascii, make_encoder, make_scanner

        class Defaults:
            strict, object_hook, object_pairs_hook, array_hook = True, None, None, None
            parse_float, parse_int, parse_constant = float, int, float

        scan = make_scanner(Defaults)
        encode = make_encoder(None, _refuse, encode_basestring_ascii, None, ": ", ", ", False, False, True)
        encode(scan('{"a": [1.5, ""]}', 0)[0], 0)
    except (ImportError, AttributeError, TypeError):
        import json

        return json.loads, json.dumps

    def read(text):
        if isinstance(text, bytes):
            text = text.decode("utf-8", "surrogatepass")
        text = text.strip(" \t\n\r")
        try:
            value, end = scan(text, 0)
        # For an error within a value the scanner uses a class of `json`. Without the module it raises SystemError.
        except (StopIteration, SystemError):
            raise ValueError("this is not JSON") from None
        if end != len(text):
            raise ValueError("something follows the JSON")
        return value

    return read, lambda value: "".join(encode(value, 0))


def _refuse(value):
    raise TypeError(type(value).__name__)


loads, dumps = codec()


def digest(text):
    try:
        from _sha2 import sha256
    except ImportError:
        try:
            from _sha256 import sha256
        except ImportError:
            from hashlib import sha256
    return sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:24]


if __name__ == "__main__":
    try:
        # A client that never closes its pipe, or a disk that hangs, must not keep this process alive.
        arm(5.0)
        told = main(sys.argv)
        if told:
            sys.stdout.write(dumps(told))
            sys.stdout.flush()
    except BaseException:  # noqa: BLE001, S110 - a hook must never be what stops an agent
        pass
    os._exit(0)
