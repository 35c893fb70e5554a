// Sinks that need no model: counting, writing down, checking.
#pragma once

#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "warpledger/trace/sink.h"

namespace warpledger::trace {

/// One access with its lanes spelled out; marks have none.
struct Access {
  const Site* site = nullptr;
  uint32_t mask = 0;
  std::array<uint64_t, kLanes> address{};  // valid in the lanes of `mask`
  uint64_t bulk_bytes = 0;                 // bulk records: address[0] and this many bytes, mask 1
  std::vector<uint64_t> texels = {};       // records of texels: `address` is not used
  uint32_t texel_bytes = 0;                // other records: 0
};

/// The accesses of the record at `head`, in order (several for a group). Slow and plain: the
/// meaning of a record, for oracles and printing. Pre: not a mark.
[[nodiscard]] std::vector<Access> accesses_of(const Launch& launch, const Record* head);

struct SiteCount {
  uint64_t executions = 0;  // of the warp instruction
  uint64_t lanes = 0;       // active lanes over all executions
  friend bool operator==(const SiteCount&, const SiteCount&) = default;
};

/// Executions and active lanes per site, and marks per kind.
class CountSink : public Sink {
 public:
  void begin(const Launch& launch) override;
  void drain(uint32_t warp, Buffer& buffer) override;

  [[nodiscard]] const std::vector<SiteCount>& sites() const { return sites_; }
  [[nodiscard]] uint64_t marks(Mark kind) const { return marks_[static_cast<size_t>(kind)]; }
  [[nodiscard]] uint64_t slots() const { return slots_; }

 private:
  const Launch* launch_ = nullptr;
  std::vector<SiteCount> sites_;
  std::array<uint64_t, 5> marks_{};
  uint64_t slots_ = 0;
};

/// One line of text per record, grouped by CTA and warp whatever the order of execution, so that
/// two engines can be compared byte by byte. Numbers of shapes are not printed, lanes are.
class DumpSink : public Sink {
 public:
  void begin(const Launch& launch) override {
    launch_ = &launch;
    cta_of_.clear();
    streams_.clear();
  }
  void drain(uint32_t warp, Buffer& buffer) override;
  [[nodiscard]] std::string text() const;

 private:
  const Launch* launch_ = nullptr;
  std::map<const Buffer*, uint64_t> cta_of_;
  std::map<std::pair<uint64_t, uint32_t>, std::string> streams_;  // by (CTA, warp)
};

/// Checks that the streams keep the contract of trace.h. Faults are collected, not fatal: the
/// checker is run over engines under test.
class CheckSink : public Sink {
 public:
  void begin(const Launch& launch) override;
  void drain(uint32_t warp, Buffer& buffer) override;
  void end() override;
  [[nodiscard]] const std::vector<std::string>& faults() const { return faults_; }

 private:
  struct Stream {
    uint64_t cta = 0;
    uint32_t warp = 0;
    bool open = false;
  };
  void check_mark(const Record& record, uint32_t warp, Stream& stream);
  void check_access(const Record* head, const Stream& stream);
  void fault(const Stream& stream, std::string what);

  const Launch* launch_ = nullptr;
  std::map<const Buffer*, Stream> streams_;
  std::vector<uint8_t> started_;        // warps started, per CTA
  std::map<uint64_t, uint32_t> ended_;  // warps ended, per CTA
  std::vector<std::string> faults_;
};

}  // namespace warpledger::trace
