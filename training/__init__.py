"""Self-play training on `hemlock_env.Batch`: `python -m training.ppo configs/quickstart.toml`."""
