"""Words every family uses: clock, ids, errors, caller. Standard library only."""
