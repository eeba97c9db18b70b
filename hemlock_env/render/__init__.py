"""Pictures of a game for people, all from one scene: text, SVG, pixels, a page to replay it."""
