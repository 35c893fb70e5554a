// Performs work: immediately on a stream, or as a node of a graph.
#include <fmt/core.h>

#include <cstring>

#include "interpose/core.h"

namespace warpledger::cuda {
namespace {

template <class... Bodies>
struct Cases : Bodies... {
  using Bodies::operator()...;
};

std::string copy_name(Lane lane, double bytes) {
  const char* way = lane == Lane::kToDevice     ? "host to device"
                    : lane == Lane::kFromDevice ? "device to host"
                    : lane == Lane::kPeer       ? "to another device"
                                                : "on the device";
  return fmt::format("memcpy {}, {:.0f} bytes", way, bytes);
}

Lane lane_of(const Memory& memory, const CopyWork& copy) {
  const bool there = memory.is_ours(copy.to), here = memory.is_ours(copy.from);
  if (!there || !here) return there ? Lane::kToDevice : Lane::kFromDevice;
  const std::optional<Range> to = memory.holding(copy.to), from = memory.holding(copy.from);
  return to && from && to->device != from->device ? Lane::kPeer : Lane::kOnDevice;
}

/// Whether something in the graph could change a condition: only kernels do.
bool has_kernels(const Graph& graph) {
  for (const auto& node : graph.nodes()) {
    if (std::holds_alternative<KernelWork>(node->work)) return true;
    for (const auto& inner : graphs_in(node->work)) {
      if (has_kernels(*inner)) return true;
    }
  }
  return false;
}

void set_conditions(const Graph& graph) {
  for (const Condition& condition : graph.conditions) {
    if (!condition.is_initialized) continue;
    std::memcpy(reinterpret_cast<void*>(condition.address), &condition.initial,
                sizeof condition.initial);
  }
  for (const auto& node : graph.nodes()) {
    for (const auto& inner : graphs_in(node->work)) set_conditions(*inner);
  }
}

}  // namespace

// A later node may use memory of a graph, which is not alive yet.
Error Core::check_rows(const char* what, uint64_t address, uint64_t width, uint64_t height,
                       uint64_t pitch, bool is_later) {
  if (is_later && memory_.is_reserved(address)) return Error::kNone;
  const bool is_dense = pitch == width;
  for (uint64_t row = 0; row < (is_dense ? 1 : height); ++row) {
    const Status status = memory_.check(address + row * pitch, is_dense ? width * height : width);
    if (status) continue;
    say(Diagnostic{.message = fmt::format("a {} of {}", what, status.error().message),
                   .code = "bad-pointer"});
    return Error::kInvalidValue;
  }
  return Error::kNone;
}

Error Core::check(const CopyWork& copy, bool is_later) {
  if (copy.width == 0) return Error::kNone;
  for (uint64_t z = 0; z < copy.depth; ++z) {
    const Error to = check_rows("copy", copy.to + z * copy.to_slice, copy.width, copy.height,
                                copy.to_pitch, is_later);
    if (to != Error::kNone) return to;
    const Error from = check_rows("copy", copy.from + z * copy.from_slice, copy.width, copy.height,
                                  copy.from_pitch, is_later);
    if (from != Error::kNone) return from;
  }
  return Error::kNone;
}

Error Core::check(const FillWork& fill, bool is_later) {
  const bool known = fill.element_bytes == 1 || fill.element_bytes == 2 || fill.element_bytes == 4;
  if (!known || fill.to % fill.element_bytes != 0) return Error::kInvalidValue;
  if (fill.width == 0) return Error::kNone;
  return check_rows("fill", fill.to, fill.width * fill.element_bytes, fill.height, fill.pitch,
                    is_later);
}

Error Core::validate(const Work& work) {
  return std::visit(Cases{[&](const KernelWork& kernel) { return check(kernel.request); },
                          [&](const CopyWork& copy) { return check(copy, true); },
                          [&](const FillWork& fill) { return check(fill, true); },
                          [&](const HostWork& host) {
                            return host.function == nullptr ? Error::kInvalidValue : Error::kNone;
                          },
                          [&](const FreeWork& memory) {
                            return memory_.is_reserved(memory.address) ? Error::kNone
                                                                       : Error::kInvalidValue;
                          },
                          [&](const WaitWork& wait) {
                            return wait.event == nullptr ? Error::kInvalidHandle : Error::kNone;
                          },
                          [&](const RecordWork& record) {
                            return record.event == nullptr ? Error::kInvalidHandle : Error::kNone;
                          },
                          [](const auto&) { return Error::kNone; }},
                    work);
}

Error Core::run_copy(const CopyWork& copy, Stream& stream) {
  if (const Error error = check(copy, false); error != Error::kNone) return error;
  for (uint64_t z = 0; z < copy.depth; ++z) {
    for (uint64_t y = 0; y < copy.height; ++y) {
      const uint64_t to = copy.to + z * copy.to_slice + y * copy.to_pitch;
      const uint64_t from = copy.from + z * copy.from_slice + y * copy.from_pitch;
      std::memmove(reinterpret_cast<void*>(to), reinterpret_cast<const void*>(from), copy.width);
      follow_values(to, from, copy.width);
    }
  }
  const Lane lane = lane_of(memory_, copy);
  const double rate = lane == Lane::kOnDevice ? kDeviceBytesPerSecond : kCopyBytesPerSecond;
  const auto bytes = static_cast<double>(copy.width * copy.height * copy.depth);
  timeline_.add(stream, lane, kCopyStartSeconds + bytes / rate, copy_name(lane, bytes));
  return Error::kNone;
}

Error Core::run_fill(const FillWork& fill, Stream& stream) {
  if (const Error error = check(fill, false); error != Error::kNone) return error;
  for (uint64_t row = 0; row < fill.height; ++row) {
    auto* at = reinterpret_cast<char*>(fill.to + row * fill.pitch);
    follow_values(fill.to + row * fill.pitch, 0, fill.width * fill.element_bytes);
    if (fill.element_bytes == 1) {
      std::memset(at, static_cast<int>(fill.value & 0xff), fill.width);
      continue;
    }
    for (uint64_t i = 0; i < fill.width; ++i)
      std::memcpy(at + i * fill.element_bytes, &fill.value, fill.element_bytes);
  }
  const auto bytes = static_cast<double>(fill.width * fill.element_bytes * fill.height);
  timeline_.add(stream, Lane::kOnDevice, kCopyStartSeconds + bytes / kDeviceBytesPerSecond,
                fmt::format("memset, {:.0f} bytes", bytes));
  return Error::kNone;
}

Error Core::take_memory(const AllocateWork& work) {
  const Status done = memory_.take(work.address);
  if (done) return Error::kNone;
  say(done.error());
  return refusal_error(done.error(), Error::kInvalidValue);
}

Error Core::run_conditional(const ConditionalWork& work, Stream& stream) {
  const auto value = [&] {
    uint32_t now = 0;
    std::memcpy(&now, reinterpret_cast<const void*>(work.condition), sizeof now);
    return now;
  };
  if (work.choice == Choice::kWhile) {
    while (value() != 0) {
      if (!has_kernels(*work.bodies[0])) {
        say("the body of a WHILE node has no kernel: its condition stays true forever");
        return Error::kTimeout;
      }
      if (const Error error = run(*work.bodies[0], stream); error != Error::kNone) return error;
    }
    return Error::kNone;
  }
  const uint64_t chosen = work.choice == Choice::kSwitch ? value() : value() != 0 ? 0 : 1;
  return chosen < work.bodies.size() ? run(*work.bodies[chosen], stream) : Error::kNone;
}

Error Core::run(const Work& work, Stream& stream) {
  return std::visit(
      Cases{
          [&](const KernelWork& kernel) {
            LaunchRequest request = kernel.request;
            request.stream = &stream;
            return launch(request);
          },
          [&](const CopyWork& copy) { return run_copy(copy, stream); },
          [&](const FillWork& fill) { return run_fill(fill, stream); },
          [&](const HostWork& host) {
            {
              const DeviceLock::Released released(lock_);
              host.function(host.data);
            }
            if (host.seconds > 0) timeline_.add(stream, Lane::kKernel, host.seconds, host.name);
            return Error::kNone;
          },
          [&](const ChildWork& child) { return run(*child.graph, stream); },
          [&](const EmptyWork&) { return Error::kNone; },
          [&](const WaitWork& wait) { return timeline_.wait(stream, *wait.event), Error::kNone; },
          [&](const RecordWork& record) {
            return timeline_.record(*record.event, stream), Error::kNone;
          },
          [&](const AllocateWork& memory) { return take_memory(memory); },
          [&](const FreeWork& memory) { return release(memory.address, stream); },
          [&](const ConditionalWork& conditional) { return run_conditional(conditional, stream); }},
      work);
}

// Each node has a clock of its own, which begins when its dependencies have ended.
Error Core::run(const Graph& graph, Stream& stream) {
  const std::optional<std::vector<Node*>> order = graph.order();
  if (!order) return Error::kInvalidValue;
  std::map<const Node*, double> ends;
  double end = timeline_.start(stream);
  const double start = end;
  for (const Node* node : *order) {
    Stream at{.ready = start, .flags = kNonBlocking, .device = node->device, .is_of_graph = true};
    for (const Node* dependency : node->after) at.ready = std::max(at.ready, ends[dependency]);
    if (node->is_enabled) {
      if (const Error error = run(node->work, at); error != Error::kNone) return error;
    }
    ends[node] = at.ready;
    end = std::max(end, at.ready);
  }
  stream.ready = end;
  return Error::kNone;
}

Error Core::launch(GraphExec& exec, Stream& stream) {
  if (stream.capture != nullptr)
    return captures_.add(stream, ChildWork{std::shared_ptr<Graph>(exec.graph->clone())});
  if (timeline_.is_standard(stream)) {
    if (const Error error = captures_.check_legacy(); error != Error::kNone) return error;
  }
  if ((exec.flags & kAutoFreeOnLaunch) != 0) {
    for (const auto& node : exec.graph->nodes()) {
      const auto* memory = std::get_if<AllocateWork>(&node->work);
      if (memory == nullptr || !memory_.holding(memory->address)) continue;
      if (const Error error = release(memory->address, stream); error != Error::kNone) return error;
    }
  }
  set_conditions(*exec.graph);
  const double begin = timeline_.start(stream);
  const Error error = run(*exec.graph, stream);
  const size_t nodes = exec.graph->nodes().size();
  if (error == Error::kNone)
    timeline_.add_graph_launch(
        stream, begin, fmt::format("graph launch, {} node{}", nodes, nodes == 1 ? "" : "s"));
  return error;
}

}  // namespace warpledger::cuda
