"""What a report says of votes, where it says something else of rounds of scores."""

from pathlib import PurePath
from typing import Any

import numpy as np
import pandas as pd
import xarray as xr

from leaderbayes._answers.draws import spread_of
from leaderbayes._answers.votes import Counted, counted_of, effects, said_of_worth
from leaderbayes._fits.posterior import drawn
from leaderbayes.report._style import labels, number, percent
from leaderbayes.report._verdicts import interval

_ORDER = "shown first"  # how the effect of the order is called


def facts_of_votes(dt: xr.DataTree, arguments: dict[str, Any], prob: float) -> dict[str, Any]:
    """Gather the data and the model, for the paragraphs on methods."""
    spread = spread_of(dt)
    counted = counted_of(dt)
    known = dt["constant_data"].dataset
    table = effects(dt, prob)
    name = {} if table is None else labels(table["effect"])
    return {
        "players": dt["posterior"].sizes["player"],
        "votes": counted.votes,
        "judges": counted.judges,
        "prompts": counted.prompts,
        "tied_share": counted.tied / counted.votes if counted.votes else 0.0,
        "bad_votes": counted.both_bad,
        "bad": str(known.attrs.get("both_bad", "tie")),
        "ties": arguments["ties"],
        "clusters": list(counted.clusters),
        "worth": counted.worth,
        "order_effect": bool(arguments["order_effect"]),
        "effects": []
        if table is None
        else [
            row | {"effect": name[row["effect"]], "is_order": row["effect"] == "order"}
            for row in table.to_dict("records")
        ],
        "judge_spread": _judge_spread(dt, prob),
        "tie_scale": arguments.get("tie_scale"),
        "intercept_scale": arguments.get("intercept_scale"),
        "prior_df": arguments.get("prior_df"),
        "prior_scale": arguments["prior_scale"],
        "matched": "matching" in dt["posterior"].dataset,
        "spread": None if spread is None else float(spread.mean()),
        "spread_scale": arguments.get("spread_scale"),
        "tournaments": None if spread is None else dt["posterior"].sizes["tournament"],
    }


def _judge_spread(dt: xr.DataTree, prob: float) -> dict[str, float] | None:
    """Summarise how judges differ in what they add to who is shown first; None if not looked at."""
    if "intercept_scale" not in dt["posterior"].dataset:
        return None
    draws = drawn(dt, "intercept_scale").to_numpy()
    low, high = np.quantile(draws, [(1.0 - prob) / 2.0, (1.0 + prob) / 2.0])
    return {"mean": float(draws.mean()), "lower": float(low), "upper": float(high)}


def data_of_votes(dt: xr.DataTree) -> list[tuple[str, str]]:
    """Describe the votes that a fit was made from."""
    counted = counted_of(dt)
    known = dt["constant_data"].dataset
    rows = [
        ("Players", str(dt["posterior"].sizes["player"])),
        ("Votes", _count(counted.votes)),
        ("Ties among them", percent(counted.tied / counted.votes) if counted.votes else "0"),
    ]
    for name, count in (("Judges", counted.judges), ("Prompts", counted.prompts)):
        rows.append((name, "not known" if count is None else _count(count)))
    if counted.both_bad:
        rows.append(("Votes that both are bad, beside these", _count(counted.both_bad)))
    rows.append(("What goes together", said_of_clusters(counted)))
    if known.attrs.get("read_as"):
        rows.append(("Read as", str(known.attrs["read_as"])))
    if known.attrs.get("source"):
        # Folders are nobody's business.
        rows.append(("Source", PurePath(str(known.attrs["source"])).name))
    return rows


def said_of_clusters(counted: Counted) -> str:
    """Say what makes votes go together, and what a vote is worth."""
    together = {
        (): "nothing: each vote was taken by itself",
        ("judge",): "votes of a judge",
        ("prompt",): "votes on a prompt",
    }.get(counted.clusters, "votes of a judge, and votes on a prompt")
    return f"{together}; {said_of_worth(counted.worth)}"


def rows_of_effects(table: pd.DataFrame) -> list[dict[str, str]]:
    """Write rows of the table of effects."""
    return [
        {
            "effect": _ORDER if row["effect"] == "order" else str(row["effect"]),
            "per": "" if pd.isna(row["per"]) else f"{row['per']:.3g}",
            "coefficient": number(row["coefficient"]),
            "interval": interval(row["coefficient_lower"], row["coefficient_upper"]),
            "odds_ratio": number(row["odds_ratio"]),
            "odds_interval": interval(row["odds_ratio_lower"], row["odds_ratio_upper"]),
        }
        for row in table.to_dict("records")
    ]


def _count(value: float) -> str:
    """Write how many there are; weights may make parts of votes."""
    return f"{value:,.0f}" if float(value).is_integer() else f"{value:,.1f}"
