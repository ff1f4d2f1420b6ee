"""Files: paths, and names recognised by their extension or by convention."""

import re
from functools import cache

_EXTENSIONS_NAMED = (
    "7z aar apk asm astro avi bak bash bat bazel bib bin bmp bz2 c cc cer cfg cjs class clj cljs cmake cmd "
    "conf config cpp cr crt cs csproj css csv cts cu cxx d dart dat db deb diff dll dmg doc docx dylib edn "
    "egg ejs elf elm env eot eps erb erl ex exe exs f90 fish fs fsproj gif go gql gradle graphql gz h haml "
    "hbs hcl heex hh hpp hs htm html hxx ico iml ini ino ipynb iso j2 jade jar java jinja jks jl jpeg jpg js "
    "json json5 jsonc jsonl jsp jsx key kt kts ld less lib liquid lisp lock log lua m m3u8 m4 map markdown md "
    "mdx mjs mk ml mli mm mod mov mp3 mp4 mts mustache nim nix o obj ogg orig otf out p12 parquet patch pdf "
    "pem php phar pkl pl plist pm png po pot ppt pptx prisma properties proto ps1 psd pub pug py pyc pyi pyx "
    "qml r rake rar rb rbi rdb rmd rpm rs rst rtf s sass sbt scala scm scss sh sln snap so sol sql sqlite "
    "sqlite3 srt styl svelte svg swf swift tar tcl tex tf tfvars tgz tif tiff tmpl toml tpl ts tsv tsx ttf "
    "twig txt vb vbs vcxproj vim vue war wasm wat wav webm webp whl woff woff2 wsdl xaml xcodeproj xhtml "
    "xls xlsx xml xsd xsl xz yaml yml zig zip zsh ihex hex pyd nupkg gemspec podspec storyboard xib strings "
    "ics vcf kml gpx geojson mbtiles shp npz npy h5 onnx pt"
)
_EXTENSIONS = frozenset(_EXTENSIONS_NAMED.split())
_NAMES_NAMED = (
    "makefile dockerfile jenkinsfile vagrantfile gemfile rakefile procfile podfile brewfile justfile "
    "cmakelists.txt containerfile pipfile codeowners tiltfile readme changelog codeowners authors.txt "
    "caddyfile snakefile fastfile"
)
_NAMES = frozenset(_NAMES_NAMED.split())
_DOTTED_NAMED = (
    ".env .gitignore .gitattributes .gitmodules .dockerignore .npmrc .nvmrc .babelrc .eslintrc .prettierrc "
    ".editorconfig .bashrc .zshrc .profile .bash_profile .vimrc .htaccess .netrc .npmignore .pylintrc .flake8 "
    ".coveragerc .gitconfig .tool-versions .python-version .ruby-version .rspec .travis .browserslistrc "
    ".inputrc .tmux.conf .pypirc .condarc"
)
_DOTTED = frozenset(_DOTTED_NAMED.split())
# Products whose names look like file names.
_PRODUCTS_NAMED = (
    "node.js vue.js next.js react.js three.js d3.js express.js ember.js backbone.js angular.js asp.net nuxt.js p5.js"
)
_PRODUCTS = frozenset(_PRODUCTS_NAMED.split())
_PART = r"[\w@%+~#$][\w.@%+~#$-]*"
_PLACE = r"(?::\d+(?:[:-]\d+)?|#L\d+(?:-L\d+)?|\(\d+(?:,\d+)?\))?"
_ROOTED = r"(?:(?:~|\.{1,2}|[A-Za-z]:)[\\/]|/)"
_ROOTS_NAMED = (
    "usr etc var tmp home opt bin lib sbin dev proc root mnt srv sys run boot users library applications "
    "system volumes private work workspace app src data"
)
_ROOTS = _ROOTS_NAMED.split()


def file_in(chunk: str) -> str | None:
    """Return the lookup form of `chunk`, without its line number, if it is a file, else None."""
    match = _pattern().fullmatch(chunk)
    if not match:
        return None
    path = match.group("path").replace("\\", "/")
    return _normal(path) if _is_file(path) else None


def is_product(word: str) -> bool:
    """Return whether `word` is a product whose name looks like a file's: Node.js."""
    return word.casefold() in _PRODUCTS


def is_known_name(word: str) -> bool:
    """Return whether `word` is a well-known file name without an extension: Makefile, README."""
    return word.casefold() in _NAMES


@cache
def _pattern() -> re.Pattern[str]:
    return re.compile(rf"(?P<path>(?:{_ROOTED})?(?:{_PART}[\\/]|\.{_PART}[\\/])*(?:\.?{_PART})?){_PLACE}")


def _is_file(path: str) -> bool:
    name = path.rpartition("/")[2].lower()
    if name in _NAMES or name in _DOTTED or name.startswith((".env.", ".eslintrc.", "dockerfile.")):
        return True
    stem, dot, extension = name.rpartition(".")
    if dot and stem and extension in _EXTENSIONS:
        return not is_product(path) and (len(extension) > 1 or "/" in path or len(stem) > 1)
    return _is_rooted(path)


def _is_rooted(path: str) -> bool:
    """Return whether a path without an extension has a usual beginning: /usr/bin/ruby, ~/notes, ./run, src/app/."""
    parts = [part for part in path.split("/") if part not in {"", ".", "..", "~"}]
    if path.startswith(("~/", "./", "../")):
        return bool(parts)
    if path.startswith("/"):
        return len(parts) > 1 or (bool(parts) and parts[0].lower() in _ROOTS)
    return (len(path) > 3 and path[1:3] == ":/") or (path.endswith("/") and len(parts) > 0 and len(path) > 3)


def _normal(path: str) -> str:
    while path.startswith("./"):
        path = path[2:]
    return path.rstrip("/").casefold() or path
