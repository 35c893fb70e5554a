#include "interpose/chrome_trace.h"

#include <fmt/core.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "warpledger/base/trace_time.h"
#include "warpledger/profile/value/profile.h"

namespace warpledger::cuda {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kCategories[] = {"kernel",        "memcpy", "memcpy",
                                       "device memory", "memcpy", "graph"};
constexpr const char* kEngines[] = {"kernels", "copies to the device", "copies to the host",
                                    "copies on the device", "copies to other devices"};
constexpr uint64_t kGraphNodes = uint64_t{1} << 32;  // behind all streams
constexpr size_t kMostBlocks = 100'000;              // more would make the file slow to open

/// Processes: the devices, beginning with 1, then their simulated SMs.
int process_of(int device) { return 1 + device; }
int sm_of(int device) { return 1 + kMostDevices + device; }

/// A row of the trace, and where it stands among those of its process.
struct Row {
  int process = 0;
  uint64_t order = 0;
  friend auto operator<=>(const Row&, const Row&) = default;
};

struct Slice {
  Row row = {};
  std::string name = {};
  const char* category = "";
  TraceTime time = {};
  Json args = {};
};

Row row_of(const Span& span) {
  const uint64_t order =
      span.is_of_graph ? kGraphNodes + static_cast<uint64_t>(span.lane) : span.stream;
  return {process_of(span.device), order};
}

std::string row_name(const Span& span) {
  if (span.is_of_graph)
    return fmt::format("graph nodes: {}", kEngines[static_cast<size_t>(span.lane)]);
  return span.stream == 0 ? "default stream" : fmt::format("stream {}", span.stream);
}

std::string device_label(int device, const std::string& gpu) {
  const std::string which = device == 0 ? "" : fmt::format(" ({})", device);
  return gpu + which + ", predicted by warpledger";
}

Json named(const char* what, int process, int row, const std::string& name) {
  return {{"ph", "M"}, {"name", what}, {"pid", process}, {"tid", row}, {"args", {{"name", name}}}};
}

Json event_of(const Slice& slice, int row) {
  Json event{{"ph", "X"},
             {"name", slice.name},
             {"cat", slice.category},
             {"pid", slice.row.process},
             {"tid", row},
             {"ts", slice.time.begin},
             {"dur", slice.time.duration}};
  if (!slice.args.is_null()) event["args"] = slice.args;
  return event;
}

class Trace {
 public:
  explicit Trace(std::string gpu) : gpu_(std::move(gpu)) {
    processes_[process_of(0)] = device_label(0, gpu_);
  }

  void add(const Span& span) {
    const Row row = row_of(span);
    processes_[row.process] = device_label(span.device, gpu_);
    rows_[row] = row_name(span);
    slices_.push_back({row, profile::short_name(span.name),
                       kCategories[static_cast<size_t>(span.lane)],
                       trace_time(span.begin, span.begin + span.seconds)});
    kernels_ += span.lane == Lane::kKernel ? 1 : 0;
  }

  /// Pre: `blocks` has some.
  void add(const Span& kernel, const KernelBlocks& blocks) {
    if (blocks_ + blocks.spans.size() > kMostBlocks) return;
    int64_t last = 1;
    for (const sm::BlockSpan& block : blocks.spans) last = std::max(last, block.end);
    const double cycle = std::min(1 / blocks.sm_hertz, kernel.seconds / static_cast<double>(last));
    const auto time_of = [&](int64_t at) { return kernel.begin + cycle * static_cast<double>(at); };
    const int process = sm_of(kernel.device);
    processes_[process] =
        fmt::format("one simulated SM of {}: thread blocks", device_label(kernel.device, gpu_));
    for (const sm::BlockSpan& block : blocks.spans) {
      const Row row{process, block.place};
      rows_[row] = fmt::format("block place {}", block.place);
      slices_.push_back({row,
                         fmt::format("block {}", block.number),
                         "block",
                         trace_time(time_of(block.begin), time_of(block.end)),
                         {{"kernel", profile::short_name(kernel.name)},
                          {"begin cycle", block.begin},
                          {"end cycle", block.end}}});
    }
    blocks_ += blocks.spans.size();
    ++with_blocks_;
  }

  [[nodiscard]] std::string text() const {
    Json events = Json::array();
    for (const auto& [process, name] : processes_)
      events.push_back(named("process_name", process, 0, name));
    std::map<Row, int> numbers;
    for (const auto& [row, name] : rows_) {
      const int number = kFirstTraceRow + static_cast<int>(numbers.size());
      numbers[row] = number;
      events.push_back(named("thread_name", row.process, number, name));
    }
    for (const Slice& slice : slices_) events.push_back(event_of(slice, numbers.at(slice.row)));
    const Json trace{{"displayTimeUnit", "ns"},
                     {"otherData",
                      {{"schema_version", kTraceSchemaVersion},
                       {"source", "warpledger"},
                       {"fidelity", to_text(Fidelity::kModeled)},
                       {"gpu", gpu_},
                       {"kernels", kernels_},
                       {"kernels with thread blocks", with_blocks_}}},
                     {"traceEvents", std::move(events)}};
    return trace.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
  }

 private:
  std::string gpu_;
  std::map<int, std::string> processes_;
  std::map<Row, std::string> rows_;
  std::vector<Slice> slices_;
  size_t kernels_ = 0, with_blocks_ = 0, blocks_ = 0;
};

}  // namespace

std::string chrome_trace(const std::vector<Span>& spans, const std::string& gpu,
                         const BlocksByProfile& blocks) {
  Trace trace(gpu);
  for (const Span& span : spans) {
    trace.add(span);
    const auto found = blocks.find(span.profile);
    if (found != blocks.end() && !found->second.spans.empty()) trace.add(span, found->second);
  }
  return trace.text();
}

}  // namespace warpledger::cuda
