# SPDX-License-Identifier: LGPL-2.1-or-later
"""The shared library, its errors, parameters from its tables, and NumPy arrays as its images.

The library is called through ctypes, which lets go of the interpreter's lock while it works.
"""
import ctypes
import difflib
import functools
import inspect
import os
import pathlib
import threading
import time
from typing import Callable, TypeVar

import numpy as np

from . import _c as c

CHOICE, FLAGS, SPELLED, BOOL, DOUBLE = (c.STX_FIELD_CHOICE, c.STX_FIELD_FLAGS, c.STX_FIELD_SPELLED,
                                        c.STX_FIELD_BOOL, c.STX_FIELD_DOUBLE)
BACKENDS = {"auto": c.STX_BACKEND_AUTO, "omp": c.STX_BACKEND_OMP}
MAX_THREADS = 256
Thing = TypeVar("Thing")  # a function or class


class Error(ValueError):
    """An error of the library; the text names the thing, its value and the choices."""


# ---- The library --------------------------------------------------------------------------------

def _load():
    """The library that was built with _c.py: where it was installed with the package or, while that
    is tested, elsewhere."""
    here = pathlib.Path(__file__).resolve().parent
    installed = [*here.parent.glob(".stixels.mesonpy.libs/libstixels.so*"), here / c.LIBRARY]
    path = os.environ.get("STIXELS_LIBRARY") or next(filter(pathlib.Path.is_file, installed), None)
    if path is None:
        raise ImportError("stixels: the C library that belongs to this package is not beside it; "
                          "install the wheel, or set STIXELS_LIBRARY")
    library = ctypes.CDLL(str(path))
    for name, (result, arguments) in c.FUNCTIONS.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments
    return library


lib = _load()
TABLES = {name: kind.in_dll(lib, name) for name, kind in c.TABLES.items()
          if kind in (c.StxFields, c.StxImplTable)}
_free = ctypes.CDLL(None).free
_free.argtypes, _free.restype = [ctypes.c_void_p], None
byref = ctypes.byref


def checked(function, *arguments):
    """Calls what ends in an error and returns something true if all is well."""
    error = c.StxError()
    result = function(*arguments, byref(error))
    if not result:
        text = error.text.decode("utf-8", "replace")
        raise MemoryError(text) if error.kind == c.STX_ERROR_MEMORY else Error(text)
    return result


# ---- Memory -------------------------------------------------------------------------------------

class Single:
    """Owns an object of the library, which two Python objects must not free. ms, cpu_ms: how long
    the library took for the last frame, and on all processors."""
    ms = cpu_ms = 0.

    def _timed(self, function, *arguments):
        wall, cpu = time.perf_counter(), time.process_time()
        checked(function, *arguments)
        self.ms, self.cpu_ms = (1e3 * (time.perf_counter() - wall),
                                1e3 * (time.process_time() - cpu))

    def __copy__(self):
        raise TypeError(f"a {type(self).__name__} cannot be copied or pickled: it owns memory of "
                        "the library; make a new one with the same settings")

    def __reduce_ex__(self, _):
        self.__copy__()

    __deepcopy__ = __reduce_ex__


class Stream(Single):
    """Owns what the library makes by stx_<stem>_new and keeps from frame to frame. One frame at a
    time: other threads wait for its lock."""
    _stem = ""

    def __init__(self):
        self._lock, self._state = threading.Lock(), getattr(lib, f"stx_{self._stem}_new")()
        if not self._state:
            raise MemoryError(f"no memory for {self._stem}")

    def __del__(self):
        if getattr(self, "_state", None):
            getattr(lib, f"stx_{self._stem}_free")(self._state)

    def reset(self) -> None:
        """The next frame begins a new stream."""
        with self._lock:
            getattr(lib, f"stx_{self._stem}_reset")(self._state)


class Block(Single):
    """Memory of the library: aligned, on huge pages where it is large. Its content is arbitrary."""

    def __init__(self, size):
        self.size, self.address = size, lib.stx_allocate(max(size, 1))
        if not self.address:
            raise MemoryError(f"no {size} bytes of memory")

    def __del__(self):
        _free(getattr(self, "address", None))


_scratch = threading.local()


def scratch(size):
    """The address of scratch of this thread, which keeps the largest that it ever needed."""
    block = getattr(_scratch, "block", None)
    if block is None or block.size < size:
        _scratch.block = None  # the old one goes first
        block = _scratch.block = Block(size)
    return block.address


# ---- Implementations ----------------------------------------------------------------------------

def one_of(name, value, choices):
    """The value that a dictionary has for a choice."""
    if value not in choices:
        raise Error(f"{name} is {value!r}, must be one of {', '.join(choices)}")
    return choices[value] if isinstance(choices, dict) else value


