"""`python -m training.evaluate`: see `hemlock_env.learning.evaluate`."""

import sys

from hemlock_env.learning.evaluate import main

if __name__ == "__main__":
    sys.exit(main())
