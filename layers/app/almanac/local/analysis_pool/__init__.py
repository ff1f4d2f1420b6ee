"""Files of repositories prepared by other processes of this machine, so that all of its cores are used."""
