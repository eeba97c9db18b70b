"""Events: every number that a seed or a key is mixed with before something is drawn from it.

One list, so that no two draws share a stream. Mixes of a game's seed are the rules' and a batch's;
those of a bot's or a match's key lie far from them, so that a game and a bot of the same seed share
nothing.
"""

# ---- a game's seed: chance (docs/formats.md), one stream each ----
EVENT_SIDES = 0
EVENT_FIRST_PLAYER = 1
EVENT_DEAL = 2
EVENT_AGENDAS = 3
EVENT_NIGHT_DECK = 4
EVENT_LOOT = 5  # + (week - 1) * WEEK_NIGHTS + night: 6 to 13
EVENT_REDEAL = 32
EVENT_NEXT_GAME = 40  # the seed of a batch slot's next game

# ---- a batch's seed ----
EVENT_SLOT = 64  # + 2 * slot: a slot's first seed; + 1: its policy stream

# ---- the key of one decision ----
EVENT_PLAYOUT_STREAM = 1 << 27  # the playouts' own stream
EVENT_DEAL_AGAIN = 1 << 28  # + the number of the iteration: its redeal
EVENT_TIE = 1 << 30  # breaks ties

# ---- the seed of a bot, a match, an environment, an endgame set, a session ----
EVENT_BOT = 1 << 29  # the stream that `Bot.act` draws keys from
EVENT_MATCH_KEYS = EVENT_BOT + 1
EVENT_MATCH_GAMES = EVENT_BOT + 2
EVENT_NEXT_EPISODE = EVENT_BOT + 3
EVENT_SEAT = EVENT_BOT + 4
EVENT_OPPONENTS = EVENT_BOT + 5
EVENT_PLAY = EVENT_BOT + 6
EVENT_SPREAD = EVENT_BOT + 7  # into the seeds of games side by side
EVENT_ENDGAMES = EVENT_BOT + 16
EVENT_MAKE_ENDGAMES = EVENT_BOT + 17
EVENT_RESAMPLE_ENDGAMES = EVENT_BOT + 18
