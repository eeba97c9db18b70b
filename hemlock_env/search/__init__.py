"""Thinking ahead in compiled code: heuristics, playouts, tree search, exact endgames."""
