#include "interpose/fatbin.h"

#include <fmt/core.h>
#include <lz4.h>
#include <zstd.h>

#include <climits>
#include <cstring>

namespace warpledger::cuda {
namespace {

constexpr uint64_t kEntryBytes = 64;
constexpr uint64_t kLz4 = 0x2000, kZstd = 0x8000, kArchitectureOnly = 0x100000, kFamily = 0x200000;
constexpr uint64_t kLinux64 = 0x11;
constexpr uint64_t kMostUnpacked = uint64_t{1} << 30;  // no code is larger; a claim may be

Diagnostic bad(std::string message) {
  return {.message = "damaged fatbin: " + std::move(message), .code = "bad-fatbin"};
}

template <class T>
T number_at(std::string_view bytes, uint64_t at) {
  T value{};
  std::memcpy(&value, bytes.data() + at, sizeof value);
  return value;
}

std::string_view name_of(std::string_view entry, uint64_t header) {
  const uint64_t at = number_at<uint32_t>(entry, 32), bytes = number_at<uint32_t>(entry, 36);
  if (at == 0 || at > header || bytes > header - at) return {};
  return entry.substr(at, bytes);
}

// Pre: `rest` begins with an entry whose fixed part and payload it holds.
FatbinEntry entry_of(std::string_view rest, uint64_t header, uint64_t payload) {
  const auto flags = number_at<uint64_t>(rest, 40);
  FatbinEntry entry{.kind = static_cast<CodeKind>(number_at<uint16_t>(rest, 0)),
                    .architecture = static_cast<int>(number_at<uint32_t>(rest, 28) % 1000),
                    .name = name_of(rest, header),
                    .payload = rest.substr(header, payload)};
  if ((flags & kZstd) != 0) entry.packing = Packing::kZstd;
  if ((flags & kLz4) != 0) entry.packing = Packing::kLz4;
  if ((flags & kFamily) != 0) entry.variant = 'f';
  if ((flags & kArchitectureOnly) != 0) entry.variant = 'a';
  const uint64_t packed = number_at<uint32_t>(rest, 16);
  if (packed != 0 && packed < payload) entry.payload = entry.payload.substr(0, packed);
  entry.unpacked_bytes = number_at<uint64_t>(rest, 56);
  return entry;
}

}  // namespace

Result<std::vector<FatbinEntry>> read_fatbin(std::string_view bytes) {
  if (bytes.size() < kFatbinHeaderBytes) return bad("shorter than its header");
  if (number_at<uint32_t>(bytes, 0) != kFatbinMagic)
    return bad("it does not start with a fatbin header");
  const uint64_t start = number_at<uint16_t>(bytes, 6), size = number_at<uint64_t>(bytes, 8);
  if (start < kFatbinHeaderBytes || start > bytes.size() || size > bytes.size() - start)
    return bad(fmt::format("its header says {} bytes, but {} are present", size, bytes.size()));
  std::string_view rest = bytes.substr(start, size);
  std::vector<FatbinEntry> entries;
  while (rest.size() >= kEntryBytes) {
    const uint64_t header = number_at<uint32_t>(rest, 4), payload = number_at<uint64_t>(rest, 8);
    if (header < kEntryBytes || header > rest.size() || payload > rest.size() - header)
      return bad(fmt::format("entry {} reaches past the end", entries.size()));
    entries.push_back(entry_of(rest, header, payload));
    rest.remove_prefix(header + payload);
  }
  return entries;
}

Result<std::string> unpack(const FatbinEntry& entry) {
  std::string text;
  if (entry.packing == Packing::kNone) {
    text = entry.payload;
  } else {
    if (entry.unpacked_bytes > kMostUnpacked || entry.payload.size() > INT_MAX)
      return bad(fmt::format("code of {} bytes", entry.unpacked_bytes));
    text.resize(entry.unpacked_bytes);
    int64_t got = -1;
    if (entry.packing == Packing::kZstd) {
      const size_t done =
          ZSTD_decompress(text.data(), text.size(), entry.payload.data(), entry.payload.size());
      got = ZSTD_isError(done) != 0 ? -1 : static_cast<int64_t>(done);
    } else {
      got = LZ4_decompress_safe(entry.payload.data(), text.data(),
                                static_cast<int>(entry.payload.size()),
                                static_cast<int>(text.size()));
    }
    if (got < 0) return bad("its code cannot be unpacked");
    text.resize(static_cast<size_t>(got));
  }
  if (entry.kind == CodeKind::kPtx) {
    if (const size_t zero = text.find('\0'); zero != std::string::npos) text.resize(zero);
  }
  return text;
}

std::string_view fatbin_at(const void* header) {
  const std::string_view start(static_cast<const char*>(header), kFatbinHeaderBytes);
  return {start.data(), number_at<uint16_t>(start, 6) + number_at<uint64_t>(start, 8)};
}

std::string architecture_name(const FatbinEntry& entry) {
  std::string name = fmt::format("sm_{}", entry.architecture);
  if (entry.variant != 0) name += entry.variant;
  return name;
}

const FatbinEntry* choose_ptx(const std::vector<FatbinEntry>& entries, int target) {
  const auto rank = [](const FatbinEntry& e) {
    return 3 * e.architecture + (e.variant == 'a' ? 2 : e.variant == 'f' ? 1 : 0);
  };
  const FatbinEntry* best = nullptr;
  for (const FatbinEntry& entry : entries) {
    if (entry.kind != CodeKind::kPtx || entry.architecture > target) continue;
    if (entry.variant == 'a' && entry.architecture != target) continue;
    if (entry.variant == 'f' && entry.architecture / 10 != target / 10) continue;
    if (best == nullptr || rank(entry) > rank(*best)) best = &entry;
  }
  return best;
}

namespace {

void add_entry(std::string& out, CodeKind kind, std::string payload, int architecture,
               char variant) {
  if (kind == CodeKind::kPtx) payload += '\0';
  payload.resize((payload.size() + 7) / 8 * 8);
  std::string entry(kEntryBytes, '\0');
  const auto put = [&](size_t at, auto value) { std::memcpy(&entry[at], &value, sizeof value); };
  put(0, static_cast<uint16_t>(kind));
  put(2, uint16_t{0x0101});
  put(4, static_cast<uint32_t>(kEntryBytes));
  put(8, static_cast<uint64_t>(payload.size()));
  put(28, static_cast<uint32_t>(architecture));
  put(40, kLinux64 | (variant == 'a' ? kArchitectureOnly : variant == 'f' ? kFamily : 0));
  out += entry + payload;
}

}  // namespace

std::string write_fatbin(const std::string& ptx, const std::string& cubin, int architecture,
                         char variant) {
  std::string body;
  add_entry(body, CodeKind::kPtx, ptx, architecture, variant);
  if (!cubin.empty()) add_entry(body, CodeKind::kMachine, cubin, architecture, variant);
  std::string header(kFatbinHeaderBytes, '\0');
  const auto put = [&](size_t at, auto value) { std::memcpy(&header[at], &value, sizeof value); };
  put(0, kFatbinMagic);
  put(4, uint16_t{1});
  put(6, static_cast<uint16_t>(kFatbinHeaderBytes));
  put(8, static_cast<uint64_t>(body.size()));
  return header + body;
}

}  // namespace warpledger::cuda
