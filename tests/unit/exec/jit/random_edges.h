// Statements of the random kernels that touch memory at its edges (random_places.h).
#pragma once

#include "tests/unit/exec/jit/random_places.h"

namespace warpledger::exec {

class KernelEdges : public KernelPlaces {
 public:
  static std::string table() {
    std::string text = ".const .align 16 .b32 table[" + std::to_string(kTableWords) + "] = {";
    for (int i = 0; i < kTableWords; ++i)
      text += (i == 0 ? "" : ", ") + std::to_string((i * 2654435761u) >> 8);
    return text + "};\n";
  }

 protected:
  using KernelPlaces::KernelPlaces;

  static std::string edge_registers() {
    return "  .reg .pred %q<4>; .reg .b32 %e<16>; .reg .b64 %ed<8>; .reg .b16 %eh<4>;\n";
  }

  // After it, `low` and `high` are written only between barriers.
  void fill_edges() {
    line("cvta.to.global.u64 %rd21, %rd21; mul.wide.u32 %rd22, %r26, " +
         std::to_string(4 * kScratchWords) + "; add.s64 %rd21, %rd21, %rd22;");
    line("mov.u32 %e8, low; mov.u32 %e9, high; mov.u32 %e0, %r25;");
    const std::string head = label();
    body_ += head + ":\n";
    line("mad.lo.u32 %e1, %e0, 4, %e8; mad.lo.u32 %e2, %e0, 4, %e9;");
    line("mad.lo.u32 %e3, %e0, 0x9e3779b1, %r26; setp.lt.u32 %q1, %e0, " +
         std::to_string(kLowBytes / 4) + ";");
    line("@%q1 st.shared.u32 [%e1], %e3; not.b32 %e3, %e3; st.shared.u32 [%e2], %e3;");
    line("add.u32 %e0, %e0, %r28; setp.lt.u32 %q0, %e0, " + std::to_string(kHighBytes / 4) +
         "; @%q0 bra " + head + "; bar.sync 0;");
  }

  /// `together`: every living lane of the block is here, so that what is shared may be written.
  void edge(bool together) {
    switch (rng_.between(0, together ? 9 : 5)) {
      case 0:
        return edge_count();
      case 1:
        return edge_copy();
      case 6:
      case 7:
        return edge_store();
      case 8:
        return edge_sum();
      default:
        return edge_load();
    }
  }

  // Rows that the instruction does not look at may be anywhere.
  void edge_matrix() {
    const int kind = static_cast<int>(rng_.between(0, 2)), rows = 8 << kind;
    const int64_t step = rng_.pick(std::vector<int64_t>{1, -1, 0, 2});
    const int64_t all = kLowBytes / 16, reach = step * (rows - 1);
    const int64_t least = std::max<int64_t>(0, -reach),
                  most = all - 1 - std::max<int64_t>(0, reach);
    const int64_t first = rng_.coin() ? rng_.coin() ? least : most : rng_.between(least, most);
    static const std::vector<std::string> kLists = {"{%e4}", "{%e4, %e5}", "{%e4, %e5, %e6, %e7}"};
    const int64_t moved = rng_.between(-3, 3) * 16;
    line("mov.u32 %e0, %laneid; mad.lo.s32 %e0, %e0, " + std::to_string(step * 16) + ", " +
         std::to_string(first * 16 - moved) + "; add.u32 %e0, %e0, %e8;");
    line("ldmatrix.sync.aligned.m8n8.x" + std::to_string(1 << kind) +
         (rng_.coin() ? ".trans" : "") + ".shared.b16 " + kLists[static_cast<size_t>(kind)] +
         ", [%e0+" + std::to_string(moved) + "];");
    line("xor.b32 " + integer() + ", " + integer() + ", %e" +
         std::to_string(4 + rng_.between(0, (1 << kind) - 1)) + ";");
  }

