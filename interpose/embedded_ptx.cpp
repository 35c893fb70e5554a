#include "interpose/embedded_ptx.h"

#include <charconv>

#include "warpledger/sass/cubin/ptx_text.h"

namespace warpledger::cuda {
namespace {

/// The architecture of ".target sm_90a" in `text`; 0 where there is none.
void read_target(std::string_view text, EmbeddedPtx& found) {
  constexpr std::string_view kTarget = ".target sm_";
  const size_t at = text.find(kTarget);
  if (at == std::string_view::npos) return;
  const char* first = text.data() + at + kTarget.size();
  const char* last = text.data() + text.size();
  const char* end = std::from_chars(first, last, found.architecture).ptr;
  if (end != last && (*end == 'a' || *end == 'f')) found.variant = *end;
}

EmbeddedPtx embedded_in(const FatbinEntry& entry) {
  const auto code = unpack(entry);
  return code ? embedded_ptx(*code) : EmbeddedPtx{};
}

}  // namespace

EmbeddedPtx embedded_ptx(std::string_view cubin) {
  EmbeddedPtx found;
  auto texts = sass::read_ptx_texts(cubin);
  if (!texts || texts->empty()) return found;
  read_target(texts->front(), found);
  if (found.architecture != 0) found.texts = *std::move(texts);
  return found;
}

EmbeddedPtx choose_embedded_ptx(const std::vector<FatbinEntry>& entries, int target) {
  std::vector<EmbeddedPtx> embedded;
  std::vector<FatbinEntry> as_ptx;  // beside `embedded`
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != CodeKind::kMachine || entry.architecture > target) continue;
    embedded.push_back(embedded_in(entry));
    as_ptx.push_back({.kind = embedded.back().texts.empty() ? CodeKind::kMachine : CodeKind::kPtx,
                      .architecture = embedded.back().architecture,
                      .variant = embedded.back().variant});
  }
  const FatbinEntry* best = choose_ptx(as_ptx, target);
  return best == nullptr ? EmbeddedPtx{}
                         : std::move(embedded[static_cast<size_t>(best - as_ptx.data())]);
}

}  // namespace warpledger::cuda
