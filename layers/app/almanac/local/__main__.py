"""`python -m almanac.local`: the command line, for programs that know the interpreter but not the script."""

from almanac.local.cli import main

if __name__ == "__main__":
    main()
