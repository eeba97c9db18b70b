"""Configs: read strictly, written back so that reading gives the same."""

from pathlib import Path

import pytest

from hemlock_env.game.options import Options
from hemlock_env.learning.config import (
    RENAMED,
    ConfigError,
    Settings,
    check_settings,
    differences,
    find_config,
    read_settings,
    simple_fields,
    to_toml,
)
from hemlock_env.learning.report import METRICS
from tests.training.tiny import hemlock, tiny

ROOT = Path(__file__).parents[2]
CONFIGS = [ROOT / "configs" / name for name in ("quickstart.toml", "two_player.toml")]
SHIPPED = [*CONFIGS, *sorted((ROOT / "checkpoints").rglob("*.toml"))]


@pytest.mark.parametrize("file", SHIPPED, ids=lambda file: file.name)
def test_every_config_loads(file: Path) -> None:
    assert isinstance(read_settings(file), Settings)


def test_a_resolved_config_reads_as_the_same_settings(tmp_path: Path) -> None:
    settings = tiny(
        options={"num_players": 3, "sides": "random", "first_player": 1, "agendas": True}
    )
    file = tmp_path / "config.toml"
    file.write_text(to_toml(settings))
    assert read_settings(file) == settings


def test_a_shipped_config_is_found_by_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert find_config("quickstart") == CONFIGS[0]
    Path("own.toml").write_text("seed = 2\n")
    assert read_settings(find_config("own.toml")).seed == 2
    assert find_config("none") == Path("none")


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_an_old_key_is_refused_with_its_new_name(old: str, new: str) -> None:
    assert old not in Settings().as_dict() and new in Settings().as_dict()
    with pytest.raises(ConfigError, match=rf"^my.toml: {old} is called {new} now"):
        check_settings({old: 1}, "my.toml")


def test_differences_name_key_and_both_values() -> None:
    changed = differences(tiny(seed=2, options={"num_players": 3}), tiny(seed=1))
    assert changed == ["seed = 1, now 2", "options.num_players = 2, now 3"]


def test_set_changes_keys_and_options(tmp_path: Path) -> None:
    file = tmp_path / "config.toml"
    file.write_text("seed = 1\n")
    changes = ["seed=5", "hidden_sizes=[8]", "eval_opponents=['random']", "options.num_players=4"]
    settings = read_settings(file, changes)
    assert (settings.seed, settings.hidden_sizes, settings.eval_opponents) == (5, (8,), ("random",))
    assert settings.options == Options(num_players=4)


@pytest.mark.parametrize(
    ("table", "said"),
    [
        ({"learning_rat": 0.1}, "unknown key learning_rat"),
        ({"seed": "one"}, "seed = 'one': must be a whole number"),
        ({"seed": True}, "seed = True: must be a whole number"),
        ({"num_envs": 0}, "num_envs = 0: must be from 1 to"),
        ({"gae_lambda": 1.5}, "gae_lambda = 1.5: must be from 0.0 to 1.0"),
        ({"gae_lambda": float("nan")}, "gae_lambda = nan: must be from"),
        ({"hidden_sizes": []}, "hidden_sizes = []: must be a list"),
        ({"hidden_sizes": [8, 0]}, "must be a list of whole numbers from 1"),
        ({"precision": "float16"}, "must be one of auto, bfloat16, float32"),
        ({"privileged_critic": 1}, "must be true or false"),
        ({"eval_opponents": "greedy"}, "must be a list of words"),
        ({"eval_opponents": ["greedy", "greedy"]}, "must be different"),
        ({"num_envs": 7, "processes": 2}, "num_envs = 7: must be a multiple of processes = 2"),
        ({"options": 3}, "options must be a table"),
        ({"options": {"players": 3}}, "[options]: unknown option: players"),
        ({"options": {"num_players": 5}}, "num_players=5"),
        ({"options": {"num_players": 4, "loot": "hand"}}, "hidden loot is for 2 or 3"),
        ({"options": {"card_set": "vault"}}, "no such card set"),
    ],
)
def test_a_bad_config_is_refused_with_file_and_key(table: dict[str, object], said: str) -> None:
    with pytest.raises(ConfigError) as error:
        check_settings(table, "my.toml")
    assert str(error.value).startswith("my.toml: ")
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("text", "arguments", "said"),
    [
        ("seed = ", [], "is no valid TOML"),
        ("sede = 1", [], "unknown key sede"),
        ("", ["--set", "seed"], "write key=value"),
        ("", ["--set", "seed.x=1"], "seed is not a table"),
        ("eval_opponents = ['greddy']", [], "did you mean 'greedy'"),
        ("", ["--resume"], "no run to resume there"),
    ],
)
def test_the_command_refuses_with_one_line_and_code_2(
    text: str, arguments: list[str], said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "my.toml"
    file.write_text("seed = 1\n" if "seed.x" in str(arguments) else text)
    run = tmp_path / "run"
    assert hemlock("train", file, "--run", run, *arguments) == 2
    error = capsys.readouterr().err
    assert said in error
    assert error.count("\n") == 1
    assert not run.exists()


def test_a_missing_config_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert hemlock("train", tmp_path / "none.toml") == 2
    assert "none.toml: can't be read" in capsys.readouterr().err


@pytest.mark.parametrize("key", [*(each.name for each in simple_fields()), *METRICS])
def test_every_key_and_metric_is_explained(key: str) -> None:
    assert f"\n| `{key}` |" in (ROOT / "docs" / "training.md").read_text(encoding="utf-8")
