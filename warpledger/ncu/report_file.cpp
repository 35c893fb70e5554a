#include "warpledger/ncu/report_file.h"

#include <fmt/format.h>

#include <bit>

#include "warpledger/ncu/wire.h"

namespace warpledger::ncu {
namespace {

constexpr std::string_view kMagic{"NVR\0", 4};
using Strings = std::vector<std::string_view>;

/// One length-prefixed part (u32, little endian) off the front; nothing when the bytes end early.
std::optional<std::string_view> next_part(std::string_view& bytes) {
  if (bytes.size() < 4) return std::nullopt;
  uint32_t size = 0;
  for (size_t i = 0; i < 4; ++i)
    size |= static_cast<uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * i);
  bytes.remove_prefix(4);
  if (size > bytes.size()) return std::nullopt;
  const std::string_view part = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return part;
}

struct BlockHeader {
  uint64_t sources = 0, results = 0, payload = 0;
  Strings strings = {};
};

std::optional<BlockHeader> read_header(std::string_view message) {
  BlockHeader header;
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) header.sources = field->value;
    if (field->number == 2) header.results = field->value;
    if (field->number == 5) header.payload = field->value;
    if (field->number != 4) continue;
    WireReader table(field->bytes);
    while (const auto text = table.next()) header.strings.push_back(text->bytes);
    if (table.broken()) return std::nullopt;
  }
  return fields.broken() ? std::nullopt : std::optional(header);
}

/// "(188, 250, 1)" of a message {1: X, 2: Y, 3: Z}.
std::string extent_of(std::string_view message) {
  uint64_t axes[3] = {0, 0, 0};
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number >= 1 && field->number <= 3) axes[field->number - 1] = field->value;
  }
  return fmt::format("({}, {}, {})", axes[0], axes[1], axes[2]);
}

/// MetricValue: 1 string, 2 float, 3 double, 4 u32, 5 u64.
void read_value(std::string_view message, Entry& entry) {
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1) entry.words = std::string(field->bytes);
    if (field->number == 2) entry.value = std::bit_cast<float>(static_cast<uint32_t>(field->value));
    if (field->number == 3) entry.value = std::bit_cast<double>(field->value);
    if (field->number == 4 || field->number == 5) entry.value = static_cast<double>(field->value);
  }
}

std::optional<Entry> read_metric(std::string_view message, const Strings& strings) {
  Entry entry;
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 1 && field->value < strings.size())
      entry.name = std::string(strings[field->value]);
    if (field->number == 2) read_value(field->bytes, entry);
  }
  if (fields.broken() || entry.name.empty()) return std::nullopt;
  return entry;
}

std::optional<Launch> read_result(std::string_view message, const Strings& strings) {
  Launch launch;
  WireReader fields(message);
  while (const auto field = fields.next()) {
    if (field->number == 7) launch.kernel = std::string(field->bytes);
    if (field->number == 10) launch.grid = extent_of(field->bytes);
    if (field->number == 11) launch.block = extent_of(field->bytes);
    if (field->number != 13) continue;
    auto entry = read_metric(field->bytes, strings);
    if (!entry) return std::nullopt;
    launch.entries.push_back(*std::move(entry));
  }
  if (fields.broken()) return std::nullopt;
  const auto part = [&](const char* which) {
    const Entry* entry = launch.find(fmt::format("device__attribute_compute_capability_{}", which));
    return entry == nullptr ? std::string("?") : fmt::format("{:.0f}", *entry->value);
  };
  launch.capability = fmt::format("{}.{}", part("major"), part("minor"));
  return launch;
}

Diagnostic bad(const std::string& name, const char* why) {
  return {.message = fmt::format("'{}' is not a report of ncu: {}", name, why),
          .hint = "ncu --export REPORT writes a .ncu-rep file",
          .code = "bad-ncu-file"};
}

/// The launches of one block's payload, or nothing when it breaks the format.
bool read_payload(std::string_view payload, const BlockHeader& header, const Strings& strings,
                  std::vector<Launch>& launches) {
  for (uint64_t i = 0; i < header.sources; ++i) {
    if (!next_part(payload)) return false;
  }
  for (uint64_t i = 0; i < header.results; ++i) {
    const auto message = next_part(payload);
    auto launch = message ? read_result(*message, strings) : std::nullopt;
    if (!launch) return false;
    launches.push_back(*std::move(launch));
  }
  return true;
}

}  // namespace

bool is_report_file(std::string_view bytes) { return bytes.starts_with(kMagic); }

Result<std::vector<Launch>> read_report_file(const std::string& name, std::string_view bytes) {
  if (!is_report_file(bytes)) return bad(name, "it does not begin with NVR");
  bytes.remove_prefix(kMagic.size());
  if (!next_part(bytes)) return bad(name, "its header ends early");
  std::vector<Launch> launches;
  Strings strings;  // a block without a table uses the last one
  while (!bytes.empty()) {
    const auto part = next_part(bytes);
    const auto header = part ? read_header(*part) : std::nullopt;
    if (!header || header->payload > bytes.size()) return bad(name, "a block ends early");
    if (!header->strings.empty()) strings = header->strings;
    if (!read_payload(bytes.substr(0, header->payload), *header, strings, launches))
      return bad(name, "a result breaks off or names a metric that has no name");
    bytes.remove_prefix(header->payload);
  }
  return launches;
}

}  // namespace warpledger::ncu