def implementation(table, kind, backend="auto"):
    """The best one of a table that this machine can run."""
    found = lib.stx_impl_pick(byref(TABLES[table]), one_of("backend", backend, BACKENDS))
    if not found:
        raise Error(f"backend {backend} is not in this library; choose auto or omp")
    return ctypes.cast(found, ctypes.POINTER(kind)).contents


def whole(name, value, low=0, high=2 ** 31 - 1):
    """The value as an int; ctypes would cut off what does not fit."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise TypeError(f"{name} is {value!r}, must be a whole number")
    if not low <= value <= high:
        raise Error(f"{name} is {value}, must be {low} to {high}")
    return int(value)


def place(threads):
    """`threads` as everywhere: 0: one per core that this process may use."""
    return c.StxPlace(threads=lib.stx_threads(whole("threads", threads, 0, MAX_THREADS)))


# ---- Parameters ---------------------------------------------------------------------------------

def defaults(table, kind):
    """A struct as the table has it."""
    return kind.from_buffer_copy(ctypes.string_at(TABLES[table].defaults, ctypes.sizeof(kind)))


def settings_of(kind, settings, *tables):
    """A struct as the last table has it, with what keywords say."""
    params = defaults(tables[-1], kind)
    set_fields(params, settings, *tables)
    return params


def params_of(stem, kind, settings, **own):
    """The struct of a stem with what keywords say, and its own members, checked."""
    params = settings_of(kind, settings, f"stx_{stem}_fields")
    for name, value in own.items():
        setattr(params, name, value)
    checked(getattr(lib, f"stx_{stem}_check"), byref(params))
    return params


def choices_of(field):
    """nick -> value."""
    found, i = {}, 0
    while field.choices[i].nick:
        found[field.choices[i].nick.decode()] = field.choices[i].value
        i += 1
    return found


def _fields(table):
    return [table.fields[i] for i in range(table.count) if table.fields[i].name]


@functools.lru_cache(None)
def keywords(*tables):
    """Keyword -> (field, table): a property's name with underscores."""
    return {field.name.decode().replace("-", "_"): (field, table) for table in tables
            for field in _fields(TABLES[table])}


def _choice(name, field, value):
    known = choices_of(field)
    if not isinstance(value, str):
        value = str(value)  # of numbers, such as max_disparity, choices are numbers
    if value not in known:
        raise Error(f"{name} is {value}, must be one of {', '.join(known)}")
    return known[value]


def _number(name, field, value):
    whole = field.type != DOUBLE and not field.scale
    kinds = (int, np.integer) if whole else (int, float, np.integer, np.floating)
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, kinds):
        raise TypeError(f"{name} is {value!r}, must be a {'whole ' if whole else ''}number")
    low, high = lib.stx_field_low(byref(field)), lib.stx_field_high(byref(field))
    if not low <= value <= high:  # it may not even fit what it is stored in
        unit = f" {field.unit.decode()}" if field.unit else ""
        raise Error(f"{name} is {value}{unit}, must be {low:g} to {high:g}{unit}")
    return float(value)


def _value(name, field, value):
    if field.type == BOOL:
        if not isinstance(value, (bool, np.bool_)):
            raise TypeError(f"{name} is {value!r}, must be True or False")
        return float(value)
    if field.type == CHOICE:
        return float(_choice(name, field, value))
    if field.type == FLAGS:
        names = value.split("+") if isinstance(value, str) else value
        return float(sum({_choice(name, field, one) for one in names if one}))
    return _number(name, field, value)


