"""A run becomes a shipped checkpoint: the same policy, and a card that says what it is."""

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from hemlock_env.evaluation.protocols import DEFAULT, PROTOCOLS, Opponent, Protocol
from hemlock_env.learning.best_response import read_curve
from hemlock_env.learning.config import to_toml
from hemlock_env.network.policy import load_policy
from tests.training.tiny import hemlock, tiny, train_tiny


def test_a_run_is_shipped_with_its_card(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    few = (Opponent("random", 3), Opponent("greedy", 2))
    monkeypatch.setitem(PROTOCOLS, DEFAULT, Protocol(DEFAULT, "a small one", few, seed=1))
    monkeypatch.setattr("hemlock_env.network.checkpoint.SHIPPED", (tmp_path / "checkpoints",))
    monkeypatch.chdir(tmp_path)
    train_tiny(tiny(), tmp_path / "runs" / "small")
    (tmp_path / "configs").mkdir()
    (tmp_path / "configs" / "small.toml").write_text(to_toml(tiny()), encoding="utf-8")
    settings = [
        "num_envs=32",
        "num_steps=16",
        "eval_games=2",
        "precision=float32",
        "total_timesteps=512",
    ]
    for began in ([], ["--from-victim"]):
        run = f"runs/exploit{len(began)}"
        assert hemlock("exploit", "ckpt:runs/small", "--run", run, *began, "--set", *settings) == 0
    exploiters = ["--exploit", "runs/exploit0", "runs/exploit1"]
    assert hemlock("ship", "runs/small", "small", "--processes", "1", *exploiters) == 0
    home = tmp_path / "checkpoints" / "small"
    ours, theirs = load_policy("runs/small"), load_policy("small")
    assert ours.digest() == theirs.digest()
    assert not (home / "trainer.safetensors").exists()
    text = (home / "README.md").read_text("utf-8")
    for word in ("`ckpt:small`", "configs/small.toml", "2,048 decisions", "temperature 1"):
        assert word in text
    for kept in ("likeliest", "drawn"):
        stored = json.loads((home / f"benchmark_{kept}.json").read_text("utf-8"))
        assert [met["b"] for met in stored["opponents"]] == ["random", "greedy"]
        assert f"{stored['opponents'][0]['score']:.1%}" in text
    for number, began in ((1, "new weights"), (2, "the victim's weights")):
        curve = read_curve(Path(f"runs/exploit{number - 1}"), "ckpt:runs/small")
        assert f"| {began} | 512 |" in text and f"| {curve[-1]['score']:.1%} |" in text
        assert (home / f"exploit_{number}.csv").is_file()
    (tmp_path / "checkpoints" / "small").rename(tmp_path / "small_shipped")
    capsys.readouterr()
    for file, content, word in (
        ("metrics.csv", "timesteps,minutes,score:ckpt:runs/small\n", "not at its end"),
        ("metrics.csv", "timesteps,minutes\n1,2\n", "metrics.csv is damaged"),
        ("exploit.json", "{}", "exploit.json"),
        ("config.toml", "num_envs = 0", "num_envs"),
    ):
        damaged = tmp_path / "runs" / "damaged"
        shutil.copytree(tmp_path / "runs" / "exploit0", damaged)
        (damaged / file).write_text(content, encoding="utf-8")
        assert hemlock("ship", "runs/small", "small", "--exploit", "runs/damaged") == 2
        error = capsys.readouterr().err
        assert word in error and error.count("\n") == 1
        assert not home.exists()
        shutil.rmtree(damaged)
    home = tmp_path / "small_shipped"
    train_tiny(tiny(seed=2), tmp_path / "runs" / "other")
    (tmp_path / "configs" / "other.toml").write_text(to_toml(tiny(seed=2)), encoding="utf-8")
    assert hemlock("ship", "runs/other", "other", "--exploit", "runs/exploit0") == 2
    assert "another policy" in capsys.readouterr().err
    assert not (tmp_path / "checkpoints" / "other").exists()
    assert np.loadtxt(home / "metrics.csv", delimiter=",", skiprows=1, usecols=0).max() == 2048


@pytest.mark.parametrize(
    "words",
    [
        ["runs/nowhere", "name"],
        ["runs/nowhere", "a/b"],
        ["runs/nowhere", ".."],
        ["runs/nowhere", "name", "--processes", "0"],
    ],
)
def test_mistakes_are_one_line(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    assert hemlock("ship", *words) == 2
    said = capsys.readouterr().err
    assert said.startswith("hemlock: ") and said.count("\n") == 1
    assert not (tmp_path / "checkpoints").exists()
