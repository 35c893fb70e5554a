"""``wl.sweep``: many launches, here or on any ``concurrent.futures`` executor."""
from __future__ import annotations

import concurrent.futures
import dataclasses
import os
import warnings
from typing import Any, Callable, Iterable, Mapping, Optional, Union

from warpledger._error import Error
from warpledger._profile import Launch, Profile, prepare, profile, run
from warpledger._table import require_pandas


@dataclasses.dataclass(frozen=True)
class Case:
    """One launch of a sweep: a label, and what ``profile`` is called with."""
    label: Any
    call: Mapping[str, Any]

    @classmethod
    def of(cls, label: Any, **call: Any) -> "Case":
        return cls(label, call)


@dataclasses.dataclass(frozen=True)
class Outcome:
    """What became of a case: a profile, or the error that says why there is none."""
    label: Any
    profile: Optional[Profile] = None
    error: Optional[Error] = None

    def __getitem__(self, metric: str) -> Any:
        if self.profile is None:
            raise self.error or Error("the case has no profile")
        return self.profile[metric]


class Outcomes(list[Outcome]):
    """Outcomes in the order of their cases."""

    def to_pandas(self, *metrics: str) -> Any:
        """A row a case, a column a metric (all standard ones when none is named)."""
        pandas = require_pandas()
        rows = []
        for outcome in self:
            row: dict[str, Any] = {"label": outcome.label, "error": str(outcome.error) if outcome.error else None}
            if outcome.profile is not None:
                row.update({name: outcome.profile[name].value for name in metrics or outcome.profile.metrics})
            rows.append(row)
        return pandas.DataFrame(rows).set_index("label")


Given = Union[Case, Mapping[str, Any]]


def sweep(cases: Iterable[Given], executor: Optional[concurrent.futures.Executor] = None, *, retries: int = 3,
          progress: Optional[Callable[[Outcome], None]] = None) -> Outcomes:
    """Profiles every case; a dict is what ``profile`` is called with, its "label" (else its number) names it.

    Any Executor will do: threads, processes, Dask's ``client.get_executor()``. The outcomes stand in the order of the
    cases and do not depend on who computed them. A case that an executor lost (its worker died) is submitted again up
    to ``retries`` times; where the executor itself broke, the rest is computed here, with a warning. A kernel's own
    fault is an outcome with an error, not an exception. Arrays are not written back.
    """
    wanted = [_case(i, given) for i, given in enumerate(cases)]
    if executor is None:
        return Outcomes(_report(_run(case.label, _portable(case)), progress) for case in wanted)
    return _on(executor, wanted, retries, progress)


def _on(executor: concurrent.futures.Executor, cases: list[Case], retries: int,
        progress: Optional[Callable[[Outcome], None]]) -> Outcomes:
    done: dict[int, Outcome] = {}
    work = {i: _portable(case) for i, case in enumerate(cases)}
    for attempt in range(retries + 1):
        left = [i for i in range(len(cases)) if i not in done]
        try:
            running = {i: executor.submit(_run, cases[i].label, work[i]) for i in left}
            lost = _collect(running, done, progress, is_last=attempt == retries)
        except concurrent.futures.BrokenExecutor as broken:
            warnings.warn(f"the executor broke ({broken}): the rest is computed here", RuntimeWarning, stacklevel=3)
            break
        if not lost:
            break
    for i, case in enumerate(cases):
        if i not in done:
            done[i] = _report(_run(case.label, work[i]), progress)
    return Outcomes(done[i] for i in range(len(cases)))


def _collect(running: Mapping[int, Any], done: dict[int, Outcome], progress: Optional[Callable[[Outcome], None]],
             is_last: bool) -> int:
    """Keeps what finished; how many the executor lost."""
    lost = 0
    broken: Optional[concurrent.futures.BrokenExecutor] = None
    for i, future in running.items():
        try:
            done[i] = _report(future.result(), progress)
        except concurrent.futures.BrokenExecutor as fault:
            broken = fault  # later ones may have finished before it broke
        except Exception:  # a lost worker is another exception with each executor
            if is_last:
                raise
            lost += 1
    if broken is not None:
        raise broken
    return lost


def _case(number: int, given: Given) -> Case:
    if isinstance(given, Case):
        return given
    call = dict(given)
    return Case(call.pop("label", number), call)


def _portable(case: Case) -> Union[Launch, Mapping[str, Any], Error]:
    """What another process can be sent: Triton's and CuPy's objects are compiled here, texts and files there."""
    if isinstance(case.call.get("kernel"), (str, os.PathLike)):
        return case.call
    try:
        return prepare(**case.call)
    except Error as fault:
        return fault


def _run(label: Any, work: Union[Launch, Mapping[str, Any], Error]) -> Outcome:
    try:
        if isinstance(work, Error):
            raise work
        return Outcome(label, run(work) if isinstance(work, Launch) else profile(**work))
    except Error as fault:
        return Outcome(label, error=fault)


def _report(outcome: Outcome, progress: Optional[Callable[[Outcome], None]]) -> Outcome:
    if progress is not None:
        progress(outcome)
    return outcome
