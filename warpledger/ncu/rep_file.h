// A report file of Nsight Compute, .ncu-rep, as plain values, and to and from its bytes. NVIDIA
// installs the description of its messages with the program (extras/FileFormat); docs/ncu-rep.md
// says which of them are written and read here.
//
//   "NVR\0", u32 size, FileHeader; then blocks until the end of the file:
//   u32 size, BlockHeader (counts, session, string table, size of the payload), payload
//   payload: sources, then results, each with its u32 size before it
//
// A result may hold a field that NVIDIA does not have, `record`: what warpledger keeps of the
// launch besides. Other readers skip it, as protobuf has them skip what they do not know.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "warpledger/base/result.h"

namespace warpledger::ncu {

/// What a metric or an attribute may be.
using RepValue = std::variant<std::string, double, uint64_t>;

/// One of a metric's values: of an instruction (`id` is its address) or of an opcode (its name).
struct RepInstance {
  RepValue id = uint64_t{0};
  RepValue value = uint64_t{0};
  friend bool operator==(const RepInstance&, const RepInstance&) = default;
};
struct RepMetric {
  std::string name = {};
  std::optional<RepValue> value = {};
  std::vector<RepInstance> instances = {};
  friend bool operator==(const RepMetric&, const RepMetric&) = default;
};

/// A metric of a section's header or of the source page; units follow from names, but where `unit`
/// says one.
struct RepLine {
  std::string metric = {}, label = {}, unit = {};
  friend bool operator==(const RepLine&, const RepLine&) = default;
};
/// What a section's body shows: ncu draws these from metrics that it knows by name.
enum class RepWidget : uint32_t {
  kSharedTable = 101,
  kDeviceTable = 104,
  kMemoryChart = 105,
  kL1Table = 106,
  kL2Table = 107,
};
struct RepSection {
  std::string id = {}, title = {}, extends = {};  // of a part of another section: that one's id
  uint32_t order = 0;
  std::vector<RepLine> lines = {};    // of its header
  std::vector<RepLine> columns = {};  // of the source page
  std::vector<RepWidget> widgets = {};
  friend bool operator==(const RepSection&, const RepSection&) = default;
};

/// How ncu marks a message: "", "INF" or "OPT", "WRN", "ERR".
enum class RepMark : uint8_t { kNone = 0, kOk = 1, kWarning = 2, kError = 3 };
struct RepMessage {
  std::string text = {}, title = {};
  RepMark mark = RepMark::kNone;
  std::optional<double> speedup = {};  // estimated, in percent
  bool is_local = false;               // of a part of the hardware; else of the launch's time
  friend bool operator==(const RepMessage&, const RepMessage&) = default;
};
struct RepRule {
  std::string id = {}, title = {}, section = {};
  std::vector<RepMessage> messages = {};
  friend bool operator==(const RepRule&, const RepRule&) = default;
};

struct RepSourceFile {
  std::string name = {}, text = {};
  friend bool operator==(const RepSourceFile&, const RepSourceFile&) = default;
};
/// The code of one or more results, which name it by `reference`.
struct RepCode {
  uint64_t reference = 0;
  std::string ptx = {}, cubin = {};
  uint32_t major = 0, minor = 0;  // compute capability
  std::vector<RepSourceFile> files = {};
  friend bool operator==(const RepCode&, const RepCode&) = default;
};

using RepExtent = std::array<uint64_t, 3>;

/// One launch.
struct RepResult {
  std::string mangled = {}, function = {}, demangled = {};
  RepExtent grid = {1, 1, 1}, block = {1, 1, 1};
  uint64_t id = 0;    // of the launch in its program
  uint64_t code = 0;  // RepCode::reference; 0: none
  uint32_t major = 0;
  uint64_t context = 1, stream = 7;
  uint64_t created = 0;  // seconds since 1970
  std::string comment = {};
  std::vector<RepMetric> metrics = {};
  std::vector<RepSection> sections = {};
  std::vector<RepRule> rules = {};
  std::string record = {};  // ours
  friend bool operator==(const RepResult&, const RepResult&) = default;
};

struct RepDevice {
  uint64_t id = 0;
  std::string name = {};
  std::vector<std::pair<std::string, RepValue>> attributes = {};
  friend bool operator==(const RepDevice&, const RepDevice&) = default;
};
struct RepSession {
  uint64_t created = 0;
  std::string host = {}, process = {};
  std::string comment = {}, command = {}, executable = {};
  std::vector<RepDevice> devices = {};
  std::vector<std::pair<std::string, std::string>> versions = {};  // of what wrote it
  friend bool operator==(const RepSession&, const RepSession&) = default;
};

struct RepFile {
  RepSession session = {};
  std::vector<RepCode> codes = {};
  std::vector<RepResult> results = {};
  friend bool operator==(const RepFile&, const RepFile&) = default;
};

[[nodiscard]] bool is_rep_file(std::string_view bytes);

[[nodiscard]] std::string to_bytes(const RepFile& file);

/// Of a file of any writer; what this header does not name is skipped. `name` is for messages.
/// Fails with "bad-ncu-file". Post: read_rep_file(_, to_bytes(f)) == f.
[[nodiscard]] Result<RepFile> read_rep_file(const std::string& name, std::string_view bytes);

}  // namespace warpledger::ncu
