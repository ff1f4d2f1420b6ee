"""Find the language of a file by its name and its first characters."""

import re
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Final

TEXT: Final = "text"
"""Language of a file about which nothing is known."""

OUTLINED: Final = frozenset(
    {"python", "javascript", "typescript", "tsx", "rust", "go", "java", "csharp", "ruby", "c", "cpp"}
)
"""Languages that have a parser."""

_EXTENSIONS: Final[Mapping[str, str]] = {
    extension: language
    for language, extensions in {
        "python": "py pyi pyw",
        "javascript": "js jsx mjs cjs",
        "typescript": "ts mts cts",
        "tsx": "tsx",
        "rust": "rs",
        "go": "go",
        "java": "java",
        "csharp": "cs csx",
        "ruby": "rb rake gemspec ru",
        "c": "c h",
        "cpp": "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cppm",
        "bash": "sh bash zsh ksh",
        "clojure": "clj cljs cljc edn",
        "css": "css scss sass less",
        "csv": "csv tsv",
        "dart": "dart",
        "elixir": "ex exs",
        "erlang": "erl hrl",
        "fsharp": "fs fsi fsx",
        "graphql": "graphql gql",
        "haskell": "hs lhs",
        "hcl": "tf hcl tfvars",
        "html": "html htm xhtml vue svelte astro",
        "ini": "ini cfg conf properties",
        "json": "json jsonc json5 webmanifest",
        "julia": "jl",
        "kotlin": "kt kts",
        "lua": "lua",
        "markdown": "md markdown mdx",
        "nix": "nix",
        "objective-c": "m mm",
        "ocaml": "ml mli",
        "perl": "pl pm t",
        "php": "php phtml",
        "powershell": "ps1 psm1",
        "protobuf": "proto",
        "r": "r",
        "rst": "rst",
        "scala": "scala sbt sc",
        "sql": "sql",
        "swift": "swift",
        "toml": "toml",
        "xml": "xml xsd xsl xslt svg csproj props targets plist",
        "yaml": "yaml yml",
        "zig": "zig",
    }.items()
    for extension in extensions.split()
}

_NAMES: Final[Mapping[str, str]] = {
    name: language
    for language, names in {
        "python": "sconstruct sconscript wscript",
        "javascript": "jakefile",
        "ruby": "gemfile rakefile guardfile vagrantfile podfile fastfile brewfile capfile dangerfile",
        "bash": ".bashrc .bash_profile .profile .zshrc pkgbuild",
        "dockerfile": "dockerfile containerfile",
        "makefile": "makefile gnumakefile",
        "cmake": "cmakelists.txt",
        "groovy": "jenkinsfile",
        "toml": "cargo.lock pipfile",
        "json": ".babelrc .eslintrc .prettierrc composer.lock",
        "ini": ".editorconfig .gitconfig .npmrc",
    }.items()
    for name in names.split()
}

_INTERPRETERS: Final[Mapping[str, str]] = {
    "python": "python",
    "pypy": "python",
    "node": "javascript",
    "nodejs": "javascript",
    "deno": "typescript",
    "bun": "typescript",
    "ts-node": "typescript",
    "tsx": "typescript",
    "ruby": "ruby",
    "jruby": "ruby",
    "sh": "bash",
    "bash": "bash",
    "dash": "bash",
    "zsh": "bash",
    "ksh": "bash",
    "perl": "perl",
    "php": "php",
    "lua": "lua",
    "make": "makefile",
}
_SHEBANG = re.compile(
    r"#![ \t]*(?:\S{0,200}/)?env[ \t]+(?:-\S+[ \t]+|\w+=\S*[ \t]+){0,8}(\S{1,60})|#![ \t]*(\S{1,200})"
)
_HEAD = 20_000
_ONLY_CPP = re.compile(
    r"^[ \t]*(?:class[ \t]+\w+[^;]{0,200}\{|namespace\b[^;(]{0,100}\{|template[ \t]*<|using[ \t]+\w"
    r"|(?:public|private|protected)[ \t]*:|#[ \t]*include[ \t]*<(?:string|vector|memory|map|utility)>)|\bstd::",
    re.MULTILINE,
)


def language_of(path: str, head: str = "") -> str:
    """Return the language of the file at `path`, or "text" if it is unknown.

    `head` is its text or the start of it. The first 20,000 characters count: they show the `#!` line of a file whose
    name says nothing, and whether a header is C++.
    """
    name = PurePosixPath(path).name.lower()
    stem, _, extension = name.rpartition(".")
    if name in _NAMES:
        return _NAMES[name]
    if stem and extension in _EXTENSIONS:
        return "cpp" if extension == "h" and _ONLY_CPP.search(head[:_HEAD]) else _EXTENSIONS[extension]
    if name.startswith(("dockerfile.", "makefile.")):
        return name.partition(".")[0]
    return _by_shebang(head) if not stem else TEXT


def _by_shebang(head: str) -> str:
    found = _SHEBANG.match(head)
    if found is None:
        return TEXT
    program = PurePosixPath(found[1] or found[2]).name
    return _INTERPRETERS.get(program.rstrip("0123456789.") or program, TEXT)
