"""Bad input: a ValueError that names what is wrong, and the game, batch or file is what it was."""
