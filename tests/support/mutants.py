"""`make mutants`: single faults put into the engine, one at a time; the suite must catch every one.

    python -m tests.support.mutants             all of them
    python -m tests.support.mutants leader      those whose name, file or meaning has the word in it
    python -m tests.support.mutants --list      what there is, without running anything

Each fault changes one place in a copy of the package; then chosen tests of the suite run on that
copy, uncompiled, until one fails. A fault that no test notices, or whose text is no longer in the
source, makes the whole run fail. First the tests must pass on an unchanged copy.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
WORKERS = os.cpu_count() or 1
LONGEST = 300  # seconds for one fault: a game that never ends is noticed, too

# Arguments of pytest; a later group runs only if the groups before it pass.
PLAY = ("tests/properties/test_glance.py",)
HIDDEN = (*PLAY, "-k", "three")  # hidden loot, items as loot, agendas
CHOICE = (*PLAY, "-k", "has_a_choice")
BATCH = (*PLAY, "-k", "batch")
COPIES = (*PLAY, "-k", "copy and (own or two)")
RULES = ("tests/test_cases.py", "tests/rules")
BAD_POSITIONS = (
    "tests/bad_input/test_positions.py",
    "tests/bad_input/test_half_done.py",
    "-k",
    "one_thing_wrong",
)
BAD_RECORDS = ("tests/bad_input/test_records.py", "-k", "goes_on_after_the_end")
BAD_BATCHES = ("tests/bad_input/test_batches.py",)
CHANCE = ("tests/properties/test_chance.py", "-k", "generic_kind")
GROUPS = (PLAY, RULES)


class Fault(NamedTuple):
    """One change of the source, and what it breaks."""

    file: str
    old: str
    new: str
    meaning: str
    groups: tuple[tuple[str, ...], ...] = GROUPS


FAULTS = (
    # ---- R6: minions ----
    Fault(
        "cards/compile.py",
        "return LEADER_VALUE",
        "return LEADER_VALUE - 1",
        "R6.4: a leader counts 2",
    ),
    Fault(
        "cards/compile.py",
        "return 2 if kind == MASQUE or lair == district else 1",
        "return 2 if lair == district else 1",
        "R6.2: a masque counts 1",
    ),
    Fault(
        "engine/minions.py",
        "if state.supply[SERVANT] > 0:",
        "if state.supply[SERVANT] > 1:",
        "R6.6: the last servant is never given",
    ),
    Fault(
        "engine/minions.py",
        "return kind < GENERICS and",
        "return kind < GENERICS + 1 and",
        "R6.2: a masque triggers a scheme whose symbol it is",
        (RULES,),
    ),
    Fault(
        "engine/minions.py",
        "if state.step != Step.LOOT_USED:",
        "if state.step == Step.REVEAL:",
        "R6.7: special actions trigger schemes",
        (RULES,),
    ),
    Fault(
        "engine/minions.py",
        "    state.known[seat, kind] += 1",
        "    state.known[seat, kind] += 0",
        "R13.4: a gain isn't known",
    ),
    Fault(
        "engine/minions.py",
        "        if kind != SERVANT:\n            cards +=",
        "        if kind != SERVANT - 1:\n            cards +=",
        "R9.6: servants count, masques don't",
    ),
    # ---- R7: effects ----
    Fault(
        "engine/effects.py",
        "    gain(state, state.active, NOTHING)\n",
        "",
        "R7.4, R6.6: no servant when all four kinds are exhausted",
        (RULES,),
    ),
    Fault(
        "engine/effects.py",
        "rival = (state.active + 1 + frame.progress)",
        "rival = (state.supremacy + 1 + frame.progress)",
        "R7.10: rivals discard clockwise from supremacy, not from the actor",
    ),
    Fault(
        "engine/effects.py",
        "return seat != state.active and has_losable_in",
        "return has_losable_in",
        "R7.7: one may discard an own minion",
    ),
    Fault(
        "engine/effects.py",
        "if where == Where.ANY:",
        "if where == Where.HERE:",
        "R7: here and any exchanged",
    ),
    Fault(
        "engine/effects.py",
        "return state.supply[kind] > 0 and leader_may_stand",
        "return leader_may_stand",
        "R7.11: a leader comes from an empty supply",
    ),
    Fault(
        "engine/decisions.py",
        "    state.minions[district, state.decider, frame.minion] += 1\n",
        "    state.minions[district, state.decider, frame.minion] += 1\n    frame.triggers = 0\n",
        "R5.3: a scheme is forgotten when the minion is moved away",
    ),
    Fault(
        "engine/decisions.py",
        "    state.minions[district, rival, kind] -= 1\n    state.discard[kind] += 1\n",
        "    state.minions[district, rival, kind] -= 1\n    state.supply[kind] += 1\n",
        "R6.5: a discarded minion goes to the supply",
    ),
    Fault(
        "engine/decisions.py",
        "        if district != state.frames[state.depth - 1].district:",
        "        if district >= 0:",
        "R7.8: a minion may be moved to where it stands",
    ),
    Fault(
        "engine/decisions.py",
        "SEAT_BLOCK + 1\n",
        "SEAT_BLOCK + 2\n",
        "R7.7: the wrong rival is picked",
    ),
    # ---- R5, R8: the night ----
    Fault(
        "engine/decisions.py",
        "    state.used[action] = 1\n",
        "",
        "R5.2: used loot cards are forgotten",
    ),
    Fault(
        "engine/decisions.py",
        "legal, count, 0, NON_LEADERS)",
        "legal, count, 0, MINIONS)",
        "R8.1: a leader may be taken as a special action",
    ),
    Fault(
        "engine/flow.py",
        "if state.turn == 2 * state.num_players:",
        "if state.turn == 2 * state.num_players - 1:",
        "R5.1: the last player uses one loot card only",
    ),
    Fault(
        "engine/flow.py",
        "    state.used[:] = 0\n",
        "",
        "R5.2: loot used last night still counts as used",
    ),
    Fault(
        "engine/flow.py",
        "        if count != 1:",
        "        if count >= 0:",
        "R14.1: players are asked where they have no choice",
    ),
    # ---- R9: the week's end ----
    Fault(
        "engine/flow.py",
        "state.supremacy = seat_in_order(state, 1)",
        "state.supremacy = seat_in_order(state, 0)",
        "R9.0: supremacy stays",
    ),
    Fault(
        "engine/flow.py",
        "return own > 0",
        "return True",
        "R9.2: a total of 0 claims",
    ),
    Fault(
        "engine/flow.py",
        "return has_leader(state, seat, district)",
        "return 0",
        "R9.3: leaders place nothing",
    ),
    Fault(
        "engine/flow.py",
        "elif state.claim_at < 2 * state.num_players:",
        "elif state.claim_at < 2 * state.num_players - 1:",
        "R9.3: the last seat's leader places nothing",
    ),
    Fault(
        "engine/flow.py",
        "state.item_supply[item] += state.spent[seat, item]",
        "state.item_supply[item] += 0",
        "R9.5: face-down items are lost",
    ),
    Fault(
        "engine/flow.py",
        "return Step.DISCARD_DOWN if state.week == 1 else Step.WEEK_OVER",
        "return Step.DISCARD_DOWN",
        "R9.6: discarding down in the second week too",
    ),
    Fault(
        "engine/markers.py",
        "if state.stock[seat] == 0:",
        "if state.stock[seat] < 0:",
        "R9.4: a marker is placed from an empty stock",
    ),
    # ---- R10, R12.5: scoring ----
    Fault(
        "engine/markers.py",
        "if 0 <= r < GRID and 0 <= c < GRID]",
        "if 1 <= r < GRID and 0 <= c < GRID]",
        "R10.1: a neighbour in the first row isn't seen",
    ),
    Fault(
        "engine/scoring.py",
        "item_count(state, other) >= own:",
        "item_count(state, other) > own:",
        "R10.2: a tie for most items gives the bonus",
    ),
    Fault(
        "engine/scoring.py",
        "markers_in(state, other, district) >= own:",
        "markers_in(state, other, district) > own:",
        "R12.5: a tie for most markers meets the condition",
        (RULES,),
    ),
    Fault(
        "engine/scoring.py",
        "placed_markers(state, other) > own_placed",
        "placed_markers(state, other) < own_placed",
        "R10.6: the fewest markers win a tie",
        (RULES,),
    ),
    Fault(
        "engine/kernel.py",
        "rewards[game, seat] = -1.0 / (n - won)",
        "rewards[game, seat] = -1.0",
        "rewards of three players don't sum to 0",
        (BATCH,),
    ),
    # ---- chance ----
    Fault(
        "engine/chance.py",
        "state.stream = mix(state.seed, event)",
        "state.stream = mix(np.uint64(7), event)",
        "the seed is ignored",
    ),
    Fault(
        "engine/flow.py",
        "EVENT_LOOT + (state.week - 1) * WEEK_NIGHTS + state.night)",
        "EVENT_LOOT + state.night)",
        "the second week has the loot of the first",
    ),
    Fault(
        "engine/setup.py",
        "            number = draw_below(state, undealt)",
        "            number = draw_below(state, undealt // 2 + 1)",
        "R2.2: the deal is not even",
        (CHANCE,),
    ),
    Fault(
        "engine/kernel.py",
        "seed = next_seed(state.seed)",
        "seed = state.seed",
        "a batch plays the same game again and again",
        (BATCH,),
    ),
    # ---- R13: what a player knows ----
    Fault(
        "engine/view.py",
        "side_shown.known[kind] = state.known[other, kind]",
        "side_shown.known[kind] = state.hand[other, kind]",
        "R13.2: everyone's hand is shown",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/view.py",
        "agendas + state.agenda[seat] * AGENDA_BYTES).held",
        "agendas + state.agenda[0] * AGENDA_BYTES).held",
        "R13.2: all see the agenda of seat 0",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/view.py",
        "card.in_hand = state.loot_hand[seat, loot]",
        "card.in_hand = state.loot_hand[max(state.decider, 0), loot]",
        "R13.2: all see the loot hand of whoever decides",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/view.py",
        "shown.nights_to_come[state.night_deck[place]] = 1",
        "shown.nights_to_come[state.night_deck[place]] = place == 0",
        "R13.2: the next night card is shown",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/view.py",
        "return distance + state.num_players if distance < 0 else distance",
        "return other",
        "an observation counts seats from seat 0",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/redeal.py",
        "    sort_night_deck(state)\n",
        "",
        "R13.6: a redeal of the night deck depends on its true order",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/redeal.py",
        "    state.seed = seed\n",
        "",
        "a redeal ignores its seed",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/redeal.py",
        "if state.used[loot] == 0 and state.loot_hand[seat, loot] == 0:",
        "if state.loot_hand[seat, loot] == 0:",
        "R13.5: a rival is dealt a loot card that was used",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "engine/redeal.py",
        "while count < 2:",
        "while count < 1:",
        "R13.6: a redeal leaves whoever decides no choice",
        (CHOICE,),
    ),
    Fault(
        "engine/redeal.py",
        "        state.hand[rival, kind] = state.known[rival, kind]\n",
        "        state.hand[rival, kind] = 0\n",
        "R13.4: a redeal loses what is known of a hand",
        (HIDDEN, *GROUPS),
    ),
    # ---- positions, records, copies ----
    Fault(
        "game/position.py",
        "if count != copies * self.n:",
        "if count > copies * self.n:",
        "R1.5: a position with a card too few is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "game/position.py",
        '            if is_space != (sign != " "):',
        '            if is_space and sign == " ":',
        "R12.1: a marker on no space is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "game/position.py",
        "            if left > due:",
        "            if left > MARKERS:",
        "R9.2: a claim of too many markers is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "game/position.py",
        'not same_json(decision["legal"], names)',
        'len(decision["legal"]) != len(names)',
        "a position with other legal actions is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "game/position.py",
        '"rng": {"seed": int(state["seed"])}',
        '"rng": {"seed": 0}',
        "a position forgets the chance to come",
        (COPIES,),
    ),
    Fault(
        "game/record.py",
        '    if place < len(record["events"]):',
        "    if place < 0:",
        "a record that goes on after the end is replayed",
        (BAD_RECORDS,),
    ),
    Fault(
        "engine/kernel.py",
        " and masks[game, action] == 1",
        "",
        "a batch takes illegal actions",
        (BAD_BATCHES,),
    ),
    Fault(
        "game/game.py",
        "self._arrays.take(slice(0, 1), log=True)",
        "self._arrays.take(slice(0, 1))",
        "a copy has no record",
        (COPIES,),
    ),
)


def make_copy(folder: Path) -> None:
    """The package and its tests, where they can be changed."""
    ignore = shutil.ignore_patterns("__pycache__", "*.nbc", "*.nbi")
    for name in ("hemlock_env", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)


def put_in(fault: Fault, folder: Path) -> None:
    """Changes the one place; ValueError if it isn't there exactly once."""
    file = folder / "hemlock_env" / fault.file
    text = file.read_text(encoding="utf-8")
    if text.count(fault.old) != 1:
        raise ValueError(f"{fault.file} has {text.count(fault.old)} times: {fault.old.strip()!r}")
    file.write_text(text.replace(fault.old, fault.new), encoding="utf-8")


