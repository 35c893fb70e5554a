#include "interpose/chrome_trace.h"

#include <fmt/core.h>

#include <nlohmann/json.hpp>
#include <set>

#include "warpledger/profile/value/profile.h"

namespace warpledger::cuda {
namespace {

using Json = nlohmann::ordered_json;

constexpr double kMicroseconds = 1e6;
constexpr const char* kCategories[] = {"kernel", "memcpy", "memcpy", "device memory", "memcpy"};

/// A process a device, beginning with 1.
int process_of(int device) { return 1 + device; }

Json named(const char* what, int device, uint64_t thread, const std::string& name) {
  return {{"ph", "M"},
          {"name", what},
          {"pid", process_of(device)},
          {"tid", thread},
          {"args", {{"name", name}}}};
}

std::string device_label(int device, const std::string& gpu) {
  const std::string which = device == 0 ? "" : fmt::format(" ({})", device);
  return gpu + which + ", predicted by warpledger";
}

Json event_of(const Span& span) {
  return {{"ph", "X"},
          {"name", profile::short_name(span.name)},
          {"cat", kCategories[static_cast<size_t>(span.lane)]},
          {"pid", process_of(span.device)},
          {"tid", span.stream},
          {"ts", kMicroseconds * span.begin},
          {"dur", kMicroseconds * span.seconds}};
}

}  // namespace

std::string chrome_trace(const std::vector<Span>& spans, const std::string& gpu) {
  Json events = Json::array();
  std::set<std::pair<int, uint64_t>> streams;
  std::set<int> devices = {0};
  for (const Span& span : spans) {
    streams.insert({span.device, span.stream});
    devices.insert(span.device);
  }
  for (const int device : devices)
    events.push_back(named("process_name", device, 0, device_label(device, gpu)));
  for (const auto& [device, stream] : streams) {
    const std::string name = stream == 0 ? "default stream" : fmt::format("stream {}", stream);
    events.push_back(named("thread_name", device, stream, name));
  }
  for (const Span& span : spans) events.push_back(event_of(span));
  const Json trace{{"displayTimeUnit", "ns"},
                   {"otherData", {{"source", "warpledger"}, {"fidelity", "modeled"}, {"gpu", gpu}}},
                   {"traceEvents", std::move(events)}};
  return trace.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

}  // namespace warpledger::cuda
