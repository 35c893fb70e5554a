// Watches the caches from one SM: every look-up of chosen sites in the order of the replay, with
// set, way, what was found and who had to go, in its L1 and, where that sends a request, in the L2.
//
// The tracer stands in front of the SM's group and keeps a shadow of the SM that performs the same
// requests line by line, so that what it says is what the model does, by the model's own code. It
// changes no counter, and where there is none the replay has no check per access.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "warpledger/memory/hierarchy.h"

namespace warpledger::memory {

/// One line of one request.
struct CacheAccess {
  uint64_t cta = 0;
  uint32_t warp = 0;  // of the CTA
  uint32_t site = 0;
  Action action = Action::kNone;
  uint64_t address = 0;  // of the line, in the site's space
  uint32_t line = 0;     // as the caches number it
  uint8_t sectors = 0;   // that are asked for
  uint8_t l1_hit = 0;    // of these, those found
  bool passes_l1 = false;
  Look l1 = {};                       // before the access; nothing where it passes
  std::optional<uint64_t> sent = {};  // the number of the SM's request to the L2 that it caused
  std::vector<Look> l2 = {};          // before that request: near, and far where it goes on
};

class CacheTracer {
 public:
  /// The sites of `wanted`, by number, on `sm`; the first `limit` look-ups are kept.
  CacheTracer(uint32_t sm, std::vector<bool> wanted, size_t limit)
      : sm_(sm), wanted_(std::move(wanted)), limit_(limit) {}

  [[nodiscard]] uint32_t sm() const { return sm_; }

  // As replay calls them. begin() once, before all others.
  void begin(SmGroup& group, const trace::Launch& launch, const Config& config);
  void start(uint32_t place, uint64_t cta);  // among the CTAs of the SM
  void access(uint32_t sm, uint32_t warp, const trace::Record* head);
  const trace::Record* take(uint32_t sm, uint32_t warp, const trace::Record* at,
                            const trace::Record* end);
  void settle(uint32_t sm, uint32_t warp);
  /// The SM's requests, in the order in which it sent them. Beside access(), from another thread.
  void note_l2(const L2Request& request, std::vector<Look> looks);

  /// The look-ups that were kept, with what the L2 had for them.
  [[nodiscard]] std::vector<CacheAccess> take();
  /// All of them, kept or not.
  [[nodiscard]] uint64_t seen() const { return seen_; }
  /// CTAs that ran on the SM.
  [[nodiscard]] uint64_t ctas() const { return started_; }

 private:
  struct Sent {
    uint64_t number = 0;
    std::vector<Look> looks;
  };
  [[nodiscard]] bool wants(const trace::Record* head) const;
  void perform(uint32_t warp, uint32_t site, const Request& request);
  void perform_line(uint32_t warp, uint32_t site, const Request& request, size_t line);
  void keep(CacheAccess access);
  void claim_requests();
  void claim(const L2Request& request, uint64_t number);

  uint32_t sm_;
  std::vector<bool> wanted_;
  size_t limit_;
  SmGroup* group_ = nullptr;
  std::unique_ptr<SmGroup> shadow_;
  uint32_t warps_ = 1;
  std::vector<uint64_t> cta_at_;
  uint64_t started_ = 0, seen_ = 0;
  uint64_t pushed_ = 0;  // requests that the SM has sent
  std::vector<CacheAccess> kept_;
  std::vector<size_t> waiting_;  // kept stores that have not left yet, oldest first
  uint64_t arrived_ = 0;         // requests that the L2 has seen
  std::vector<Sent> at_l2_;
};

}  // namespace warpledger::memory
