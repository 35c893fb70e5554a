// Kernels without an engine: a body in C++ that says, per warp and step, which addresses each
// thread touches. It replaces exec/, so that the memory model can be tested alone.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "warpledger/trace/sink.h"

namespace warpledger::memory {

constexpr int64_t kOff = -1;  // the thread takes no part

struct Cta {
  uint64_t id = 0;
  int64_t x = 0, y = 0, z = 0;
};

class Synthetic;

/// Writes one warp's records.
class Emitter {
 public:
  Emitter(Synthetic& kernel, trace::Buffer& buffer, uint32_t warp)
      : kernel_(kernel), buffer_(buffer), warp_(warp) {}

  /// address(t) for the threads t of the warp (linear in the CTA), or kOff.
  template <class Address>
  void at(uint32_t site, Address address);
  /// The same where lanes keep their places relative to each other in every execution.
  template <class Address>
  void rigid(uint32_t site, Address address);
  void use() { buffer_.push(trace::mark(trace::Mark::kUse)); }
  void barrier() { buffer_.push(trace::mark(trace::Mark::kBarrier)); }

 private:
  Synthetic& kernel_;
  trace::Buffer& buffer_;
  uint32_t warp_;
};

using Body = std::function<void(Emitter&, const Cta&, uint32_t warp, uint32_t step)>;

class Synthetic : public trace::Producer {
 public:
  Synthetic(std::array<uint32_t, 3> grid, std::array<uint32_t, 3> block) {
    launch_.grid = grid;
    launch_.block = block;
    launch_.shared_bytes = 1 << 20;
    launch_.sites = &sites_;
    launch_.shapes = &shapes_;
  }

  uint32_t site(trace::Site site) {
    site.instruction = static_cast<uint32_t>(sites_.size());
    sites_.push_back(site);
    return site.instruction;
  }
  uint32_t load(uint8_t width = 4) { return site({.width = width}); }
  uint32_t store(uint8_t width = 4) { return site({.kind = trace::Kind::kStore, .width = width}); }
  uint32_t shared_load(uint8_t width = 4) {
    return site({.space = trace::Space::kShared, .width = width});
  }
  uint32_t shared_store(uint8_t width = 4) {
    return site({.space = trace::Space::kShared, .kind = trace::Kind::kStore, .width = width});
  }
  /// A device array, aligned as large allocations are.
  int64_t array(int64_t bytes) {
    const int64_t at = next_;
    next_ += (bytes + (1 << 21) - 1) >> 21 << 21;
    return at;
  }
  void run_body(uint32_t steps, Body body) {
    steps_ = steps;
    body_ = std::move(body);
  }

  [[nodiscard]] const trace::Launch& launch() const override { return launch_; }
  [[nodiscard]] trace::Freedom freedom() const override { return trace::Freedom::kAnyOrder; }
  void set_slots(uint32_t slots) override;
  void start(uint32_t slot, uint64_t cta) override;
  Result<trace::Progress> run(uint32_t slot, uint32_t budget) override;
  [[nodiscard]] std::span<trace::Buffer> buffers(uint32_t slot) override {
    return {buffers_.data() + slot * launch_.warps(), launch_.warps()};
  }

 private:
  friend class Emitter;
  struct Slot {
    Cta cta;
    std::vector<uint32_t> step;  // per warp; steps_ + 1: ended
  };
  trace::Launch launch_;
  trace::Sites sites_;
  trace::ShapeTable shapes_;
  int64_t next_ = int64_t{1} << 34;
  uint32_t steps_ = 1;
  Body body_;
  std::vector<Slot> slots_;
  std::vector<trace::Buffer> buffers_;
  std::vector<std::pair<uint32_t, int64_t>> rigid_;  // [site * warps + warp]: shape, lane
};

template <class Address>
void Emitter::at(uint32_t site, Address address) {
  trace::Shape shape;
  int64_t base = 0;
  const auto threads = static_cast<int64_t>(kernel_.launch_.threads());
  for (int64_t lane = 0; lane < 32; ++lane) {
    const int64_t thread = warp_ * 32 + lane;
    const int64_t place = thread < threads ? int64_t{address(thread)} : kOff;
    if (place == kOff) continue;
    if (!shape.mask) base = place;
    shape.mask |= 1u << lane;
    shape.offset[static_cast<size_t>(lane)] = static_cast<int32_t>(place - base);
  }
  buffer_.push({static_cast<uint64_t>(base), kernel_.shapes_.intern(shape).value(), site});
}

template <class Address>
void Emitter::rigid(uint32_t site, Address address) {
  const uint32_t warps = kernel_.launch_.warps();
  if (kernel_.rigid_.empty()) kernel_.rigid_.assign(kernel_.sites_.size() * warps, {0, 0});
  auto& [shape, lane] = kernel_.rigid_[site * warps + warp_];
  if (shape == 0) {
    at(site, address);
    const trace::Record& record = buffer_.held().back();
    shape = record.shape;
    lane = std::countr_zero(kernel_.shapes_[shape].mask);
    return;
  }
  buffer_.push({static_cast<uint64_t>(int64_t{address(warp_ * 32 + lane)}), shape, site});
}

inline void Synthetic::set_slots(uint32_t slots) {
  slots_.resize(slots);
  buffers_ = std::vector<trace::Buffer>(slots * launch_.warps());
}

inline void Synthetic::start(uint32_t slot, uint64_t cta) {
  const auto id = static_cast<int64_t>(cta);
  const int64_t gx = launch_.grid[0], gy = launch_.grid[1];
  slots_[slot].cta = {cta, id % gx, id / gx % gy, id / gx / gy};
  slots_[slot].step.assign(launch_.warps(), 0);
  for (trace::Buffer& buffer : buffers(slot)) {
    buffer.clear();
    buffer.push(trace::mark(trace::Mark::kCtaStart, cta));
  }
}

inline Result<trace::Progress> Synthetic::run(uint32_t slot, uint32_t budget) {
  Slot& place = slots_[slot];
  bool running = false;
  for (uint32_t warp = 0; warp < launch_.warps(); ++warp) {
    trace::Buffer& buffer = buffers(slot)[warp];
    Emitter emitter(*this, buffer, warp);
    uint32_t& step = place.step[warp];
    while (step < steps_ && buffer.held().size() < budget) body_(emitter, place.cta, warp, step++);
    if (step == steps_) {
      buffer.push(trace::mark(trace::Mark::kWarpEnd));
      ++step;
    }
    running |= step < steps_;
  }
  return running ? trace::Progress::kRunning : trace::Progress::kEnded;
}

}  // namespace warpledger::memory
