"""Environments for reinforcement learning: `aec` for PettingZoo."""
