"""`python -m training.ppo`: see `hemlock_env.learning.ppo`."""

import sys

from hemlock_env.learning.ppo import main

if __name__ == "__main__":
    sys.exit(main())