def run(folder: Path, arguments: Iterable[str]) -> str:
    """Runs tests on a copy; what the first failure says, empty if all pass."""
    command = [sys.executable, "-m", "pytest", "-x", "-q", "--tb=line", "-p", "no:cacheprovider"]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1", "PYTHONDONTWRITEBYTECODE": "1"}
    environment |= {"PYTHONPATH": str(folder)}
    try:
        done = subprocess.run(
            [*command, *arguments],
            cwd=folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=LONGEST,
            check=False,
        )
    except subprocess.TimeoutExpired:
        return f"no end after {LONGEST} s"
    if done.returncode == 0:
        return ""
    lines = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode != 1 or not lines:
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return lines[0].split(" - ")[0].split("::", 1)[-1]


def uses_the_copy(folder: Path) -> bool:
    """Is it the copy that is imported there, and not the package of this environment?"""
    done = subprocess.run(
        [sys.executable, "-c", "import hemlock_env; print(hemlock_env.__file__)"],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(folder)},
        capture_output=True,
        text=True,
        check=True,
    )
    return Path(done.stdout.strip()).is_relative_to(folder.resolve())


def caught_by(fault: Fault) -> str:
    """The first test that notices a fault, empty if none does."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        make_copy(folder)
        put_in(fault, folder)
        for group in fault.groups:
            found = run(folder, group)
            if found:
                return found
    return ""


def check_unchanged(faults: list[Fault], pool: ThreadPoolExecutor) -> None:
    """The tests pass on a copy without a fault, or what they say of a fault means nothing."""
    groups = dict.fromkeys(group for fault in faults for group in fault.groups)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name).resolve()
        make_copy(folder)
        assert uses_the_copy(folder), "the package of this environment would be tested"
        failed = [found for found in pool.map(lambda group: run(folder, group), groups) if found]
    if failed:
        sys.exit(f"Without any fault this fails already: {', '.join(failed)}")


def chosen(words: list[str]) -> list[Fault]:
    """The faults that speak of one of the words; all of them, if there is none."""
    return [
        fault
        for fault in FAULTS
        if not words or any(word.lower() in " ".join(fault[:4]).lower() for word in words)
    ]


def main(arguments: list[str]) -> None:
    """Prints one line a fault; ends with an error if one is not caught."""
    words = [word for word in arguments if word != "--list"]
    faults = chosen(words)
    if not faults:
        sys.exit(f"No fault speaks of {' or '.join(words)}; --list shows them.")
    if "--list" in arguments:
        for fault in faults:
            print(f"{fault.file:20} {fault.meaning}")
        return
    began, wrong = time.perf_counter(), []

    def tried(fault: Fault) -> tuple[str, str]:
        try:
            found = caught_by(fault)
        except (ValueError, RuntimeError) as error:
            return "BROKEN", str(error)
        return ("caught", found) if found else ("SURVIVED", "")

    with ThreadPoolExecutor(WORKERS) as pool:
        check_unchanged(faults, pool)
        for fault, (verdict, detail) in zip(faults, pool.map(tried, faults), strict=True):
            print(f"{verdict:8}  {fault.file:20}  {fault.meaning}  [{detail}]", flush=True)
            if verdict != "caught":
                wrong.append(fault)
    seconds = time.perf_counter() - began
    print(f"{len(faults) - len(wrong)} of {len(faults)} faults caught in {seconds:.0f} s")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
