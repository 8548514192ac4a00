"""The event loop of a cell. A process has one: what cells above left in theirs (a task, a queue) is made anew here, and goes on in it."""

import inspect
import sys

# Calls that need a loop that runs, as it always does in Jupyter; and calls that run one themselves.
_NEED = {"create_task", "ensure_future", "get_running_loop", "get_event_loop", "current_task", "all_tasks"}
_RUN = {"run", "run_until_complete", "run_forever", "Runner"}

_loop = None


def wants(code):
    """Whether this code of a module runs in a loop: it awaits something, or calls what needs one."""
    names = set(code.co_names)
    return bool(code.co_flags & inspect.CO_COROUTINE or (names & _NEED and not names & _RUN))


def run(code, namespace):
    import asyncio

    global _loop
    if _loop is None:
        _loop = asyncio.new_event_loop()
        asyncio.set_event_loop(_loop)
    _loop.run_until_complete(_inside(code, namespace))


async def _inside(code, namespace):
    waits = eval(code, namespace)
    if inspect.iscoroutine(waits):
        await waits


def end(is_told=True):
    """The cell is over, and so is what it left running: it may have something to tidy up."""
    global _loop
    if _loop is None:
        return
    import asyncio

    left = asyncio.all_tasks(_loop)
    for task in left:
        task.cancel()
    if left and is_told:
        what, it = ("A task was", "it") if len(left) == 1 else (f"{len(left)} tasks were", "them")
        advice = f"Await {it} here, or name {it} in the cell that awaits {it}."
        print(f"{what} still running when the cell ended, and ended with it. {advice}", file=sys.stderr)
    if left:  # of nothing, `gather` asks for the current loop, and the cell may have set another
        _loop.run_until_complete(asyncio.gather(*left, return_exceptions=True))
    _loop.run_until_complete(_loop.shutdown_asyncgens())
    _loop.run_until_complete(_loop.shutdown_default_executor())
    asyncio.set_event_loop(None)
    _loop.close()
    _loop = None
