"""`make mutants`: single faults put into the engine, one at a time; the suite must catch every one.

    python -m tests.support.mutants             all of them
    python -m tests.support.mutants leader      those whose function or meaning has the word in it
    python -m tests.support.mutants --list      what there is, without running anything

Each fault changes one expression or statement of one function in a copy of the package; then chosen
tests of the suite run on that copy, uncompiled, until one fails. A fault that no test notices, or
whose place is no longer in the source, makes the whole run fail. First the tests must pass on an
unchanged copy.
"""

import ast
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).parents[2]
WORKERS = os.cpu_count() or 1
Functions = list[tuple[str, Path, ast.FunctionDef]]
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

    where: str  # the function, as `scoring.is_winner`: the last words of its dotted name
    old: str  # an expression or a statement in it, however it is laid out there
    new: str  # what stands there instead; nothing: the statement is gone
    meaning: str
    groups: tuple[tuple[str, ...], ...] = GROUPS


FAULTS = (
    # ---- R6: minions ----
    Fault(
        "minion_value",
        "return LEADER_VALUE",
        "return LEADER_VALUE - 1",
        "R6.4: a leader counts 2",
    ),
    Fault(
        "minion_value",
        "kind == MASQUE or lair == district",
        "lair == district",
        "R6.2: a masque counts 1",
    ),
    Fault(
        "minions.available",
        "state.supply[SERVANT] > 0",
        "state.supply[SERVANT] > 1",
        "R6.6: the last servant is never given",
    ),
    Fault(
        "minions.is_triggered",
        "kind < GENERICS",
        "kind < GENERICS + 1",
        "R6.2: a masque triggers a scheme whose symbol it is",
        (RULES,),
    ),
    Fault(
        "minions.is_triggered",
        "state.step != Step.LOOT_USED",
        "state.step == Step.REVEAL",
        "R6.7: special actions trigger schemes",
        (RULES,),
    ),
    Fault(
        "minions.to_hand",
        "state.known[seat, kind] += 1",
        "",
        "R13.4: a gain isn't known",
    ),
    Fault(
        "counting_cards",
        "kind != SERVANT",
        "kind != SERVANT - 1",
        "R9.6: servants count, masques don't",
    ),
    # ---- R7: effects ----
    Fault(
        "effects.gain_chosen",
        "gain(state, state.active, NOTHING)",
        "",
        "R7.4, R6.6: no servant when all four kinds are exhausted",
        (RULES,),
    ),
    Fault(
        "effects.rivals_discard",
        "state.active + 1 + frame.progress",
        "state.supremacy + 1 + frame.progress",
        "R7.10: rivals discard clockwise from supremacy, not from the actor",
    ),
    Fault(
        "is_possible_rival",
        "seat != state.active",
        "True",
        "R7.7: one may discard an own minion",
    ),
    Fault(
        "effects.scope",
        "where == Where.ANY",
        "where == Where.HERE",
        "R7: here and any exchanged",
    ),
    Fault(
        "may_place_leader",
        "state.supply[kind] > 0",
        "True",
        "R7.11: a leader comes from an empty supply",
    ),
    Fault(
        "apply_move_to",
        "state.minions[district, state.decider, frame.minion] += 1",
        "state.minions[district, state.decider, frame.minion] += 1; frame.triggers = 0",
        "R5.3: a scheme is forgotten when the minion is moved away",
    ),
    Fault(
        "apply_discard_rival",
        "state.discard[kind] += 1",
        "state.supply[kind] += 1",
        "R6.5: a discarded minion goes to the supply",
    ),
    Fault(
        "legal_move_to",
        "district != state.frames[state.depth - 1].district",
        "True",
        "R7.8: a minion may be moved to where it stands",
    ),
    Fault(
        "apply_pick_rival",
        "action - tables.n_loot - SEAT_BLOCK + 1",
        "action - tables.n_loot - SEAT_BLOCK + 2",
        "R7.7: the wrong rival is picked",
    ),
    # ---- R5, R8: the night ----
    Fault(
        "apply_use_loot",
        "state.used[action] = 1",
        "",
        "R5.2: used loot cards are forgotten",
    ),
    Fault(
        "legal_special_action",
        "list_takes(state, tables, legal, count, 0, NON_LEADERS)",
        "list_takes(state, tables, legal, count, 0, MINIONS)",
        "R8.1: a leader may be taken as a special action",
    ),
    Fault(
        "flow.use_loot",
        "state.turn == 2 * state.num_players",
        "state.turn == 2 * state.num_players - 1",
        "R5.1: the last player uses one loot card only",
    ),
    Fault(
        "flow.reveal",
        "state.used[:] = 0",
        "",
        "R5.2: loot used last night still counts as used",
    ),
    Fault(
        "run_to_choice",
        "count != 1",
        "count >= 0",
        "R14.1: players are asked where they have no choice",
    ),
    # ---- R9: the week's end ----
    Fault(
        "flow.night_over",
        "seat_in_order(state, 1)",
        "seat_in_order(state, 0)",
        "R9.0: supremacy stays",
    ),
    Fault(
        "flow.is_claimant",
        "own > 0",
        "True",
        "R9.2: a total of 0 claims",
    ),
    Fault(
        "flow.markers_due",
        "has_leader(state, seat, district)",
        "0",
        "R9.3: leaders place nothing",
    ),
    Fault(
        "flow.claim",
        "state.claim_at < 2 * state.num_players",
        "state.claim_at < 2 * state.num_players - 1",
        "R9.3: the last seat's leader places nothing",
    ),
    Fault(
        "flow.returns",
        "state.item_supply[item] += state.spent[seat, item]",
        "",
        "R9.5: face-down items are lost",
    ),
    Fault(
        "flow.returns",
        "state.week == 1",
        "True",
        "R9.6: discarding down in the second week too",
    ),
    Fault(
        "must_choose_space",
        "state.stock[seat] == 0",
        "state.stock[seat] < 0",
        "R9.4: a marker is placed from an empty stock",
    ),
    # ---- R10, R12.5: scoring ----
    Fault(
        "markers._neighbours",
        "0 <= r < GRID",
        "1 <= r < GRID",
        "R10.1: a neighbour in the first row isn't seen",
    ),
    Fault(
        "item_influence",
        "item_count(state, other) >= own",
        "item_count(state, other) > own",
        "R10.2: a tie for most items gives the bonus",
    ),
    Fault(
        "has_most_markers",
        "markers_in(state, other, district) >= own",
        "markers_in(state, other, district) > own",
        "R12.5: a tie for most markers meets the condition",
        (RULES,),
    ),
    Fault(
        "is_winner",
        "placed_markers(state, other) > own_placed",
        "placed_markers(state, other) < own_placed",
        "R10.6: the fewest markers win a tie",
        (RULES,),
    ),
    Fault(
        "kernel.write_rewards",
        "-1.0 / (n - won)",
        "-1.0",
        "rewards of three players don't sum to 0",
        (BATCH,),
    ),
    # ---- chance ----
    Fault(
        "begin_stream",
        "stream_from(state.seed, event)",
        "stream_from(np.uint64(7), event)",
        "the seed is ignored",
    ),
    Fault(
        "flow.reveal",
        "EVENT_LOOT + (state.week - 1) * WEEK_NIGHTS + state.night",
        "EVENT_LOOT + state.night",
        "the second week has the loot of the first",
    ),
    Fault(
        "deal_hands",
        "draw_below(state, undealt)",
        "draw_below(state, undealt // 2 + 1)",
        "R2.2: the deal is not even",
        (CHANCE,),
    ),
    Fault(
        "kernel.run",
        "next_seed(state.seed)",
        "state.seed",
        "a batch plays the same game again and again",
        (BATCH,),
    ),
    # ---- R13: what a player knows ----
    Fault(
        "look_at_seat",
        "state.known[other, kind]",
        "state.hand[other, kind]",
        "R13.2: everyone's hand is shown",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "view.look",
        "agendas + state.agenda[seat] * AGENDA_BYTES",
        "agendas + state.agenda[0] * AGENDA_BYTES",
        "R13.2: all see the agenda of seat 0",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "view.look",
        "state.loot_hand[seat, loot]",
        "state.loot_hand[max(state.decider, 0), loot]",
        "R13.2: all see the loot hand of whoever decides",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "look_at_table",
        "shown.nights_to_come[state.night_deck[place]] = 1",
        "shown.nights_to_come[state.night_deck[place]] = place == 0",
        "R13.2: the next night card is shown",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "view.offset",
        "distance + state.num_players if distance < 0 else distance",
        "other",
        "an observation counts seats from seat 0",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "redeal.redeal",
        "sort_night_deck(state)",
        "",
        "R13.6: a redeal of the night deck depends on its true order",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "redeal.redeal",
        "state.seed = seed",
        "",
        "a redeal ignores its seed",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "redeal_loot_hands",
        "state.used[loot] == 0",
        "True",
        "R13.5: a rival is dealt a loot card that was used",
        (HIDDEN, *GROUPS),
    ),
    Fault(
        "redeal.redeal",
        "count < 2",
        "count < 1",
        "R13.6: a redeal leaves whoever decides no choice",
        (CHOICE,),
    ),
    Fault(
        "deal_from_pool",
        "state.hand[rival, kind] = state.known[rival, kind]",
        "state.hand[rival, kind] = 0",
        "R13.4: a redeal loses what is known of a hand",
        (HIDDEN, *GROUPS),
    ),
    # ---- positions, records, copies ----
    Fault(
        "minion_faults",
        "count != exist",
        "count > exist",
        "R1.5: a position with a card too few is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "Reader.read_spaces",
        'is_space != (sign != " ")',
        'is_space and sign == " "',
        "R12.1: a marker on no space is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "check_claim",
        "left > due",
        "left > MARKERS",
        "R9.2: a claim of too many markers is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "check_decision",
        'not same_json(decision["legal"], names)',
        'len(decision["legal"]) != len(names)',
        "a position with other legal actions is read",
        (BAD_POSITIONS,),
    ),
    Fault(
        "write_position",
        '{"seed": int(state["seed"])}',
        '{"seed": 0}',
        "a position forgets the chance to come",
        (COPIES,),
    ),
    Fault(
        "_check_end",
        'count < len(record["events"])',
        "count < 0",
        "a record that goes on after the end is replayed",
        (BAD_RECORDS,),
    ),
    Fault(
        "kernel.is_legal",
        "legals[game, i] == action",
        "True",
        "a batch takes illegal actions",
        (BAD_BATCHES,),
    ),
    Fault(
        "Game.copy",
        "self._arrays.take(slice(0, 1), log=True)",
        "self._arrays.take(slice(0, 1))",
        "a copy has no record",
        (COPIES,),
    ),
)


