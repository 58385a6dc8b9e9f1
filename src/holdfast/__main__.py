"""`python -m holdfast`: the whole command line."""

from holdfast.cli.app import main

if __name__ == "__main__":
    main()
