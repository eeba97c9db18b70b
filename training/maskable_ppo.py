"""`python -m training.maskable_ppo`: see `hemlock_env.learning.maskable_ppo`."""

import sys

from hemlock_env.learning.maskable_ppo import main

if __name__ == "__main__":
    sys.exit(main())
