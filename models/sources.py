"""Hash of the code that evidence is evidence of: what the numbers depend on, and no more.

    uv run --group evidence python models/sources.py bradley_terry     # what is in it, line by line

From the functions that make the evidence we follow every name that is ours, through imports, to its
definition, and on from there. The hash is of the set of these definitions, so neither the files in
which they stand nor their order counts. What determines no number is left out: docstrings,
comments, annotations, imports, messages, and what only refuses (``if ...: raise``) or warns. Of a
table that is only ever subscripted (``SETTINGS[name]``) those entries count whose keys are
written in that code; the evidence's own name is.
"""

import ast
import hashlib
import sys
from copy import deepcopy
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
# Exceptions and warnings: a run that raised one has left no numbers.
WITHOUT = {"leaderbayes._errors"}

type Unit = tuple[str, str]  # module, name


def roots(name: str) -> list[Unit]:
    """Definitions that make the evidence of a name of make.py."""
    tables = {
        "coverage": "intervals", "fits": "fits", "learning": "learning", "new_data": "new_data",
        "populations": "populations", "sizes": "sizes", "votes": "votes",
        "vote_models": "vote_models", "vote_tournaments": "vote_tournaments",
    }  # fmt: skip
    if name in tables:
        return [(tables[name], "cover")]
    # `build` and `specification` look these up by name.
    model = ("sota.model", "model") if name == "sota" else ("leaderbayes.models", name)
    covered = [("bests", "cover")] if name == "sota" else []
    return [("calibration", "calibrate"), ("calibration", "build"), model, *covered]


def digest(name: str, modules: "Modules | None" = None) -> str:
    """Hash of the code behind one name's evidence; who asks for many gives what was read once."""
    code = sorted(set(closure(name, modules or Modules(ROOT)).values()))
    return hashlib.sha256("\n\n".join(code).encode()).hexdigest()[:16]


def closure(name: str, modules: "Modules") -> dict[Unit, str]:
    """Code of every definition behind one name's evidence, as it is hashed."""
    found = {modules.resolve(module, [of]) for module, of in roots(name)}
    words, whole, parts = {name}, set[Unit](), dict[Unit, Part]()
    while True:
        for unit in found:
            # Of tables more may be asked than before.
            if unit not in parts or modules.is_table(unit):
                parts[unit] = modules.part(unit, words, unit in whole)
        more = set().union(*(part.uses for part in parts.values()))
        more.update(*(modules.registered(module, found) for module in {m for m, _ in found}))
        said = set().union(*(part.words for part in parts.values()))
        as_a_whole = set().union(*(part.whole for part in parts.values()))
        if more <= found and said <= words and as_a_whole <= whole:
            return {unit: part.code for unit, part in parts.items()}
        found, words, whole = found | more, words | said, whole | as_a_whole


@dataclass(frozen=True)
class Part:
    """A definition as it is hashed, what it uses, and the strings in it."""

    code: str
    uses: frozenset[Unit]
    words: frozenset[str]
    whole: frozenset[Unit]  # of what it uses: not only subscripted


class Module:
    """Definitions and imports of one file."""

    def __init__(self, name: str, path: Path) -> None:
        self.name, self.package = name, path.stem == "__init__"
        # What a package loads lazily is listed beside it.
        stub = path.with_suffix(".pyi")
        trees = [ast.parse(p.read_text(encoding="utf-8")) for p in (path, stub) if p.exists()]
        self.body = [statement for tree in trees for statement in tree.body]

    @cached_property
    def definitions(self) -> dict[str, list[ast.stmt]]:
        """Statements that bind each name, imports aside."""
        statements: dict[str, list[ast.stmt]] = {}
        for statement in self.body:
            for name in bound(statement):
                statements.setdefault(name, []).append(statement)
        return statements

    @cached_property
    def imports(self) -> dict[str, list[str]]:
        """What each imported name stands for."""
        return imported(self.body, self.name)


