"""`python -m training.minimal`: training in a loop of your own, without run folder or resume."""

from pathlib import Path

from hemlock_env.evaluation import play_match
from hemlock_env.learning.config import find_config, read_settings
from hemlock_env.learning.ppo import PPOTrainer
from hemlock_env.learning.process import prepare_process
from hemlock_env.network.checkpoint import save_policy

CHECKPOINT = Path("runs/minimal")


def main(timesteps: int = 1_000_000) -> None:
    """Learn, save, play."""
    prepare_process()
    changes = [f"total_timesteps={timesteps}", "processes=1"]
    trainer = PPOTrainer(read_settings(find_config("quickstart"), changes))
    while trainer.progress < 1.0:
        metrics = trainer.update()  # a rollout, then PPO's gradient steps
        print("  ".join(f"{name} {metrics[name]:.4g}" for name in ("timesteps", "value_loss")))
    policy = trainer.policy()
    save_policy(CHECKPOINT, policy.weights, policy.meta)
    for opponent in ("random", "greedy"):
        print(opponent, play_match(f"ckpt:{CHECKPOINT}", opponent, games=200, seed=1).score)


if __name__ == "__main__":
    main()
