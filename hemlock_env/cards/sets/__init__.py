"""The card sets that the package ships, one TOML file each."""
