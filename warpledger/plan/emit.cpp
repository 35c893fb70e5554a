#include "warpledger/plan/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "warpledger/base/number.h"
#include "warpledger/plan/tensor_memory.h"

namespace warpledger::plan {
namespace {

/// One member of the union: `count` elements of a ring, `stride` bytes apart.
struct Member {
  std::string name;
  int64_t offset = 0;
  int count = 1;
  const Buffer* buffer = nullptr;
};

bool are_equally_spaced(const Region& region, size_t first, const Buffer& buffer) {
  for (size_t s = 1; s < buffer.slots.size(); ++s) {
    const int64_t step = region.packing.offsets[first + s] - region.packing.offsets[first + s - 1];
    if (step != buffer.stride) return false;
  }
  return true;
}

/// A ring whose slots came out equally spaced is one array; else each slot is a member.
std::vector<Member> members_of(const Plan& plan, const Region& region) {
  std::vector<Member> members;
  for (size_t item = 0; item < region.slots.size();) {
    const Buffer& buffer = plan.buffers[region.slots[item].buffer];
    const size_t slots = buffer.slots.size();
    if (are_equally_spaced(region, item, buffer)) {
      members.push_back({buffer.name, region.packing.offsets[item], buffer.ring, &buffer});
    } else {
      for (size_t s = 0; s < slots; ++s) {
        members.push_back({fmt::format("{}_{}", buffer.name, buffer.slots[s].first),
                           region.packing.offsets[item + s], buffer.slots[s].count, &buffer});
      }
    }
    item += slots;
  }
  return members;
}

std::string member_text(const Member& member) {
  const Buffer& buffer = *member.buffer;
  const int64_t unit = std::max(1, buffer.dtype.bits / 8);
  const int64_t bytes = member.count > 1 ? buffer.stride : buffer.size;
  std::string text = "  struct {\n";
  if (member.offset > 0) text += fmt::format("    unsigned char before[{}];\n", member.offset);
  text += member.count > 1 ? fmt::format("    {} at[{}][{}];\n", buffer.dtype.cuda_type,
                                         member.count, bytes / unit)
                           : fmt::format("    {} at[{}];\n", buffer.dtype.cuda_type, bytes / unit);
  return text + fmt::format("  }} {};  // {} [{}]{}\n", member.name, buffer.dtype.name,
                            fmt::join(buffer.shape, ", "),
                            buffer.note.empty() ? "" : ": " + buffer.note);
}

std::string shared_text(const Plan& plan, const Region& region) {
  const std::vector<Member> members = members_of(plan, region);
  int64_t alignment = kStructAlignment;
  for (const Member& member : members) alignment = std::max(alignment, member.buffer->alignment);
  std::string text = fmt::format(
      "// {} bytes of shared memory. Its base must be a multiple of {}.\n"
      "union alignas({}) {}_smem {{\n  static constexpr unsigned kBaseAlignment = {};\n",
      group_thousands(region.packing.total), group_thousands(alignment), kStructAlignment,
      plan.name, alignment);
  for (const Member& member : members) text += member_text(member);
  text += "};\n";
  text += fmt::format("static_assert(sizeof({}_smem) == {});\n", plan.name, region.packing.total);
  for (const Member& member : members) {
    text += fmt::format("static_assert(offsetof({}_smem, {}.at) == {});\n", plan.name, member.name,
                        member.offset);
  }
  return text;
}

/// A TMEM address is lane << 16 | column; the second half of layouts C and F starts at lane 16.
std::string tensor_text(const Plan& plan, const Region& region) {
  std::string text = fmt::format(
      "// Columns of tensor memory, relative to what tcgen05.alloc "
      "returned (lane << 16 | column).\nstruct {}_tmem {{\n",
      plan.name);
  for (size_t item = 0; item < region.slots.size(); ++item) {
    const SlotName name = region.slots[item];
    const Buffer& buffer = plan.buffers[name.buffer];
    const std::string suffix =
        buffer.slots.size() == 1 ? "" : fmt::format("_{}", slot_of(plan, name).first);
    const int64_t lane = buffer.takes_all_lanes() ? 0 : 16 * region.halves[item];
    text += fmt::format("  static constexpr unsigned {}{} = {};\n", buffer.name, suffix,
                        lane << 16 | region.packing.offsets[item]);
  }
  text += fmt::format("  static constexpr unsigned kColumns = {};\n", region.packing.total);
  text += fmt::format("  static constexpr unsigned kAllocatedColumns = {};\n}};\n",
                      allocation_for(region.packing.total));
  return text;
}

}  // namespace

std::string emit_cuda(const Plan& plan, const Placement& placement) {
  std::set<std::string> headers;
  for (const Buffer& buffer : plan.buffers) {
    if (buffer.space == Space::kShared && !buffer.dtype.header.empty()) {
      headers.insert(buffer.dtype.header);
    }
  }
  std::string text =
      fmt::format("// {}: offsets found by warpledger plan.\n#pragma once\n\n", plan.name);
  for (const std::string& header : headers) text += fmt::format("#include <{}>\n", header);
  text += "#include <cstddef>\n\n";
  if (!placement.shared.slots.empty()) text += shared_text(plan, placement.shared);
  if (!placement.tensor.slots.empty()) text += "\n" + tensor_text(plan, placement.tensor);
  return text;
}

}  // namespace warpledger::plan
