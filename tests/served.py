"""A server of our own for public boards: what is downloaded in tests needs no network."""

import hashlib
import logging
import threading
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from leaderbayes._files import download as _download

VTAB = "\ufeffModel;Mean;Pets;DMLab\nA;50.5;60.5;40.5\nB;60;100;20\n"
TABLES = ("vtab.csv", "bbtcomp.csv", "amlb_2019_4h.csv", "tsml_univariate.csv.gz", "pmra.csv")


class Server:
    """Files in a folder, and how often each was asked for."""

    def __init__(self, folder):
        self.folder, self.asked = folder, []
        folder.mkdir()
        outer = self

        class Handler(SimpleHTTPRequestHandler):
            def do_GET(self):
                outer.asked.append(self.path)
                super().do_GET()

            def log_message(self, *_):
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, directory=str(folder)))
        threading.Thread(target=self.http.serve_forever, args=(0.01,), daemon=True).start()

    def stop(self):
        self.http.shutdown()
        self.http.server_close()


@pytest.fixture
def server(tmp_path, monkeypatch):
    """Serve texts under the registered names, with their own hashes."""
    logging.getLogger("pooch").setLevel(logging.ERROR)
    made = Server(tmp_path / "served")
    registry = tmp_path / "registry.txt"
    monkeypatch.setattr(_download, "REGISTRY", registry)
    monkeypatch.setenv(_download.CACHE, str(tmp_path / "cache"))
    monkeypatch.delenv(_download.DATA, raising=False)
    # Tables of no server; their hashes are of nothing until a test says otherwise.
    registry.write_text("".join(f"tables/{name} sha256:{'0' * 64}\n" for name in TABLES))

    def offer(name, text):
        path = made.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
        known = hashlib.sha256(path.read_bytes()).hexdigest()
        url = f"http://127.0.0.1:{made.http.server_port}/{name}"
        with registry.open("a") as file:
            file.write(f"{name} sha256:{known} {url}\n")

    made.offer = offer
    yield made
    made.stop()
