"""`python -m training.report RUN RUN ... [--out FILE]`: the learning curves of several runs, such
as those of several seeds, as one with bands.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from hemlock_env.learning.report import CSV, draw_curves, read_metrics


def main(arguments: list[str] | None = None) -> int:
    """The command; the exit code."""
    parser = argparse.ArgumentParser(prog="python -m training.report")
    parser.add_argument("run", type=Path, nargs="+", help="run folders, such as runs/quickstart")
    parser.add_argument("--out", type=Path, default=Path("learning_curves.png"), help="a PNG file")
    given = parser.parse_args(arguments)
    try:
        runs = [read_metrics(run / CSV) for run in given.run]
        for run, rows in zip(given.run, runs, strict=True):
            if not rows:
                raise ValueError(f"{run}: no update in its {CSV} yet")
        draw_curves(runs, given.out)
    except (OSError, ValueError, KeyError) as error:
        print(f"report: {error}", file=sys.stderr)
        return 2
    print(f"{given.out}: {len(runs)} runs")
    return 0


if __name__ == "__main__":
    sys.exit(main())
