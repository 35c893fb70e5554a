// Places at the edges of what memory there is, for some of a warp's lanes: what the others hold as
// an address lies below the first byte, behind the last, or anywhere after a sum of 32 bits
// wrapped.
//
// A place is element a * thread + b of an array. Lanes whose place is outside of it are off, by a
// guard or by a branch, and often others with them.
#pragma once

#include <algorithm>
#include <string>

#include "tests/unit/exec/jit/random_lines.h"

namespace warpledger::exec {

class KernelPlaces : public KernelAccesses {
 public:
  static constexpr int kScratchWords = 512;  // of each CTA
  static constexpr int kLowBytes = 1024;     // `low` is the first of the block's shared memory,
  static constexpr int kHighBytes = 1028;    // `high` the last
  static constexpr int kTableWords = 77;     // of constants

 protected:
  using KernelAccesses::KernelAccesses;

  struct Type {
    const char* name;
    int bytes;
    int count;     // elements, 0: a scalar
    bool is_wide;  // of 64 bits each
  };
  enum class Region { kLow, kHigh, kInput, kScratch, kTable, kLocal, kGeneric, kCounters };

  Type any_type() {
    static const std::vector<Type> kTypes = {
        {"u8", 1, 0, false},      {"s8", 1, 0, false},     {"u16", 2, 0, false},
        {"s16", 2, 0, false},     {"u32", 4, 0, false},    {"u32", 4, 0, false},
        {"u32", 4, 0, false},     {"u64", 8, 0, true},     {"v2.u32", 8, 2, false},
        {"v4.u32", 16, 4, false}, {"v2.u64", 16, 2, true}, {"v4.u8", 4, 4, false},
        {"v2.u16", 4, 2, false},  {"u64", 8, 0, true}};
    return rng_.pick(kTypes);
  }
  static int bytes_of(Region region) {
    switch (region) {
      case Region::kLow:
        return kLowBytes;
      case Region::kHigh:
        return kHighBytes;
      case Region::kTable:
        return 4 * kTableWords;
      case Region::kScratch:
        return 4 * kScratchWords;
      case Region::kLocal:
        return 64;
      case Region::kCounters:
        return 4 * kCounters;
      default:
        return 4 * kInputs;
    }
  }
  static std::string space_of(Region region) {
    switch (region) {
      case Region::kLow:
      case Region::kHigh:
        return "shared.";
      case Region::kTable:
        return "const.";
      case Region::kLocal:
        return "local.";
      case Region::kGeneric:
        return "";
      default:
        return "global.";
    }
  }

  /// Of one register, by constants in elements: they are checked together in compiled code.
  struct Group {
    std::vector<int64_t> offsets = {0};
    int64_t low = 0, high = 0;
  };
  Group any_group(bool alone) {
    static const std::vector<int64_t> kOffsets = {-1, -1, -1, 1, -2, 2, -3, -8, 16, 31};
    Group group;
    for (int64_t i = alone ? 0 : rng_.between(1, 3); i > 0; --i)
      group.offsets.push_back(rng_.pick(kOffsets));
    if (rng_.coin()) std::swap(group.offsets.front(), group.offsets.back());
    const auto [low, high] = std::minmax_element(group.offsets.begin(), group.offsets.end());
    group.low = *low, group.high = *high;
    return group;
  }

  struct Place {
    std::string thread;
    int64_t scale = 1;
    [[nodiscard]] bool is_own() const {
      return thread == "%r25" && scale != 0 && scale < 1024 && scale > -1024;
    }
  };

  /// The element's number in %e0.
  Place number(int64_t elements, bool own) {
    static const std::vector<int64_t> kScales = {1, 1,  1, 1, -1, -1, 2,   -2,
                                                 3, -3, 4, 0, 0,  32, -32, 1 << 28};
    static const std::vector<std::string> kThreads = {"%r25", "%r25", "%r20", "%laneid", "%r26"};
    Place place{own || rng_.coin() ? "%r25" : rng_.pick(kThreads), rng_.pick(kScales)};
    if (!own && rng_.between(0, 6) == 0) {
      line("and.b32 %e3, " + integer() + ", 63;");
      place.thread = "%e3";
    }
    const int64_t lane = rng_.between(0, 40);
    const std::vector<int64_t> starts = {0,
                                         0,
                                         0,
                                         1,
                                         2,
                                         -1,
                                         -2,
                                         -lane,
                                         elements - 1,
                                         elements - 32,
                                         elements - lane,
                                         -place.scale * lane,
                                         -place.scale * lane,
                                         elements - 1 - place.scale * lane,
                                         rng_.between(-40, elements + 40)};
    line("mov.u32 %e1, " + place.thread + "; mad.lo.s32 %e0, %e1, " + std::to_string(place.scale) +
         ", " + std::to_string(rng_.pick(starts)) + ";");
    return place;
  }

  /// Lanes that stay, by %q1: of the warp or of the block, from somewhere on, every other, one.
  void choose_lanes() {
    const std::string who = rng_.coin() ? "%laneid" : "%r25",
                      k = std::to_string(rng_.between(0, 33));
    static const std::vector<std::string> kCompare = {"lt", "ge", "eq", "ne"};
    switch (rng_.between(0, 7)) {
      case 0:
        return line("mov.u32 %e1, " + who + "; setp." + rng_.pick(kCompare) + ".u32 %q1, %e1, " +
                    k + ";");
      case 1:
        return line("and.b32 %e1, %r25, " + std::to_string(rng_.coin() ? 1 : 3) +
                    "; setp.eq.u32 %q1, %e1, " + std::to_string(rng_.between(0, 1)) + ";");
      case 2:
        return line("add.u32 %e1, %r25, 1; rem.u32 %e1, %e1, " +
                    std::to_string(rng_.pick(std::vector<int>{2, 3, 4, 8, 32})) +
                    "; setp.eq.u32 %q1, %e1, 0;");
      case 3:
        return line("sub.u32 %e1, %r25, " + k + "; setp.lt.u32 %q1, %e1, " +
                    std::to_string(rng_.between(1, 20)) + ";");
      case 4:
        return line("and.b32 %e1, " + integer() + ", 7; setp.ne.u32 %q1, %e1, 3;");
      default:
        return line("setp.ge.u32 %q1, %r25, 0;");
    }
  }

