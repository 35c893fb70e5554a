#include "warpledger/report/block_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "warpledger/base/trace_time.h"

namespace warpledger::report {
namespace {

using Json = nlohmann::ordered_json;
using profile::Profile;

constexpr int kGpu = 1, kSm = 2;  // processes
constexpr uint32_t kKernels = kFirstTraceRow;

uint32_t row_of(uint32_t place) { return kKernels + 1 + place; }

Json named(const char* what, int process, uint32_t thread, const std::string& name) {
  return {
      {"ph", "M"}, {"name", what}, {"pid", process}, {"tid", thread}, {"args", {{"name", name}}}};
}

Json event(const std::string& name, const char* category, int process, uint32_t thread,
           double begin_seconds, double end_seconds) {
  const TraceTime time = trace_time(begin_seconds, end_seconds);
  return {{"ph", "X"},     {"name", name},     {"cat", category},     {"pid", process},
          {"tid", thread}, {"ts", time.begin}, {"dur", time.duration}};
}

std::string sm_label(const Profile& profile, size_t shown) {
  return fmt::format("simulated SM, one of {}: {} of its thread blocks", profile.gpu.sms.value,
                     shown);
}

}  // namespace

Result<std::string> block_trace(const Profile& profile, const profile::MachineCode& code) {
  if (!profile.timing || code.blocks.empty()) {
    return Diagnostic{.message = "the launch has no simulated SM: " +
                                 (profile.states || profile.no_states.empty()
                                      ? "no thread block ends in the cycles that are simulated"
                                      : profile.no_states),
                      .code = "no-trace"};
  }
  const std::string gpu = profile.gpu.name + ", predicted by warpledger";
  const double cycle = 1 / profile.timing->sm_hertz;
  double last = profile.timing->seconds();
  std::set<uint32_t> places;
  for (const sm::BlockSpan& span : code.blocks) {
    places.insert(span.place);
    last = std::max(last, cycle * static_cast<double>(span.end));
  }
  Json events = Json::array();
  events.push_back(named("process_name", kGpu, 0, gpu));
  events.push_back(named("thread_name", kGpu, kKernels, "kernels"));
  events.push_back(named("process_name", kSm, 0, sm_label(profile, code.blocks.size())));
  for (const uint32_t place : places)
    events.push_back(
        named("thread_name", kSm, row_of(place), fmt::format("block place {}", place)));
  events.push_back(event(profile::short_name(profile.kernel), "kernel", kGpu, kKernels, 0, last));
  for (const sm::BlockSpan& span : code.blocks)
    events.push_back(event(fmt::format("block {}", span.number), "block", kSm, row_of(span.place),
                           cycle * static_cast<double>(span.begin),
                           cycle * static_cast<double>(span.end)));
  const Json trace{{"displayTimeUnit", "ns"},
                   {"otherData",
                    {{"schema_version", kTraceSchemaVersion},
                     {"source", "warpledger"},
                     {"fidelity", to_text(Fidelity::kModeled)},
                     {"gpu", profile.gpu.name},
                     {"kernels", 1},
                     {"kernels with thread blocks", 1}}},
                   {"traceEvents", std::move(events)}};
  return trace.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace warpledger::report
