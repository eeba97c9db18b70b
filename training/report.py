"""`python -m training.report`: see `hemlock_env.learning.report`."""

import sys

from hemlock_env.learning.report import main

if __name__ == "__main__":
    sys.exit(main())
