// base/: plain values that every room may use: results, diagnostics, tables, drawings, files. It
// must not know another room, nor what a number means, nor print.
// Result<T>: a value, or the Diagnostic that says why there is none. Our std::expected (C++23).
//   Result<Gpu> gpu = read_gpu(path);
//   if (!gpu) return gpu.error();
// or, inside a function that itself returns a Result:
//   WL_TRY(const Gpu gpu, read_gpu(path));
#pragma once

#include <utility>
#include <variant>

#include "warpledger/base/check.h"
#include "warpledger/base/diagnostic.h"

namespace warpledger {

template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Diagnostic error) : state_(std::in_place_index<1>, std::move(error)) {}

  [[nodiscard]] bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  [[nodiscard]] const T& operator*() const& { return value(); }
  [[nodiscard]] T& operator*() & {
    WL_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] T&& operator*() && {
    WL_CHECK(ok());
    return std::move(*std::get_if<0>(&state_));
  }
  [[nodiscard]] const T* operator->() const { return &value(); }
  [[nodiscard]] T* operator->() { return &**this; }

  [[nodiscard]] const T& value() const {
    WL_CHECK(ok());
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const Diagnostic& error() const {
    WL_CHECK(!ok());
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Diagnostic> state_;
};

/// Success, or why not.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Diagnostic error) : error_(std::move(error)) {}

  [[nodiscard]] bool ok() const { return !error_; }
  explicit operator bool() const { return ok(); }
  [[nodiscard]] const Diagnostic& error() const {
    WL_CHECK(!ok());
    return *error_;
  }

 private:
  std::optional<Diagnostic> error_;
};

using Status = Result<void>;

}  // namespace warpledger

#define WL_CONCAT_(a, b) a##b
#define WL_CONCAT(a, b) WL_CONCAT_(a, b)

/// Declares `declaration` from a Result, or returns its error from the enclosing function.
#define WL_TRY(declaration, expression)                                                 \
  auto WL_CONCAT(wl_result_, __LINE__) = (expression);                                  \
  if (!WL_CONCAT(wl_result_, __LINE__)) return WL_CONCAT(wl_result_, __LINE__).error(); \
  declaration = *std::move(WL_CONCAT(wl_result_, __LINE__))

/// The same for a Status.
#define WL_TRY_STATUS(expression) \
  if (auto wl_status = (expression); !wl_status) return wl_status.error()
