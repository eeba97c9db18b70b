"""The rules, compiled: STATE and TABLES in, STATE out. Start reading at `flow`."""
