"""Read skills from files of this machine, install them on a server, and export them."""
