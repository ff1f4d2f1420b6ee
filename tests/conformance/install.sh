#!/bin/sh
# Fetches the public conformance suites, and the Node that they need, into .tools/conformance.
set -eu
here=$(cd "$(dirname "$0")/../.." && pwd)/.tools/conformance
fetch() { # folder, package...
    folder=$here/$1
    shift
    mkdir -p "$folder"
    [ -f "$folder/package.json" ] || echo '{"private":true}' > "$folder/package.json"
    npm install --prefix "$folder" --no-audit --no-fund --no-package-lock --loglevel=error "$@"
}
fetch node node@22.23.3
# npm may refuse install scripts; the package's own one links the binary of this platform.
[ -x "$here/node/node_modules/node/bin/node" ] || (cd "$here/node" && npm rebuild --foreground-scripts node)
fetch stable @modelcontextprotocol/conformance@0.1.16
fetch alpha @modelcontextprotocol/conformance@0.2.0-alpha.12
fetch inspector @modelcontextprotocol/inspector@2.12.0
"$here/node/node_modules/node/bin/node" --version
