"""A trained policy without torch: its inputs, its layers, its files, its place in a search."""
