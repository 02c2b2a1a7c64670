"""Lets a program that speaks HTTP over TCP reach the daemon's Unix socket, for the tests of the API.

    wire.py SOCKET

Prints the port on loopback and serves until its standard input ends. The daemon sees this program as
the one that asks, so a test lists its interpreter as an agent.
"""

import os
import socket
import sys
import threading


def pump(source, sink):
    try:
        while data := source.recv(65536):
            sink.sendall(data)
    except OSError:
        pass
    for one in (source, sink):
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


def serve(listener, path):
    while True:
        client, _ = listener.accept()
        daemon = socket.socket(socket.AF_UNIX)
        try:
            daemon.connect(path)
        except OSError:
            client.close()
            continue
        for pair in ((client, daemon), (daemon, client)):
            threading.Thread(target=pump, args=pair, daemon=True).start()


listener = socket.create_server(("127.0.0.1", 0))
print(listener.getsockname()[1], flush=True)
threading.Thread(target=serve, args=(listener, sys.argv[1]), daemon=True).start()
sys.stdin.read()
os._exit(0)
