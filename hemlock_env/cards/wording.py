"""Words in, English out: what a card does, in one line for people."""

from hemlock_env.cards.card_set import CardSet, Condition, Effect, Loot, Word
from hemlock_env.cards.vocabulary import OP_ARGUMENT, TEST_ARGUMENT, Op, Test, Where

# One line for each word of the vocabulary; {} is its argument.
EFFECT_PHRASES = {
    Op.PLACE_MARKER: "place a marker {}",
    Op.GAIN_ITEM: "gain {}",
    Op.GAIN_MINION: "gain {}",
    Op.GAIN_GENERIC: "gain a generic minion",
    Op.GAIN_LEADER: "gain a leader",
    Op.PLAY_MINION: "play a minion from hand {}",
    Op.DISCARD_RIVAL: "discard a rival's minion {}",
    Op.MOVE_MINION: "move an own minion to another district",
    Op.RETURN_MINION: "take an own minion back to hand",
    Op.RIVALS_DISCARD: "each rival discards a minion from hand",
    Op.PLACE_LEADER: "place a leader from the supply in its lair",
    Op.GAIN_SUPPORT: "gain a support marker",
}

# One line for each agenda test; {} is its argument.
CONDITION_PHRASES = {
    Test.MOST_MARKERS: "strictly the most markers in {}",
    Test.ITEMS: "{} or more items",
    Test.GROUP: "{} or more own markers connected within one district",
    Test.HAND: "{} or more minions in hand",
    Test.MARKERS_EVERYWHERE: "{} or more own markers in every district",
}

WHERE_PHRASES = {Where.HERE: "here", Where.ANY: "in any district"}


def name_words(name: str) -> str:
    """An id as words: `leader_alley_maze` is "leader alley maze"."""
    return name.replace("_", " ")


def effect_words(card_set: CardSet, effect: Effect) -> str:
    """An effect as sentences: "Place a marker here. Gain a trinket."."""
    phrases = [word_phrase(card_set, word) for word in effect]
    return " ".join(f"{phrase[0].upper()}{phrase[1:]}." for phrase in phrases) or "Nothing."


def card_words(card_set: CardSet, loot: Loot) -> str:
    """A loot card in one line: "courtesan: place a marker here"."""
    phrases = [word_phrase(card_set, word) for word in loot.ability]
    return f"{name_words(card_set.minions[loot.minion])}: {', then '.join(phrases) or 'nothing'}"


def condition_words(card_set: CardSet, condition: Condition) -> str:
    """Half of an agenda card: "2 points: 3 or more items"."""
    points = "1 point" if condition.points == 1 else f"{condition.points} points"
    argument = str(condition.argument)
    if TEST_ARGUMENT[condition.test] == "district":
        argument = name_words(card_set.districts[condition.argument].id)
    return f"{points}: {CONDITION_PHRASES[condition.test].format(argument)}"


def word_phrase(card_set: CardSet, word: Word) -> str:
    """One word of an effect with its argument."""
    return EFFECT_PHRASES[word.op].format(argument_phrase(card_set, word))


def argument_phrase(card_set: CardSet, word: Word) -> str:
    """The place, the item or the minion that a word speaks of; empty if none."""
    key = OP_ARGUMENT[word.op]
    if key == "where":
        return WHERE_PHRASES[Where(word.argument)]
    if key == "item":
        return with_article(card_set.items[word.argument].id)
    if key == "minion":
        return with_article(card_set.minions[word.argument])
    return ""


def with_article(name: str) -> str:
    """`alchemist` is "an alchemist"."""
    return f"{'an' if name[0] in 'aeiou' else 'a'} {name_words(name)}"
