"""Hooks of coding agents, which receive events and answer them in each client's own JSON.

    POST /hooks/<client>     one of `events.CLIENTS`

The script that is installed at a client only forwards events, so a change of their handling needs no update there.
"""