def bound(statement: ast.stmt) -> list[str]:
    """Names that a statement of a module defines."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign | ast.AnnAssign | ast.AugAssign):
        return [n.id for n in ast.walk(statement) if isinstance(n, ast.Name) and is_stored(n)]
    return []


def is_stored(name: ast.Name) -> bool:
    return isinstance(name.ctx, ast.Store)


def imported(nodes: list[ast.stmt], package: str) -> dict[str, list[str]]:
    """Local names of imports, and what they stand for, anywhere in these statements."""
    names: dict[str, list[str]] = {}
    for node in (n for statement in nodes for n in ast.walk(statement)):
        if isinstance(node, ast.Import):
            for alias in node.names:
                whole = alias.name if alias.asname else alias.name.partition(".")[0]
                names[alias.asname or whole] = whole.split(".")
        elif isinstance(node, ast.ImportFrom):
            base = package.split(".") if node.level else []
            base += node.module.split(".") if node.module else []
            for alias in node.names:
                names[alias.asname or alias.name] = [*base, alias.name]
    return names


class Modules:
    """Our modules, read when a name leads to them."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.read: dict[str, Module | None] = {}
        self.parts: dict[Unit, Part] = {}  # that are the same whatever is asked of
        self.refusing: dict[Unit, bool] = {}

    def module(self, name: str) -> Module | None:
        """One of ours; None if it is another's."""
        if name not in self.read:
            path = "/".join(name.split("."))
            files = (
                self.root / folder / (path + ending)
                for folder in ("src", "models")
                for ending in (".py", "/__init__.py")
            )
            file = next((f for f in files if f.is_file()), None)
            self.read[name] = Module(name, file) if file else None
        return self.read[name]

    def resolve(self, module: str, dotted: list[str], names=None) -> Unit | None:
        """Definition of ours that a dotted name in a module stands for."""
        here = self.module(module)
        if here is None or not dotted:
            return None
        first, *rest = dotted
        if first in here.definitions:
            # An attribute of what is defined there belongs to it.
            return None if module in WITHOUT or rest else (module, first)
        for known in (names or {}, here.imports):
            if first in known:
                return self.look_up(known[first] + rest)
        return self.resolve(f"{module}.{first}", rest) if here.package else None

    def look_up(self, path: list[str]) -> Unit | None:
        """Definition of a name from the root: the longest module, and what is in it."""
        for k in range(len(path), 0, -1):
            name = ".".join(path[:k])
            if self.module(name) is not None:
                return self.resolve(name, path[k:])
        return None

    def registered(self, module: str, found: set[Unit]) -> list[Unit]:
        """Functions that a decorator with one of these as argument hands on, and no name."""
        here = self.module(module)
        return [
            (module, s.name)
            for s in here.body
            if isinstance(s, ast.FunctionDef)
            for d in s.decorator_list
            if isinstance(d, ast.Call)
            for argument in d.args
            if isinstance(argument, ast.Name) and self.resolve(module, [argument.id]) in found
        ]

    def is_table(self, unit: Unit) -> bool:
        """Whether it is a table with strings as keys."""
        return any(map(table_of, self.module(unit[0]).definitions[unit[1]]))

    def part(self, unit: Unit, words: set[str], whole: bool) -> Part:
        """What is hashed of a definition."""
        if not whole and self.is_table(unit):
            return self._part(unit, words, whole)
        if unit not in self.parts:
            self.parts[unit] = self._part(unit, words, whole)
        return self.parts[unit]

    def _part(self, unit: Unit, words: set[str], whole: bool) -> Part:
        module, name = unit
        statements = deepcopy(self.module(module).definitions[name])
        if not whole:
            statements = [entries(statement, words) for statement in statements]
        code, uses, all_of = [], set(), set()
        said = set()
        for statement in statements:
            plain = Plain(self, module, statement)
            left = plain.statements([statement])
            code += [ast.unparse(ast.fix_missing_locations(s)) for s in left]
            uses |= plain.uses
            all_of |= plain.whole
            nodes = [n for s in left for n in ast.walk(s)]
            said |= {n.value for n in nodes if is_word(n)}
        return Part("\n".join(code), frozenset(uses), frozenset(said), frozenset(all_of))

    def only_refuses(self, unit: Unit) -> bool:
        """Whether a function can do nothing but raise or warn: it binds its own names alone."""
        if unit not in self.refusing:
            self.refusing[unit] = self._only_refuses(unit)
        return self.refusing[unit]

    def _only_refuses(self, unit: Unit) -> bool:
        module, name = unit
        (statement, *others) = self.module(module).definitions[name]
        if others or not isinstance(statement, ast.FunctionDef):
            return False
        body = Plain(self, module, statement).statements(deepcopy(statement.body))
        harmless = (ast.Assign, ast.If, ast.For, ast.Pass, ast.Raise, ast.Return)
        nodes = [n for s in body for n in ast.walk(s)]
        stored = [n for n in nodes if isinstance(getattr(n, "ctx", None), ast.Store | ast.Del)]
        return (
            all(isinstance(n, harmless) for n in nodes if isinstance(n, ast.stmt))
            and all(n.value is None for n in nodes if isinstance(n, ast.Return))
            and all(isinstance(n, ast.Name | ast.Tuple) for n in stored)
            and not any(isinstance(n, ast.Yield | ast.YieldFrom | ast.Await) for n in nodes)
        )


def table_of(statement: ast.stmt) -> ast.Dict | None:
    """The table with strings as keys that a statement defines, if it does."""
    value = getattr(statement, "value", None)
    return value if isinstance(value, ast.Dict) and all(map(is_word, value.keys)) else None


