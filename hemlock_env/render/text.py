"""x"""
def render(game, seat=None): return "x"
