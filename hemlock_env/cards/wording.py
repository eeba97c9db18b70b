"""Words in, English out: what a card does, in one line for people."""

from hemlock_env.cards.card_set import CardSet, Condition, Effect, Loot, Word
from hemlock_env.cards.vocabulary import AGENDA_TESTS, EFFECT_WORDS, Where

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
    key, phrase = AGENDA_TESTS[condition.test]
    argument = str(condition.argument)
    if key == "district":
        argument = name_words(card_set.districts[condition.argument].id)
    return f"{points}: {phrase.format(argument)}"


def word_phrase(card_set: CardSet, word: Word) -> str:
    """One word of an effect with its argument."""
    _, phrase = EFFECT_WORDS[word.op]
    return phrase.format(argument_phrase(card_set, word))


def argument_phrase(card_set: CardSet, word: Word) -> str:
    """The place, the item or the minion that a word speaks of; empty if none."""
    key, _ = EFFECT_WORDS[word.op]
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
