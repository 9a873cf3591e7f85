"""An entry of a registry as one file that needs torch alone: its definitions and those they use, as they stand here.

The file is put together from the sources of the package. From the function that an entry was registered with, every
name is followed to its definition, in whatever module it stands; comments and docstrings come along. A definition keeps
its name, unless two modules use that name or a local variable would hide it: then the module's name stands before it.
"""

import ast
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter
from importlib import import_module
from inspect import getsource, isclass, isfunction, signature
from itertools import takewhile

from pe_core.parameters import Entry

PACKAGE = "pe_core"
NOTICE = "From the Positional Encoding Explorer, MIT licence; needs torch alone.\n{call}"
CALLS = {  # how the function of a file is called, by its first argument
    "shape": "An encoding: `make(Shape(d_model=64, n_heads=4, train_length=64, max_length=512), DEFAULTS)`.",
    "frequencies": "Called as `make(frequencies, base=..., train_length=..., scale=target / train, **DEFAULTS)`.",
    "n": "The last argument of `make` may be `DEFAULTS`.",
}

# What binds names of its own. Those of a function hide others in its defaults, too, where Python has not bound them.
SCOPES = (ast.FunctionDef, ast.Lambda, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


@dataclass(frozen=True)
class Definition:
    """A function, class or constant at the top of a module of the package."""

    module: str
    name: str


SHAPE = Definition("pe_core.encodings.base", "Shape")


@dataclass(frozen=True)
class Import:
    """A module, or a name in one, under the name that it is imported by."""

    module: str
    name: str | None
    alias: str


@dataclass(frozen=True)
class Use:
    """A place in the source of a module where a name stands for a definition, or for something of another package."""

    meant: Definition | Import
    node: ast.expr
    hidden: frozenset[str]  # local names at that place


@dataclass(frozen=True)
class Module:
    """The source of a module: what it defines and what it imports, by name."""

    name: str
    lines: tuple[bytes, ...]  # the parser counts in bytes
    definitions: Mapping[str, ast.stmt]
    imports: Mapping[str, Import]

    def meant(self, name: str) -> Definition | Import | None:
        """Return what a name at the top of the module stands for, None for one that is built in."""
        if name in self.definitions:
            return Definition(self.name, name)
        if name not in self.imports:
            return None
        found = self.imports[name]
        if found.name is None or not _is_ours(found.module):
            return found
        inner = None if found.module == self.name else read(found.module).meant(found.name)
        return inner or Import(f"{found.module}.{found.name}", None, name)  # a module of ours

    def with_names(self, node: ast.stmt | ast.expr, uses: Iterable[Use], names: Mapping[Definition, str]) -> str:
        """Return the source of a node, with comments above it, in which uses have the names of the file."""
        assert node.end_lineno is not None
        lines, top = list(self.lines[: node.end_lineno]), node.lineno - 1
        lines[-1] = lines[-1][: node.end_col_offset]
        for use in sorted(uses, key=lambda use: (use.node.lineno, use.node.col_offset), reverse=True):
            if isinstance(use.meant, Definition):
                line, place = lines[use.node.lineno - 1], use.node
                renamed = line[: place.col_offset] + names[use.meant].encode() + line[place.end_col_offset :]
                lines[place.lineno - 1] = renamed
        if isinstance(node, ast.expr):
            lines[top] = lines[top][node.col_offset :]
            return b"\n".join(lines[top:]).decode()
        top = min([top, *(one.lineno - 1 for one in getattr(node, "decorator_list", []))])
        comments = list(takewhile(lambda line: line.startswith(b"#"), reversed(lines[:top])))
        return b"\n".join(lines[top - len(comments) :]).decode()


@cache
def read(name: str) -> Module:
    """Return a module of the package by its full name."""
    source = getsource(import_module(name))
    definitions: dict[str, ast.stmt] = {}
    imports: dict[str, Import] = {}
    for node in ast.parse(source).body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                definitions[node.name] = node
            case ast.Assign(targets=[ast.Name(id=target)]) | ast.AnnAssign(target=ast.Name(id=target)):
                definitions[target] = node
            case ast.Assign(targets=[ast.Tuple(elts=targets)]):
                definitions |= {target.id: node for target in targets if isinstance(target, ast.Name)}
            case ast.Import():
                imports |= {alias.name: Import(alias.name, None, alias.name) for alias in node.names}
            case ast.ImportFrom(module=str(package)):
                for alias in node.names:
                    name_here = alias.asname or alias.name
                    imports[name_here] = Import(package, alias.name, name_here)
    return Module(name, tuple(line.encode() for line in source.split("\n")), definitions, imports)


def uses(module: Module, node: ast.AST, hidden: frozenset[str] = frozenset()) -> Iterator[Use]:
    """Yield every use of a definition or an import within a node; `hidden` are the local names around it."""
    match node:
        case ast.Attribute(value=ast.Name(id=name)) if name not in hidden and _is_module(module.meant(name)):
            package = module.meant(name)
            assert isinstance(package, Import)
            inner = read(package.module).meant(node.attr)
            assert inner is not None
            yield Use(inner, node, hidden)
        case ast.Name(id=name, ctx=ast.Load()) if name not in hidden and (meant := module.meant(name)):
            yield Use(meant, node, hidden)
        case _:
            inside = hidden | _bound(node) if isinstance(node, SCOPES) else hidden
            for part in ast.iter_child_nodes(node):
                yield from uses(module, part, inside)


def _bound(scope: ast.AST) -> frozenset[str]:
    """Return the names that a function or a comprehension binds."""
    inner = list(ast.walk(scope))
    arguments = {one.arg for one in inner if isinstance(one, ast.arg)}
    return frozenset(
        arguments | {one.id for one in inner if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Store)}
    )


