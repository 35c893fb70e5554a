#include "warpledger/profile/explain/edit.h"

#include <fmt/core.h>

#include <algorithm>

#include "warpledger/base/number.h"
#include "warpledger/gpu/advice.h"
#include "warpledger/profile/advice/possible_changes.h"
#include "warpledger/profile/explain/shared_padding.h"

namespace warpledger::profile {
namespace {

constexpr int64_t kWarpThreads = 32;

struct Question {
  const Finding& finding;
  const Profile& profile;
  const SourceText& sources;
};

std::string grouped(uint64_t n) { return group_thousands(static_cast<int64_t>(n)); }

/// The watched request of the instruction that the finding names; null: another was watched.
const AccessExample* example_at(const Question& question, trace::Space space) {
  for (const AccessExample& example : question.profile.examples) {
    if (example.instruction >= question.profile.instructions.size()) continue;
    const Instruction& instruction = question.profile.instructions[example.instruction];
    if (instruction.site.space == space &&
        question.profile.code_of(instruction).source == question.finding.where) {
      return &example;
    }
  }
  return nullptr;
}

std::optional<SharedArray> declared_array(const Question& question) {
  const auto file = question.sources.find(question.finding.where.file);
  if (file == question.sources.end()) return {};
  return shared_array_at(file->second, question.finding.where.line);
}

std::optional<Edit> pad_rows(const Question& question) {
  const AccessExample* example = example_at(question, trace::Space::kShared);
  if (example == nullptr) return {};
  const trace::Site& site = question.profile.instructions[example->instruction].site;
  const std::optional<SharedArray> array = declared_array(question);
  const bool has_rows = array && array->row_bytes % 4 == 0;
  const auto padding = find_padding(*example, site, has_rows ? array->row_bytes : 0);
  if (!padding) return {};
  Edit edit;
  if (array && padding->pad_bytes % array->element_bytes == 0)
    edit.snippet = array->padded(padding->pad_bytes / array->element_bytes);
  edit.text = fmt::format(
      "pad each row of {} B by {} B{}: the recorded request then takes {} wavefront{} instead of "
      "{} "
      "(counted again); a swizzle does the same without extra bytes (`warpledger layout banks`)",
      grouped(padding->row_bytes), padding->pad_bytes,
      edit.snippet.empty() ? "" : ", `" + edit.snippet + "`", padding->after,
      padding->after == 1 ? "" : "s", padding->before);
  return edit;
}

/// The bytes from each active lane to the next, where they are the same.
std::optional<int64_t> stride_of(const AccessExample& example) {
  std::vector<uint64_t> addresses;
  for (size_t lane = 0; lane < trace::kLanes; ++lane) {
    if (example.mask >> lane & 1) addresses.push_back(example.address[lane]);
  }
  if (addresses.size() < 2) return {};
  const auto stride = static_cast<int64_t>(addresses[1] - addresses[0]);
  for (size_t i = 1; i < addresses.size(); ++i) {
    if (static_cast<int64_t>(addresses[i] - addresses[i - 1]) != stride) return {};
  }
  return stride;
}

std::optional<Edit> bring_lanes_together(const Question& question) {
  const AccessExample* example = example_at(question, trace::Space::kGlobal);
  if (example == nullptr) return {};
  const uint64_t width = question.profile.instructions[example->instruction].site.width;
  const std::optional<int64_t> stride = stride_of(*example);
  if (!stride || *stride == static_cast<int64_t>(width)) return {};
  return Edit{fmt::format("neighboring lanes are {} B apart at {}; make it {} B: {}",
                          group_thousands(*stride), to_text(question.finding.where), width,
                          question.finding.remedy)};
}

std::optional<Edit> let_more_blocks_in(const Question& question) {
  const Launch& launch = question.profile.launch;
  const Result<Advice> advice = possible_changes(question.profile);
  if (!advice || advice->changes.empty()) return {};
  const Change& change = advice->changes.front();
  Edit edit{to_text(*advice)};
  if (change.axis != SweepAxis::kRegisters) return edit;
  const int64_t threads = volume(launch.block);
  const int64_t warps = (threads + kWarpThreads - 1) / kWarpThreads;
  edit.snippet = fmt::format("__launch_bounds__({}, {})", threads, change.warps_after / warps);
  edit.text += fmt::format("; `{}` before the kernel's name limits the compiler to {} registers",
                           edit.snippet, change.to);
  return edit;
}

/// Blocks halved until every SM has one.
std::optional<Edit> spread_threads(const Question& question) {
  const int64_t sms = question.profile.gpu.sms.value;
  const int64_t was = volume(question.profile.launch.block);
  int64_t blocks = question.profile.statistics.blocks, size = was;
  while (blocks < sms && size % (2 * kWarpThreads) == 0) {
    blocks *= 2;
    size /= 2;
  }
  if (size == was) return {};
  return Edit{fmt::format("launch {} of {} threads instead of {} of {}", counted(blocks, "block"),
                          size, grouped(static_cast<uint64_t>(question.profile.statistics.blocks)),
                          was)};
}

std::optional<Edit> accumulate_in_register(const Question& question) {
  for (const WarpSample& sample : question.profile.samples) {
    if (sample.kind != trace::Kind::kStore || sample.source != question.finding.where ||
        sample.array.empty())
      continue;
    return Edit{fmt::format(
        "keep the running value of {} in a local variable, and store it once after the loop; or "
        "declare the pointers __restrict__, and the compiler does it",
        sample.array)};
  }
  return {};
}

using Derive = std::optional<Edit> (*)(const Question&);
constexpr std::pair<FindingCode, Derive> kDerived[] = {
    {FindingCode::kBankConflicts, pad_rows},
    {FindingCode::kUncoalesced, bring_lanes_together},
    {FindingCode::kLowOccupancy, let_more_blocks_in},
    {FindingCode::kFewBlocks, spread_threads},
    {FindingCode::kMemoryAccumulator, accumulate_in_register},
};

}  // namespace

Edit edit_of(const Finding& finding, const Profile& profile, const SourceText& sources) {
  for (const auto& [code, derive] : kDerived) {
    if (finding.code != to_text(code)) continue;
    if (std::optional<Edit> edit = derive({finding, profile, sources})) return *std::move(edit);
  }
  return {finding.remedy};
}

}  // namespace warpledger::profile
