"""A ladder of bots: planned, played, stored, rated, reported."""