def set_fields(params, settings, *tables):
    """Sets what keywords say in a struct; offsets are by the tables'. Unknown ones are refused."""
    known = keywords(*tables)
    for name, value in settings.items():
        if name not in known:
            near = difflib.get_close_matches(name, known, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            raise TypeError(f"no setting {name!r}{hint} There are {', '.join(known)}")
        field, table = known[name]
        target = params.grid if table == "stx_grid_fields" else params
        if field.type == SPELLED:
            if not isinstance(value, str):
                raise TypeError(f"{name} is {value!r}, must be a text: {field.text.decode()}")
            checked(field.spelling.contents.read, value.encode(), ctypes.addressof(target))
        else:
            lib.stx_field_set(byref(field), byref(target), _value(name, field, value))


def _describe(name, field, table):
    text = field.text.decode() if field.text else ""
    target = TABLES[table].defaults
    if field.type == CHOICE:
        value = int(lib.stx_field_get(byref(field), target))
        known = choices_of(field)
        default = next((nick for nick, number in known.items() if number == value), value)
        text += f"; one of {', '.join(known)}"
    elif field.type == FLAGS:
        value, known = int(lib.stx_field_get(byref(field), target)), choices_of(field)
        default = "+".join(nick for nick, bit in known.items() if bit & value) or "''"
        text += f"; a sum of {', '.join(known)}"
    elif field.type == BOOL:
        default = bool(lib.stx_field_get(byref(field), target))
    elif field.type == SPELLED:
        return f"    {name}: {text}"
    else:
        default = f"{lib.stx_field_get(byref(field), target):g}"
        low, high = lib.stx_field_low(byref(field)), lib.stx_field_high(byref(field))
        unit = f" {field.unit.decode()}" if field.unit else ""
        text += f"; {low:g} to {high:g}{unit}"
    return f"    {name}: {text}; default {default}"


def documented(*tables: str) -> Callable[[Thing], Thing]:
    """Adds the settings of these tables to the text of a function or class."""
    def decorate(thing):
        lines = [_describe(name, *found) for name, found in keywords(*tables).items()]
        thing.__doc__ = "\n".join([inspect.cleandoc(thing.__doc__), "", "Settings, by keyword:",
                                   *lines])
        return thing
    return decorate


# ---- Arrays -------------------------------------------------------------------------------------

def unmasked(name, value, unknown=None):
    """A masked array without its mask: masked elements become `unknown`, or are refused where no
    value says that an element is unknown. The data below a mask is never read."""
    if not isinstance(value, np.ma.MaskedArray):
        return value
    if unknown is None and np.ma.is_masked(value):
        raise TypeError(f"{name} is a masked array with masked elements, and {name} has no value "
                        "for unknown; give .filled(VALUE)")
    return value.data if not np.ma.is_masked(value) else value.filled(unknown)


def array(name, value, dtype, shape, unknown=None):
    """`value` if it is an array of that type and shape; `shape`: 'height, width', '4' and so on,
    sizes that are numbers must be these. Masked elements become `unknown`."""
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{name} is a {type(value).__name__}, must be a NumPy array of "
                        f"{np.dtype(dtype)} with the shape ({shape})")
    wanted = [part.strip() for part in shape.split(",") if part.strip()]
    if value.ndim != len(wanted) or any(part.isdigit() and size != int(part)
                                        for part, size in zip(wanted, value.shape)):
        raise Error(f"{name} has the shape {value.shape}, must have ({shape})")
    if value.dtype != np.dtype(dtype):
        raise TypeError(f"{name} is an array of {value.dtype}, must be of {np.dtype(dtype)} in the "
                        "byte order of this machine")
    return unmasked(name, value, unknown)


def contiguous(name, value, dtype, shape):
    """The same as one aligned block: copied where it is not."""
    return np.require(array(name, value, dtype, shape), requirements=["C", "A"])


def rows(name, value, dtype, shape="height, width", unknown=None):
    """The same with rows that are one block each, any number of bytes apart: copied else."""
    value = array(name, value, dtype, shape, unknown)
    step = value.itemsize
    for size, stride in zip(value.shape[:0:-1], value.strides[:0:-1]):
        if stride != step and size > 1:
            return np.ascontiguousarray(value)
        step *= size
    # Rows of one block that lie over each other (broadcast), or are not aligned.
    if abs(value.strides[0]) < step and value.shape[0] > 1 or not value.flags.aligned:
        return np.require(value, requirements=["C", "A"])
    return value


def image(kind, value):
    """A view for the library. The array has to live as long as it is used."""
    pointer = dict(kind._fields_)["data"]
    return kind(ctypes.cast(value.ctypes.data, pointer) if pointer is not ctypes.c_void_p
                else value.ctypes.data, value.strides[0], value.shape[1], value.shape[0])


def pointer(value):
    """Address of an array's data; None of none."""
    return None if value is None else value.ctypes.data


_NOTHING = np.zeros(64, np.uint8)


def structs(kind, value):
    """A pointer to an array's structs, never NULL where there is an array; None of none."""
    return value if value is None else ctypes.cast(pointer(value if len(value) else _NOTHING),
                                                   ctypes.POINTER(kind))


def copy(address, shape, dtype, stride=None):
    """A copy of what is the library's, rows `stride` bytes apart."""
    if not np.prod(shape):
        return np.empty(shape, dtype)
    dtype = np.dtype(dtype)
    size = stride * shape[0] if stride else int(np.prod(shape)) * dtype.itemsize
    memory = (ctypes.c_char * size).from_address(ctypes.cast(address, ctypes.c_void_p).value)
    strides = (stride, dtype.itemsize) if stride else None
    return np.ndarray(shape, dtype, memory, strides=strides).copy()


def labelled(points, labels):
    """A scan with its labels, as blocks."""
    points = contiguous("points", points, np.float32, "points, 4")
    labels = contiguous("labels", labels, np.uint32, "points")
    if len(labels) != len(points):
        raise Error(f"labels: there are {len(labels)}, but {len(points)} points")
    return points, labels


def same_size(name, value, other, size):
    if value.shape[:2] != size:
        raise Error(f"{name} has {value.shape[1]} × {value.shape[0]} pixels, {other} "
                    f"{size[1]} × {size[0]}")
