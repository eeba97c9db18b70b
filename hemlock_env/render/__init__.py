"""Pictures of a game for people: `text` for a terminal."""
