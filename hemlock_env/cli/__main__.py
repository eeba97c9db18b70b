"""`python -m hemlock_env.cli`."""

from hemlock_env.cli import main

main()
