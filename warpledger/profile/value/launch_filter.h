// Which launches of a program are profiled, as ncu's -k, -s and -c say it: a pattern for the
// kernel's name, so many matching launches to skip, so many to profile. A plain value; whoever
// sees the launches asks it once for each, in order.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "warpledger/base/result.h"

namespace warpledger::profile {

/// What a pattern is compared with (ncu's --kernel-name-base), for "void ns::k<int>(float *)":
enum class NameBase : uint8_t {
  kFunction,   // k
  kDemangled,  // void ns::k<int>(float *)
  kMangled,    // _ZN2ns1kIiEEvPf
};

[[nodiscard]] std::optional<NameBase> parse_name_base(std::string_view word);

/// The function's own name: without namespaces, template arguments, result and parameters.
[[nodiscard]] std::string function_name(const std::string& mangled);

/// The name of that kind.
[[nodiscard]] std::string name_of(const std::string& mangled, NameBase base);

/// "matmul": a name that is equal; "regex:^mat": a name in which the expression is found. RE2's
/// syntax: no look-ahead and no references to groups, in exchange for a time that is linear in the
/// name, whatever the expression.
class KernelPattern {
 public:
  static constexpr size_t kLongest = 1024;  // of an expression

  /// Fails with "bad-regex" on an expression that is none.
  [[nodiscard]] static Result<KernelPattern> parse(const std::string& text,
                                                   NameBase base = NameBase::kFunction);

  [[nodiscard]] bool matches(const std::string& mangled) const;
  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct Expression;
  std::string text_;
  NameBase base_ = NameBase::kFunction;
  std::shared_ptr<const Expression> expression_;  // null: a plain name
};

/// ncu's options; counts are of matching launches, except skip_before_match.
struct LaunchSelection {
  std::optional<KernelPattern> kernel = {};  // absent: every kernel
  uint64_t skip_before_match = 0;            // launches of any kernel, first
  uint64_t skip = 0;
  std::optional<uint64_t> count = {};  // absent: no end
};

/// Not for several threads at once.
class LaunchFilter {
 public:
  explicit LaunchFilter(LaunchSelection selection = {}) : selection_(std::move(selection)) {}

  /// Whether the next launch, of this kernel, is profiled.
  [[nodiscard]] bool wants(const std::string& mangled);
  /// No later launch will be.
  [[nodiscard]] bool is_done() const { return selection_.count && wanted_ >= *selection_.count; }

  [[nodiscard]] uint64_t seen() const { return seen_; }
  [[nodiscard]] uint64_t matched() const { return matched_; }
  [[nodiscard]] uint64_t wanted() const { return wanted_; }
  [[nodiscard]] const LaunchSelection& selection() const { return selection_; }

 private:
  LaunchSelection selection_;
  uint64_t seen_ = 0, matched_ = 0, wanted_ = 0;
};

}  // namespace warpledger::profile