# ---- where a fault goes ----


def functions(folder: Path) -> Iterator[tuple[str, Path, ast.FunctionDef]]:
    """Every function of the package in a folder: its dotted name, its file, itself."""
    for file in sorted((folder / "hemlock_env").rglob("*.py")):
        module = ".".join(file.relative_to(folder).with_suffix("").parts)
        for name, function in functions_in(ast.parse(file.read_text(encoding="utf-8"))):
            yield f"{module}.{name}", file, function


def functions_in(tree: ast.AST) -> Iterator[tuple[str, ast.FunctionDef]]:
    """The functions of a module, those of classes as `Class.function`."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield node.name, node
        elif isinstance(node, ast.ClassDef):
            yield from ((f"{node.name}.{name}", found) for name, found in functions_in(node))


def the_one(found: list[Any], what: str) -> Any:
    """What should be there once; ValueError if it isn't."""
    if len(found) != 1:
        raise ValueError(f"there are {len(found)} of: {what}")
    return found[0]


def same(node: ast.AST, wanted: ast.AST) -> bool:
    return type(node) is type(wanted) and ast.dump(node) == ast.dump(wanted)


def put_in(fault: Fault, folder: Path, every: Functions | None = None) -> tuple[Path, str]:
    """The file that a fault changes, and its text with the fault in it.

    `every`: the functions of the folder, where they are known. ValueError if there isn't exactly
    one such function with exactly one such place.
    """
    named = [
        each for each in every or functions(folder) if f".{each[0]}".endswith(f".{fault.where}")
    ]
    _, file, function = the_one(named, f"function {fault.where}")
    statement = ast.parse(fault.old).body[0]
    in_it = [*ast.walk(function)]
    places = [node for node in in_it if same(node, statement)]
    new = fault.new or "pass"
    if not places and isinstance(statement, ast.Expr):
        places = [node for node in in_it if same(node, statement.value)]
        new = f"({fault.new})"
    place = the_one(places, f"{fault.old} in {fault.where}")
    lines = file.read_bytes().splitlines(keepends=True)
    first, last = place.lineno - 1, place.end_lineno - 1
    before, after = lines[first][: place.col_offset], lines[last][place.end_col_offset :]
    lines[first : last + 1] = [before + new.encode() + after]
    return file, b"".join(lines).decode()


# ---- a run ----


def make_copy(folder: Path) -> None:
    """The package and its tests, where they can be changed."""
    ignore = shutil.ignore_patterns("__pycache__", "*.nbc", "*.nbi")
    for name in ("hemlock_env", "tests"):
        shutil.copytree(ROOT / name, folder / name, ignore=ignore)
    shutil.copy(ROOT / "pyproject.toml", folder)


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
        file, text = put_in(fault, folder)
        file.write_text(text, encoding="utf-8")
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
            print(f"{fault.where:22} {fault.meaning}")
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
            print(f"{verdict:8}  {fault.where:22}  {fault.meaning}  [{detail}]", flush=True)
            if verdict != "caught":
                wrong.append(fault)
    seconds = time.perf_counter() - began
    print(f"{len(faults) - len(wrong)} of {len(faults)} faults caught in {seconds:.0f} s")
    if wrong:
        sys.exit(1)


if __name__ == "__main__":
    main(sys.argv[1:])
