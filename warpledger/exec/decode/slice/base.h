// What an address is made from: the object that its registers lead back to.
#pragma once

#include "warpledger/exec/decode/launch.h"
#include "warpledger/exec/decode/program.h"

namespace warpledger::exec {

/// Bytes [first, end) of a CTA's shared memory; end 0: not known which.
struct SharedRange {
  uint64_t first = 0, end = 0;
  [[nodiscard]] bool meets(const SharedRange& other) const {
    return first < other.end && other.first < end;
  }
  friend bool operator==(const SharedRange&, const SharedRange&) = default;
};

/// Where an access may go: spaces as bits, in global memory which allocation, in shared memory
/// which bytes where the instruction names them.
struct Home {
  static constexpr uint8_t kGlobal = 1, kShared = 2, kLocal = 4, kAnywhere = 7;
  static constexpr uint8_t kTensor = 8;  // no address but tcgen05's own reaches it
  uint8_t spaces = kAnywhere;
  uint64_t allocation = 0;  // its address; 0: any
  SharedRange shared = {};  // of a load: a guess that only writes to known bytes feed it
  [[nodiscard]] bool may_feed(const Home& read) const {
    const uint8_t both = spaces & read.spaces;
    const bool apart = allocation != 0 && read.allocation != 0 && allocation != read.allocation;
    const bool beside = read.shared.end != 0 && !shared.meets(read.shared);
    return (both & (kLocal | kTensor)) != 0 || ((both & kShared) != 0 && !beside) ||
           ((both & kGlobal) != 0 && !apart);
  }
};

/// The homes of a function's addresses, for the parameters of one launch. By register, not by place
/// in the program: a register with two origins has neither.
class Bases {
 public:
  Bases(const reference::Code& code, const Image& image, const Launch& launch);
  [[nodiscard]] Home home_of(const reference::Step& step, const reference::Value& address) const;

 private:
  struct Base {
    enum class Kind : uint8_t { kNone, kOne, kMany };
    Kind kind = Kind::kNone;
    ptx::Space space = ptx::Space::kGlobal;
    uint64_t object = 0;  // global: the allocation's address; 0: not known
    friend bool operator==(const Base&, const Base&) = default;
  };
  [[nodiscard]] static Base join(const Base& a, const Base& b);
  [[nodiscard]] Base of_variable(const reference::Value& value) const;
  [[nodiscard]] Base of(const reference::Value& value) const;
  [[nodiscard]] Base of_param(uint64_t offset) const;
  [[nodiscard]] Base result_of(const reference::Step& step) const;
  bool visit(const reference::Step& step);
  bool raise(uint32_t slot, const Base& base);

  const reference::Code& code_;
  const DeviceMemory& memory_;
  const Launch& launch_;
  std::vector<Base> bases_;  // by slot
};

}  // namespace warpledger::exec
