"""Files: all of them, or none, and nothing left behind."""

import os
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

import leaderbayes as lb
from leaderbayes._files.write import check_file, check_folder, locked, write_files, writing


def test_files_arrive_together_in_folders_that_are_made(tmp_path):
    place = tmp_path / "a" / "b"
    write_files({place / "x.tex": "ä\n", place / "x.bib": "\ud800"})
    assert (place / "x.tex").read_bytes() == "ä\n".encode()
    assert (place / "x.bib").read_text() == "\\ud800"
    assert sorted(path.name for path in place.iterdir()) == ["x.bib", "x.tex"]
    assert [path.name for path in tmp_path.iterdir()] == ["a"]
    umask = os.umask(0)
    os.umask(umask)
    assert stat.S_IMODE((place / "x.tex").stat().st_mode) == 0o666 & ~umask


def test_what_killed_processes_left_is_cleared(tmp_path):
    for name, age in {".leaderbayes-old": 7200, ".leaderbayes-new": 60, "old": 7200}.items():
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (time.time() - age,) * 2)
    write_files({tmp_path / "x": "x"})
    assert {path.name for path in tmp_path.iterdir()} == {".leaderbayes-new", "old", "x"}


def test_checks_make_nothing(tmp_path):
    check_folder(tmp_path / "a" / "b")
    check_file(tmp_path / "a" / "x.txt", ".txt")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("folder", [".", "..", "deep/../deep"])
def test_folders_by_other_names(tmp_path, monkeypatch, folder):
    (tmp_path / "here").mkdir()
    (tmp_path / "mine").write_text("stays")
    monkeypatch.chdir(tmp_path / "here")
    with writing(place := tmp_path / "here" / folder) as part:
        (part / "x").write_text("made")
    assert (place.resolve() / "x").read_text() == "made"
    assert (tmp_path / "mine").read_text() == "stays"


@pytest.mark.parametrize(
    ("path", "problem"),
    [
        ("file/x.txt", "a file stands where a folder is needed"),
        ("folder.txt", "folder.txt is a folder there"),
        ("new/" + 300 * "a" + "/x.txt", "File name too long"),
        ("new/" + 300 * "a" + ".txt", "File name too long"),
    ],
)
def test_what_cannot_be_written(tmp_path, monkeypatch, path, problem):
    """The error names the path as it was given, and nothing of ours."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("stays")
    (tmp_path / "folder.txt").mkdir()
    path = Path(path)
    for attempt in (lambda: check_file(path, ".txt"), lambda: write_files({path: "x"})):
        with pytest.raises(lb.LeaderbayesError) as raised:
            attempt()
        said = f"{path}: cannot be written ({problem}); choose another path."
        assert str(raised.value) == said
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.txt"]


def test_suffixes(tmp_path):
    check_file(tmp_path / "x.HTM", ".html", ".htm")
    with pytest.raises(lb.LeaderbayesError, match=r"ends with \.html, \.htm or \.tex\.$"):
        check_file(tmp_path / "x.csv", ".html", ".htm", ".tex")


def test_two_processes_and_one_folder(tmp_path):
    """Files of one arrive after those of the other, never between them."""
    code = (
        "import sys; from pathlib import Path; from leaderbayes._files.write import writing\n"
        "for turn in range(10):\n"
        "    with writing(Path('here')) as part:\n"
        "        for k in range(20): (part / f'{k}').write_text(sys.argv[1] + str(turn))\n"
    )
    both = [
        subprocess.Popen([sys.executable, "-c", code, name], cwd=tmp_path) for name in ("a", "b")
    ]
    assert [process.wait() for process in both] == [0, 0]
    assert len({path.read_text() for path in (tmp_path / "here").iterdir()}) == 1
    assert len(list((tmp_path / "here").iterdir())) == 20
    assert [path.name for path in tmp_path.iterdir()] == ["here"]


def test_who_holds_a_lock_is_said(tmp_path):
    code = (
        "from pathlib import Path; from leaderbayes._files.write import locked\n"
        "with locked(Path('lock'), timeout=0.2): pass\n"
    )
    with locked(tmp_path / "lock"):
        done = subprocess.run(
            [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False
        )
    assert f"lock: process {os.getpid()} on " in done.stderr
    assert list(tmp_path.iterdir()) == []
