"""`python -m sourcegrad`: the command line."""
import sys

from sourcegrad.cli import main

if __name__ == "__main__":
    sys.exit(main())