 private:
  void edge_load() {
    static const std::vector<Region> kRegions = {Region::kLow,   Region::kLow,    Region::kLow,
                                                 Region::kLow,   Region::kHigh,   Region::kHigh,
                                                 Region::kInput, Region::kTable,  Region::kScratch,
                                                 Region::kLocal, Region::kGeneric};
    const Region region = rng_.pick(kRegions);
    const Type type = any_type();
    const Group group = any_group(false);
    number(bytes_of(region) / type.bytes, false);
    choose_lanes();
    const std::string load = "ld." + space_of(region) + type.name + " ";
    touch(region, type.bytes, group, true, [&](const std::string& guard, const std::string& at) {
      if (type.count == 0)
        return line(guard + load + (type.is_wide ? wide() : integer()) + ", " + at + ";");
      line(guard + load + list(type) + ", " + at + ";");
      const std::string one = std::to_string(4 + rng_.between(0, type.count - 1));
      if (type.is_wide) return line(guard + "add.u64 " + wide() + ", %ed" + one + ", 1;");
      line(guard + "xor.b32 " + integer() + ", %e" + one + ", 5;");
    });
  }
  static std::string list(const Type& type) {
    const std::string name = type.is_wide ? "%ed" : "%e";
    return type.count == 2 ? "{" + name + "4, " + name + "5}" : "{%e4, %e5, %e6, %e7}";
  }

  // Every thread writes places of its own; or all the same value.
  void edge_store() {
    static const std::vector<Region> kRegions = {Region::kLow, Region::kHigh, Region::kScratch};
    const Region region = rng_.pick(kRegions);
    const Type type = any_type();
    const bool alike = rng_.coin();
    const Group group = any_group(!alike);
    const bool own = number(bytes_of(region) / type.bytes, !alike).is_own();
    choose_lanes();
    if (alike || !own)
      line(
          "mov.u32 %e4, %r26; mov.u32 %e5, %r26; mov.u32 %e6, %r26; mov.u32 %e7, %r26; cvt.u64.u32 "
          "%ed4, %r26; mov.u64 %ed5, %ed4;");
    else
      line("mov.u32 %e4, " + integer() + "; mov.u32 %e5, " + integer() + "; mov.u32 %e6, " +
           integer() + "; mov.u32 %e7, 9; mov.u64 %ed4, " + wide() + "; not.b64 %ed5, %ed4;");
    line("bar.sync 0;");
    const std::string store = "st." + space_of(region) + type.name + " ";
    const std::string value = type.count != 0 ? list(type) : type.is_wide ? "%ed4" : "%e4";
    touch(region, type.bytes, group, alike, [&](const std::string& guard, const std::string& at) {
      line(guard + store + at + ", " + value + ";");
    });
    line("bar.sync 0;");
  }

  // Sums commute, so the order does not matter.
  void edge_sum() {
    static const std::vector<std::string> kOps = {"add.u32", "xor.b32", "max.u32",
                                                  "min.s32", "and.b32", "or.b32"};
    static const std::vector<Region> kRegions = {Region::kLow, Region::kHigh, Region::kScratch};
    const Region region = rng_.pick(kRegions);
    number(bytes_of(region) / 4, false);
    choose_lanes();
    line("bar.sync 0;");
    const std::string op = rng_.pick(kOps), value = integer();
    touch(region, 4, any_group(false), true, [&](const std::string& guard, const std::string& at) {
      line(guard + "red." + space_of(region) + op + " " + at + ", " + value + ";");
    });
    line("bar.sync 0;");
  }

  // The counters, which are never read.
  void edge_count() {
    number(kCounters, false);
    choose_lanes();
    const std::string value = integer();
    touch(Region::kCounters, 4, any_group(true), true,
          [&](const std::string& guard, const std::string& at) {
            line(guard + "red.global.add.u32 " + at + ", " + value + ";");
          });
  }

  void edge_copy() {
    const int bytes = 4 << rng_.between(0, 2);
    const Region region = rng_.coin() ? Region::kInput : Region::kScratch;
    number(bytes_of(region) / bytes, false);
    choose_lanes();
    line("shl.b32 %e11, %r25, 4; mov.u32 %e12, lines; add.u32 %e11, %e11, %e12;");
    touch(region, bytes, any_group(true), true,
          [&](const std::string& guard, const std::string& at) {
            line(guard + "cp.async.ca.shared.global [%e11], " + at + ", " + std::to_string(bytes) +
                 ";");
          });
    line("cp.async.wait_all; ld.shared.u32 " + integer() + ", [%e11];");
  }
};

}  // namespace warpledger::exec
