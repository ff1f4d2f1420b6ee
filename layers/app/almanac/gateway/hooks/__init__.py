"""Hooks of coding agents: an event in the client's own JSON comes in, the client's own JSON goes out.

    POST /hooks/<client>     one of `clients.CLIENTS`

What is installed at a client only carries events here, so the mapping of events to tools never needs an update there.
"""
