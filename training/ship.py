"""`python -m training.ship` is `hemlock ship` in a clone."""

import sys

from hemlock_env.cli import main

if __name__ == "__main__":
    main(["ship", *sys.argv[1:]])
