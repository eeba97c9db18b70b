"""A person against bots: one session, played in a terminal or in a browser."""
