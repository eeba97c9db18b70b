"""Learning to play: self-play training in PyTorch. It needs the extra `train`."""
