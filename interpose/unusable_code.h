// Code of a program that cannot run here, and what its user can do about it.
#pragma once

#include <set>
#include <string>

#include "interpose/fatbin.h"

namespace warpledger::cuda {

class UnusableCode {
 public:
  void add(const FatbinEntry& entry, int target);
  /// Why nothing of module `name` runs on `target` (80 for sm_80): code "no-ptx".
  [[nodiscard]] Diagnostic describe(const std::string& name, int target) const;

 private:
  std::set<std::string> machine_;  // architectures of machine code
  std::set<std::string> newer_;    // of PTX that the target cannot take
  std::set<int> newer_numbers_;
  bool has_cubin_ = false;  // not from a fatbin: its architecture is not known
};

}  // namespace warpledger::cuda
