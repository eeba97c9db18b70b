"""Pictures of a game for people, all from one layout: text, SVG, pixels, a page to replay it."""