def entries(statement: ast.stmt, words: set[str]) -> ast.stmt:
    """Of a table: the entries whose keys are among the words."""
    table = table_of(statement)
    if table is not None:
        kept = [(k, v) for k, v in zip(table.keys, table.values, strict=True) if k.value in words]
        table.keys, table.values = [k for k, _ in kept], [v for _, v in kept]
    return statement


def is_word(node: ast.AST | None) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


class Plain(ast.NodeTransformer):
    """Take out of a definition what determines no number; note which of ours it uses."""

    def __init__(self, modules: Modules, module: str, definition: ast.stmt) -> None:
        self.modules, self.module = modules, module
        self.uses: set[Unit] = set()
        self.whole: set[Unit] = set()
        self.names = imported([definition], module)
        self.local: set[str] = set()
        if isinstance(definition, ast.FunctionDef):
            nodes = list(ast.walk(definition))
            self.local = {n.arg for n in nodes if isinstance(n, ast.arg)}
            self.local |= {n.id for n in nodes if isinstance(n, ast.Name) and is_stored(n)}
            self.local -= set(self.names)

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """Those that remain."""
        left = []
        for statement in body:
            if isinstance(statement, ast.Import | ast.ImportFrom) or self.says_only(statement):
                continue
            if isinstance(statement, ast.If) and not statement.orelse:
                inner = self.statements(statement.body)
                if not all(isinstance(s, ast.Raise) for s in inner):
                    left.append(ast.If(self.visit(statement.test), inner, []))
                continue
            left.append(self.visit(statement))
        return left

    def says_only(self, statement: ast.stmt) -> bool:
        """Docstrings, warnings, prints, and calls of functions that only refuse."""
        if not isinstance(statement, ast.Expr):
            return False
        if not isinstance(statement.value, ast.Call):
            return isinstance(statement.value, ast.Constant)
        dotted = dotted_name(statement.value.func)
        if dotted in (["warnings", "warn"], ["print"]):
            return True
        unit = self.ours(dotted)
        return unit is not None and self.modules.only_refuses(unit)

    def ours(self, dotted: list[str]) -> Unit | None:
        if not dotted or dotted[0] in self.local:
            return None
        return self.modules.resolve(self.module, dotted, self.names)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in ("body", "orelse", "finalbody"):
            inner = getattr(node, field, None)
            if isinstance(inner, list):
                kept = self.statements(inner)
                setattr(node, field, kept or ([ast.Pass()] if field == "body" else []))
        for field, value in ast.iter_fields(node):
            if field in ("body", "orelse", "finalbody") and isinstance(value, list):
                continue
            if isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
            elif isinstance(value, list):
                value[:] = [self.visit(v) if isinstance(v, ast.AST) else v for v in value]
        return node

    def visit_Raise(self, node: ast.Raise) -> ast.Raise:
        return ast.Raise()

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.returns, node.type_params = None, []
        return self.generic_visit(node)

    def visit_ClassDef(self, node: ast.ClassDef) -> ast.AST:
        node.type_params = []
        return self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> ast.arg:
        return ast.arg(node.arg)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        if node.value is None:  # a field
            return ast.Expr(self.visit(node.target))
        return ast.Assign([self.visit(node.target)], self.visit(node.value), lineno=0)

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        unit = self.ours(dotted_name(node.value))
        if unit is None:
            return self.generic_visit(node)
        self.uses.add(unit)
        return ast.Subscript(ast.Name(unit[1], ast.Load()), self.visit(node.slice), node.ctx)

    def visit_Name(self, node: ast.Name) -> ast.AST:
        return self.named(node)

    def visit_Attribute(self, node: ast.Attribute) -> ast.AST:
        return self.named(node)

    def named(self, node: ast.Name | ast.Attribute) -> ast.AST:
        """Ours by the last name alone: from which module is of no account."""
        unit = self.ours(dotted_name(node))
        if unit is None:
            return self.generic_visit(node)
        if isinstance(node.ctx, ast.Load):
            self.uses.add(unit)
            self.whole.add(unit)
        return ast.Name(unit[1], node.ctx)


def dotted_name(node: ast.expr) -> list[str]:
    """["a", "b", "c"] of a.b.c; empty of anything else."""
    if isinstance(node, ast.Name):
        return [node.id]
    if isinstance(node, ast.Attribute):
        first = dotted_name(node.value)
        return [*first, node.attr] if first else []
    return []


if __name__ == "__main__":
    known = Modules(ROOT)
    for (module, of), code in sorted(closure(sys.argv[1], known).items()):
        print(hashlib.sha256(code.encode()).hexdigest()[:8], f"{module}.{of}")
    print(digest(sys.argv[1], known), sys.argv[1])
