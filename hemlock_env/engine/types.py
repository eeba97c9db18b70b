"""Types of the parameters of compiled functions above the rules, written at the parameter.

For type checkers they are `Any`: compiled bodies are tested uncompiled instead. A parameter without
a type is an int64.
"""

from typing import Annotated, Any

import numba

from hemlock_env._jit import record, records
from hemlock_env.cards.tables import TABLES
from hemlock_env.engine.state import STATE

State = Annotated[Any, record(STATE)]
Tables = Annotated[Any, record(TABLES)]

# Python hands a record to compiled code in an array of one, which `all_tables[0]` takes it out of:
# Numba takes no record by itself from Python in less than three microseconds.
States = Annotated[Any, records(STATE)]
AllTables = Annotated[Any, records(TABLES, readonly=True)]

Int = Annotated[Any, numba.int64]  # in a NamedTuple
Seed = Annotated[Any, numba.uint64]
Bits = Annotated[Any, numba.uint64]
Float = Annotated[Any, numba.float64]
Float32 = Annotated[Any, numba.float32]

Bools = Annotated[Any, numba.boolean[::1]]
Int8s = Annotated[Any, numba.int8[::1]]
Int16s = Annotated[Any, numba.int16[::1]]
Int32s = Annotated[Any, numba.int32[::1]]
Int64s = Annotated[Any, numba.int64[::1]]
UInt32s = Annotated[Any, numba.uint32[::1]]
UInt64s = Annotated[Any, numba.uint64[::1]]
Float32s = Annotated[Any, numba.float32[::1]]
Float64s = Annotated[Any, numba.float64[::1]]

Int8Rows = Annotated[Any, numba.int8[:, ::1]]
Int16Rows = Annotated[Any, numba.int16[:, ::1]]
Int32Rows = Annotated[Any, numba.int32[:, ::1]]
Int64Rows = Annotated[Any, numba.int64[:, ::1]]
UInt64Rows = Annotated[Any, numba.uint64[:, ::1]]
Float32Rows = Annotated[Any, numba.float32[:, ::1]]
Float64Rows = Annotated[Any, numba.float64[:, ::1]]
