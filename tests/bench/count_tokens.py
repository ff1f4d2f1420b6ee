"""Tokens of texts: `count_tokens.py ENCODING`, with a list of texts on standard input. Runs beside a tokenizer that
brings its vocabulary along: nothing is downloaded."""

# pyright: reportMissingImports=false, reportUnknownVariableType=false, reportUnknownMemberType=false
# pyright: reportUnknownArgumentType=false

import marshal
import sys

import bpe_openai


def main() -> None:
    encoding = bpe_openai.get_encoding(sys.argv[1])
    counts = [len(encoding.encode(text)) for text in marshal.load(sys.stdin.buffer)]
    marshal.dump({"tokens": counts}, sys.stdout.buffer)


main()
