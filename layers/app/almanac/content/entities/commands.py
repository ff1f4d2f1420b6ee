"""Commands: what begins with a known program, in backticks or behind a prompt."""

import re
from collections.abc import Iterator
from functools import cache

_PROGRAMS_NAMED = (
    "alembic ansible ansible-playbook apk apt apt-get aws awk az bash bazel black brew bun bundle cabal cargo "
    "cat cd chmod chown cmake composer conda cp crontab curl dig django-admin docker docker-compose dotnet du "
    "echo elixir env eslint export ffmpeg find flask flutter flyctl gcc gcloud gdb gem gh git go gofmt gpg "
    "gradle gradlew grep gunzip gzip helm heroku hg iptables java javac jest jq julia just kill kubectl ld "
    "ldd ln ls lsof make mkdir mongo mongosh mount mv mvn mvnw mypy mysql mysqldump nc netstat next nginx "
    "ninja node npm npx nvm openssl pacman patch perl php pip pip3 pipenv pipx pkill pm2 pnpm podman poetry "
    "pre-commit prettier ps psql pulumi pwd pyenv pyright pytest python python3 rails rake rbenv redis-cli rm "
    "rsync ruby ruff rustc rustup sam sbt scp sed serverless service sh snap sqlite3 ssh ssh-keygen strace su "
    "sudo supervisorctl svn swift systemctl tail tar tcpdump tee terraform tmux top touch tox tsc unzip uv "
    "uvicorn uvx vagrant vim vite vitest wget which xargs xcodebuild yarn yum zip"
)
_PROGRAMS = _PROGRAMS_NAMED.split()
_START = r"(?:(?:sudo|time|env|nohup)[ \t]+)?(?:[A-Z_]+=\S{1,100}[ \t]+){0,4}(?:\./)?"


@cache
def _commands() -> re.Pattern[str]:
    programs = "|".join(sorted(map(re.escape, _PROGRAMS), key=len, reverse=True))
    begin = rf"{_START}(?:{programs})(?=[ \t`\n]|\Z)"
    return re.compile(
        rf"(?<!`)`({begin}[^`\n]{{0,200}})`(?!`)"
        rf"|^[ \t]*(?:[\w@.~:/-]{{0,40}}[$%#>]|\$|>>?)[ \t]+({begin}[^\n]{{0,200}})",
        re.MULTILINE,
    )


def commands_in(text: str) -> Iterator[tuple[int, int]]:
    """Where commands stand in `text`."""
    for match in _commands().finditer(text):
        group = 1 if match.start(1) >= 0 else 2
        yield match.start(group), match.start(group) + len(match.group(group).rstrip())


def command_normal(command: str) -> str:
    """One blank between words, without what raises rights: `git rebase -i main`."""
    return " ".join(command.split()).removeprefix("sudo ").casefold()
