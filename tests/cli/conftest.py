"""Tables that commands are tried on."""

import pytest

BOARD = "player,round,score\n" + "".join(
    f"{name},{k},{(7 * i + 3 * k * (i + 1)) % 11}\n"
    for i, name in enumerate(["[red]a", 'b "x"', "c", "d"])
    for k in range(12)
)


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    path = tmp_path_factory.mktemp("cli")
    (path / "scores.csv").write_text(BOARD)
    return path


@pytest.fixture(scope="session")
def two(folder):
    header, *rows = BOARD.splitlines()
    table = ["dataset," + header, *("x/1," + row for row in rows)]
    # In y the first player of x is the worst.
    table += [
        "y," + (row if k >= 12 else row.rsplit(",", 1)[0] + ",-1") for k, row in enumerate(rows)
    ]
    (folder / "two.csv").write_text("\n".join(table) + "\n")
    return folder


@pytest.fixture(scope="session")
def doubtful(folder):
    """Two tournaments, without a score of one player; in the second another loses everything."""
    rows = ["dataset,player,round,score"]
    for data in "xy":
        for k in range(8):
            rows += [
                f"{data},{name},{k},{(3 * i + k * (i + 1)) % 7}.{i}" for i, name in enumerate("abc")
            ]
            rows += [f"{data},last,{k},{-1 if data == 'y' else k % 7}.5", f"{data},gone,{k},"]
    (folder / "doubtful.csv").write_text("\n".join(rows) + "\n")
    return folder
