"""What a figure of the backend "none" recorded."""


def drawn(collection, name, function):
    """Calls of one of arviz-plots' functions in one of the figure's plots."""
    return [e for e in collection.get_viz("plot", name) if e["function"] == function]


def texts(collection, name):
    return [e["string"] for e in drawn(collection, name, "text")]


def uprights(collection, name):
    """Where vertical marks stand."""
    lines = drawn(collection, name, "line")
    return [e["x"][0] for e in lines if len(e["x"]) == 2 and e["x"][0] == e["x"][1]]
