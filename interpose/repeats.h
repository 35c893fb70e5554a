// Which launches of a program are the same as one that went through the models, so that they need
// only be run. docs/programs.md states the rule and what it assumes; in short, of launches of one
// kernel in one shape:
//
//   proven    the kernel's instructions and addresses follow from its parameters alone
//             (exec::is_fixed_by_parameters), and a launch with these parameters was modeled.
//   counted   else the first launches are modeled, until kSettled in turn agree with one modeled
//             before; then every 2^n-th. The others are run and what they executed is counted, per
//             instruction: a launch whose counts equal those of a modeled one is taken for it.
//   unlike    one with other counts is modeled too, unless kFirstModels were and its instructions
//             are within kNear of one of them, or kMostModels were: then the nearest stands for
//             it, with its duration in proportion to the instructions, and is said to.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "warpledger/exec/run/engine.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::cuda {

/// What a launch executed, in few words; equal for equal counts of every PTX instruction.
struct ExecutedCounts {
  uint64_t warp_instructions = 0, thread_instructions = 0;
  uint64_t hash = 0;
  friend bool operator==(const ExecutedCounts&, const ExecutedCounts&) = default;
};

[[nodiscard]] ExecutedCounts counts_of(const std::vector<exec::InstructionCount>& counts);
[[nodiscard]] ExecutedCounts counts_of(const profile::Profile& profile);

/// What two models of alike launches agree in: cycles, and sectors of L1, L2 and DRAM.
using Measures = std::array<double, 4>;
[[nodiscard]] Measures measures_of(const profile::Profile& profile);
/// Within 2 %: each of its own size, or of the sectors that the launch asks for.
[[nodiscard]] bool are_alike(const Measures& a, const Measures& b);

/// A launch that went through the models.
struct ModeledLaunch {
  std::vector<std::byte> params;
  ExecutedCounts counts;
  Measures measures = {};
  double seconds = 0;
  std::string profile;  // the report's name for the profile that it belongs to; "": not reported
};

/// Launches of one kernel in one shape.
class LaunchGroup {
 public:
  static constexpr size_t kFirstModels = 8, kMostModels = 64;
  static constexpr uint32_t kSettled = 2, kMostChanges = 4;
  static constexpr double kNear = 0.05;

  enum class Way { kModel, kProven, kCount };
  struct Answer {
    Way way = Way::kModel;
    const ModeledLaunch* same = nullptr;  // kProven: this one
  };
  /// How the next launch is to run. `fixed`: exec::is_fixed_by_parameters(); `reported`: its
  /// profile is asked for, so that only launches with one can stand for it.
  [[nodiscard]] Answer next(const std::vector<std::byte>& params, bool fixed, bool reported) const;

  /// A launch that only ran: the modeled one with its counts, of its parameters rather than
  /// others', of later ones rather than earlier. Null: there is none.
  [[nodiscard]] const ModeledLaunch* find(const std::vector<std::byte>& params,
                                          const ExecutedCounts& counts, bool reported) const;
  /// The one that is nearest in instructions. Null: none is reported.
  [[nodiscard]] const ModeledLaunch* nearest(const ExecutedCounts& counts, bool reported) const;
  /// Whether a launch that ran, with counts that find() does not know, is worth a model.
  [[nodiscard]] bool is_worth_modeling(const ExecutedCounts& counts, bool reported) const;

  /// The modeled launch with the counts of this one that it agrees with. Null: there is none.
  [[nodiscard]] const ModeledLaunch* find_alike(const ModeledLaunch& launch, bool reported) const;
  /// A launch was modeled; `agrees`: find_alike() found one.
  void add(ModeledLaunch launch, bool agrees);
  /// A launch was run and taken for a modeled one.
  void count() { ++launches_; }
  /// One was worth a model and could not be run again: the next one is modeled.
  void miss() { missed_ = true; }

  /// A launch left memory as it found it, or changed it.
  void note_memory(bool is_same) { changes_ = is_same ? 0 : changes_ + 1; }
  /// Whether that is worth finding out of the next one: not after kMostChanges changes in turn.
  [[nodiscard]] bool may_leave_memory() const { return changes_ < kMostChanges; }

 private:
  [[nodiscard]] bool may_model() const { return modeled_.size() < kMostModels; }
  [[nodiscard]] bool is_due() const;

  std::vector<ModeledLaunch> modeled_;
  uint64_t launches_ = 0;
  uint32_t agreed_ = 0;     // models in turn
  bool is_varied_ = false;  // models differ though their counts are equal
  bool missed_ = false;
  uint32_t changes_ = 0;  // launches in turn that changed memory
};

}  // namespace warpledger::cuda
