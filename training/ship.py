"""`python -m training.ship`: see `hemlock_env.learning.publish`."""

import sys

from hemlock_env.learning.publish import main

if __name__ == "__main__":
    sys.exit(main())
