"""`python -m training.maskable_ppo` is `hemlock train --trainer maskable_ppo` in a clone."""

import sys

from hemlock_env.cli import main

if __name__ == "__main__":
    main(["train", "--trainer", "maskable_ppo", *sys.argv[1:]])
