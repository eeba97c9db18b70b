"""`python -m training.ppo` is `hemlock train` in a clone."""

import sys

from hemlock_env.cli import main

if __name__ == "__main__":
    main(["train", *sys.argv[1:]])
