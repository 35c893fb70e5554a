// python/src/: the module _core. It hands plain values over (numbers, texts, lists, dicts) and
// nothing else, so that results are Python's own objects: they can be pickled, sent to another
// machine and looked at without this module. Nothing here computes; python/warpledger/ gives the
// values their names.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/map.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/variant.h>
#include <nanobind/stl/vector.h>

#include "warpledger/base/result.h"
#include "warpledger/base/table.h"

namespace warpledger::python {

namespace nb = nanobind;

/// Throws warpledger.Error(message, hint, code, where, text).
[[noreturn]] void raise(const Diagnostic& diagnostic);

/// The value, or the Python exception.
template <class T>
T take(Result<T> result) {
  if (!result) raise(result.error());
  return *std::move(result);
}

/// None, int, float or str.
[[nodiscard]] nb::object to_python(const RawValue& raw);

/// (title, [(name, key, is_right)], [[(text, raw, fidelity or None)]], [note]).
[[nodiscard]] nb::object to_python(const Table& table);
[[nodiscard]] nb::list to_python(const std::vector<Table>& tables);

/// One part of the module each.
void add_profile(nb::module_& module);
void add_gpu(nb::module_& module);
void add_tile(nb::module_& module);
void add_plan(nb::module_& module);
void add_layout(nb::module_& module);

}  // namespace warpledger::python