def _is_ours(module: str) -> bool:
    return module == PACKAGE or module.startswith(f"{PACKAGE}.")


def _is_module(meant: Definition | Import | None) -> bool:
    return isinstance(meant, Import) and meant.name is None and _is_ours(meant.module)


def source(entry: Entry, maker: Callable[..., object]) -> str:
    """Return the file of a registry's entry that was registered with `maker`: `make` and `DEFAULTS` are its way in."""
    home = read(maker.__module__)
    root = _registered(home, entry.key)
    top = list(uses(home, root))
    first = next(iter(signature(maker).parameters))
    # What calls the file of an encoding needs `Shape`, even where no definition names it.
    found = _followed([*(use.meant for use in top), *([SHAPE] if first == "shape" else [])])
    names = _names(found, top)
    told = ast.get_docstring(ast.parse(b"\n".join(home.lines))) or ""
    head = f'r"""{entry.title}. {entry.summary}\n\n{told}\n\n{NOTICE.format(call=CALLS[first])}\n"""'
    every = [*top, *(use for inner in found.values() for use in inner)]
    values = {parameter.name: parameter.default for parameter in entry.parameters}
    texts = dict.fromkeys(_renamed(one, names, inner) for one, inner in found.items())  # of a, b = 1, 2 once
    parts = [_imports(use.meant for use in every), *texts]
    parts += [_make(home, root, top, names), f"DEFAULTS = {values!r}"]
    return head + "\n\n" + "\n\n\n".join(parts) + "\n"


@cache
def parts(maker: Callable[..., object], key: str) -> tuple[Callable[..., object], ...]:
    """Return the functions and classes that the entry of a key comes to use of the module that it is registered in.

    `maker` is what it was registered with; they are in the order of the module.
    """
    home = read(maker.__module__)
    found = _followed(use.meant for use in uses(home, _registered(home, key)))
    values = [vars(import_module(home.name))[one.name] for one in found if one.module == home.name]
    return tuple(value for value in values if isfunction(value) or isclass(value))


def _registered(home: Module, key: str) -> ast.expr:
    """Return the expression of what the entry of a key was registered with, `make` or `rule`."""
    for node in home.definitions.values():
        for call in ast.walk(node):
            if isinstance(call, ast.Call):
                given = {keyword.arg: keyword.value for keyword in call.keywords}
                named = given.get("key")
                if isinstance(named, ast.Constant) and named.value == key:
                    return given.get("make") or given["rule"]
    raise KeyError(key)


def _followed(meant: Iterable[Definition | Import]) -> dict[Definition, list[Use]]:
    """Return the definitions among these and all that they use, each with what it uses.

    They are in an order that a file can have: modules behind those they use, each in its own order.
    """
    found: dict[Definition, list[Use]] = {}
    modules: dict[str, set[str]] = defaultdict(set)
    waiting = list(meant)
    while waiting:
        one = waiting.pop()
        if isinstance(one, Definition) and one not in found:
            module = read(one.module)
            found[one] = list(uses(module, module.definitions[one.name]))
            inner = [use.meant for use in found[one] if isinstance(use.meant, Definition)]
            modules[one.module] |= {other.module for other in inner} - {one.module}
            waiting += inner
    places = {name: place for place, name in enumerate(TopologicalSorter(modules).static_order())}

    def place(definition: Definition) -> tuple[int, int]:
        return places[definition.module], read(definition.module).definitions[definition.name].lineno

    return {definition: found[definition] for definition in sorted(found, key=place)}


def _names(found: Mapping[Definition, list[Use]], top: list[Use]) -> dict[Definition, str]:
    """Return the name of each definition in the file: its own, or with its module's before it."""
    of_name = Counter(definition.name for definition in found)
    shadowed = {
        use.meant
        for inner in [top, *found.values()]
        for use in inner
        if isinstance(use.meant, Definition) and use.meant.name in use.hidden
    }
    return {
        one: one.name
        if of_name[one.name] == 1 and one not in shadowed
        else f"{one.module.rpartition('.')[2]}_{one.name.lstrip('_')}"
        for one in found
    }


def _renamed(definition: Definition, names: Mapping[Definition, str], inner: list[Use]) -> str:
    module = read(definition.module)
    text = module.with_names(module.definitions[definition.name], inner, names)
    before = rf"^((?:def |class )?){re.escape(definition.name)}\b"
    return re.sub(before, rf"\g<1>{names[definition]}", text, count=1, flags=re.MULTILINE)


def _make(home: Module, root: ast.expr, top: list[Use], names: Mapping[Definition, str]) -> str:
    """Return the lines that define `make`, a function or another name for one."""
    if not isinstance(root, ast.Lambda):
        return f"make = {home.with_names(root, top, names)}"
    return f"def make({ast.unparse(root.args)}):\n    return {home.with_names(root.body, top, names)}"


def _imports(meant: Iterable[Definition | Import]) -> str:
    """Return the import statements of all that comes from other packages."""
    found = {one for one in meant if isinstance(one, Import)}
    modules = sorted(f"import {one.module}" for one in found if one.name is None)
    members = defaultdict(set)
    for one in found:
        if one.name is not None:
            members[one.module].add(one.name + (f" as {one.alias}" if one.alias != one.name else ""))
    named = sorted(f"from {module} import {', '.join(sorted(names))}" for module, names in members.items())
    return "\n".join([*modules, *named])
