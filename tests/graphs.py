"""PyTensor's graphs that tests evaluate a few times: compiling or fusing them would take longer."""

from pytensor.compile.mode import Mode

AS_IT_STANDS = Mode("vm", "minimum_compile")