  /// %q0: the lanes of %q1 all of whose elements are there.
  void find_inside(const Group& group, int64_t elements) {
    line("add.s32 %e1, %e0, " + std::to_string(group.low) + "; setp.lt.u32 %q0, %e1, " +
         std::to_string(std::max<int64_t>(0, elements - (group.high - group.low))) +
         "; and.pred %q0, %q0, %q1;");
  }

  /// The address of element %e0 less `moved` elements, which is afterwards in %e2 or in %ed0.
  std::string address(Region region, int64_t bytes, int64_t moved, bool walks) {
    const std::string size = std::to_string(bytes), less = std::to_string(-moved * bytes);
    const bool shared = region == Region::kLow || region == Region::kHigh;
    if (shared && rng_.between(0, 4) != 0) {
      const std::string base = region == Region::kLow ? "%e8" : "%e9";
      line("mad.lo.u32 %e2, %e0, " + size + ", " + base + "; add.s32 %e2, %e2, " + less + ";");
      return "%e2";
    }
    if (region == Region::kLocal) {
      line("mov.u32 %e2, mine; mad.lo.u32 %e2, %e0, " + size + ", %e2; add.s32 %e2, %e2, " + less +
           ";");
      return "%e2";
    }
    const std::string from = base64(region);
    switch (rng_.between(walks ? 2 : 0, 4)) {  // a number below 0 is not one that walks back
      case 0:
        line("mul.wide.u32 %ed0, %e0, " + size + "; add.s64 %ed0, %ed0, " + from + ";");
        break;
      case 1:
        line("cvt.u64.u32 %ed0, %e0; mul.lo.s64 %ed0, %ed0, " + size + "; add.s64 %ed0, " + from +
             ", %ed0;");
        break;
      case 2:
        line("cvt.s64.s32 %ed0, %e0; mad.lo.s64 %ed0, %ed0, " + size + ", " + from + ";");
        break;
      case 3:
        line("mad.wide.s32 %ed0, %e0, " + size + ", " + from + ";");
        break;
      default:
        line("mul.wide.s32 %ed0, %e0, " + size + "; add.s64 %ed0, " + from + ", %ed0;");
    }
    line("add.s64 %ed0, %ed0, " + less + ";");
    return "%ed0";
  }
  std::string base64(Region region) {
    switch (region) {
      case Region::kInput:
        return "%rd10";
      case Region::kScratch:
        return "%rd21";
      case Region::kCounters:
        return "%rd12";
      case Region::kTable:
        line("mov.u64 %ed1, table;");
        return "%ed1";
      case Region::kGeneric:
        line("cvta.global.u64 %ed1, %rd10;");
        return "%ed1";
      default:
        line("cvt.u64.u32 %ed1, " + std::string(region == Region::kLow ? "%e8" : "%e9") + ";");
        return "%ed1";
    }
  }

  /// Calls `each`(guard, place) for every access of a group, once or in a loop that walks over the
  /// edges.
  template <class F>
  void touch(Region region, int bytes, const Group& group, bool may_walk, F each) {
    static const std::vector<int64_t> kMoved = {0, 0, 0, 1, -1, 2, 32, -64, 1000};
    static const std::vector<int64_t> kSteps = {-1, 1, -2, 8, -32, 64};
    const int64_t elements = bytes_of(region) / bytes, moved = rng_.pick(kMoved);
    const bool walks = may_walk && rng_.between(0, 2) == 0;
    const std::string at = address(region, bytes, moved, walks);
    if (!walks && rng_.between(0, 7) == 0) mislead(group, elements, at);
    const std::string head = label(), next = label(), end = label();
    if (walks) {
      line("mov.u32 %e10, 0;");
      body_ += head + ":\n";
    }
    find_inside(group, elements);
    const int64_t form = rng_.between(0, 2);  // a guard, a branch, out of the loop for good
    if (form != 0) line("@!%q0 bra " + (form == 1 ? next : end) + ";");
    for (const int64_t offset : group.offsets) {
      each(form == 0 ? "@%q0 " : "",
           "[" + at + "+" + std::to_string((moved + offset) * bytes) + "]");
    }
    body_ += next + ":\n";
    if (walks) {
      const int64_t step = rng_.pick(kSteps);
      line("add.s32 %e0, %e0, " + std::to_string(step) + "; add." +
           (at == "%e2" ? "s32 " : "s64 ") + at + ", " + at + ", " + std::to_string(step * bytes) +
           ";");
      line("add.u32 %e10, %e10, 1; setp.lt.u32 %q2, %e10, " + std::to_string(rng_.between(2, 9)) +
           "; @%q2 bra " + head + ";");
    }
    body_ += end + ":\n";
  }

  /// Lanes that are off hold an address that is not even aligned.
  void mislead(const Group& group, int64_t elements, const std::string& at) {
    find_inside(group, elements);
    if (at == "%e2") return line("selp.u32 %e1, 0, 0x80000001, %q0; add.u32 %e2, %e2, %e1;");
    line("selp.u64 %ed2, 0, 0x7000000000000001, %q0; add.u64 %ed0, %ed0, %ed2;");
  }
};

}  // namespace warpledger::exec
