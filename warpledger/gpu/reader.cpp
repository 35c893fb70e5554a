// From a GPU's file to a Gpu: its architecture's file first (which may extend common.toml), then
// its own facts, which override.
#include "warpledger/gpu/reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/gpu/builtin.h"
#include "warpledger/gpu/fact_reader.h"
#include "warpledger/gpu/facts.h"

namespace warpledger {
namespace {

constexpr int64_t kFileSchema = 1;
constexpr int64_t kMost = int64_t{1} << 24;  // products of three limits stay below 2^63

Result<toml::table> parse_toml(const Source& source) {
  try {
    return toml::parse(source.text(), source.name());
  } catch (const toml::parse_error& error) {
    return Diagnostic{.message = std::string(error.description()),
                      .code = "bad-toml",
                      .at = place_of(source, error.source())};
  }
}

void read_schema(FactReader& reader, const Source& source) {
  int64_t schema = 0;
  reader.top("schema", schema);
  if (schema == kFileSchema) return;
  reader.fault({.message = fmt::format("{}: 'schema' must be {}", source.name(), kFileSchema),
                .hint = "the first line of a GPU file is: schema = 1",
                .code = "bad-schema"});
}

// Faults for required facts that neither this file nor those below it gave, and for zeros that the
// occupancy rules would divide by.
class RequiredFacts {
 public:
  RequiredFacts(FactReader& reader, std::string file) : reader_(reader), file_(std::move(file)) {}

  void operator()(const char* group, const char* key, const Count& field) {
    const bool may_be_zero = std::string_view(key) == "reserved_bytes_per_block";
    if (field.source.empty()) return missing(group, key);
    if (field.value == 0 && !may_be_zero) bad(group, key, "must be positive");
    if (field.value > kMost) bad(group, key, "is too large");
  }
  void operator()(const char* group, const char* key, const CountList& field) {
    if (field.source.empty()) return missing(group, key);
    const std::vector<int64_t>& list = field.value;
    if (list.empty()) return bad(group, key, "must not be empty");
    const bool dims = std::string_view(key) == "max_block_dims";
    if (dims && list.size() != 3) bad(group, key, "must have three entries");
    if (*std::max_element(list.begin(), list.end()) > kMost) bad(group, key, "is too large");
    if (!dims && !std::is_sorted(list.begin(), list.end())) bad(group, key, "must ascend");
  }
  template <class T>
  void operator()(const char*, const char*, const Fact<T>&) {}

 private:
  void missing(const char* group, const char* key) {
    reader_.fault({.message = fmt::format("{}: missing key '{}' in [{}]", file_, key, group),
                   .code = "missing-key"});
  }
  void bad(const char* group, const char* key, const char* what) {
    reader_.fault({.message = fmt::format("{}: '{}' in [{}] {}", file_, key, group, what),
                   .code = "bad-value"});
  }

  FactReader& reader_;
  std::string file_;
};

std::optional<std::string_view> builtin_text(const std::string& path) {
  for (const BuiltinFile& file : builtin_gpu_files()) {
    if (file.path == path) return file.text;
  }
  return std::nullopt;
}

std::vector<std::string> architecture_ids() {
  std::vector<std::string> ids;
  for (const BuiltinFile& file : builtin_gpu_files()) {
    if (!file.path.starts_with("arch/sm_")) continue;
    ids.push_back(std::filesystem::path(file.path).stem().string());
  }
  return ids;
}

Status read_architecture_file(const std::string& id, Architecture& architecture) {
  const std::string path = "arch/" + id + ".toml";
  const auto text = builtin_text(path);
  if (!text) {
    return Diagnostic{.message = fmt::format("unknown architecture '{}'", id),
                      .hint = fmt::format("known: {}", fmt::join(architecture_ids(), ", ")),
                      .code = "unknown-architecture"};
  }
  const Source source("gpus/" + path, std::string(*text));
  WL_TRY(const toml::table root, parse_toml(source));
  FactReader reader(source, root);
  read_schema(reader, source);
  std::string below;
  std::vector<int64_t> capability;
  reader.top("extends", below);
  if (!below.empty()) WL_TRY_STATUS(read_architecture_file(below, architecture));
  reader.top("id", architecture.id);
  reader.top("name", architecture.name);
  reader.top("compute_capability", capability);
  if (capability.size() == 2) {
    architecture.major = static_cast<int>(capability[0]);
    architecture.minor = static_cast<int>(capability[1]);
  }
  each_architecture_fact(architecture, reader);
  reader.refuse_the_rest();
  if (auto faults = reader.faults()) return *faults;
  return {};
}

}  // namespace

Result<Architecture> read_architecture(const std::string& id) {
  Architecture architecture;
  WL_TRY_STATUS(read_architecture_file(id, architecture));
  return architecture;
}

Result<Gpu> parse_gpu(const std::string& name, const std::string& text) {
  const Source source(name, text);
  WL_TRY(const toml::table root, parse_toml(source));
  FactReader reader(source, root);
  read_schema(reader, source);
  Gpu gpu{.id = std::filesystem::path(name).stem().string()};
  std::string arch;
  reader.top("name", gpu.name);
  reader.top("arch", arch);
  reader.top("chip", gpu.chip);
  reader.top("aliases", gpu.aliases);
  if (arch.empty() || gpu.name.empty()) {
    const char* key = arch.empty() ? "arch" : "name";
    reader.fault({.message = fmt::format("{}: missing key '{}'", name, key),
                  .hint = fmt::format("architectures: {}", fmt::join(architecture_ids(), ", ")),
                  .code = "missing-key"});
  } else if (auto architecture = read_architecture(arch)) {
    gpu.architecture = *std::move(architecture);
  } else {
    Diagnostic unknown = architecture.error();
    if (const std::string near = did_you_mean(arch, architecture_ids()); !near.empty())
      unknown.hint = near;
    if (!unknown.at) unknown.at = reader.place(root.get("arch")->source());
    return unknown;
  }
  each_fact(gpu, reader);
  reader.refuse_the_rest();
  RequiredFacts required(reader, name);
  if (!gpu.architecture.id.empty()) each_fact(std::as_const(gpu), required);
  if (auto faults = reader.faults()) return *faults;
  return gpu;
}

Result<Gpu> read_gpu(const std::string& path) {
  WL_TRY(const std::string text, read_file(path));
  return parse_gpu(path, text);
}

std::vector<Architecture> all_architectures() {
  std::vector<Architecture> architectures;
  for (const std::string& id : architecture_ids()) {
    auto architecture = read_architecture(id);
    WL_CHECK(architecture.ok());
    architectures.push_back(*std::move(architecture));
  }
  std::sort(architectures.begin(), architectures.end(), [](const auto& a, const auto& b) {
    return std::pair(a.major, a.minor) < std::pair(b.major, b.minor);
  });
  return architectures;
}

}  // namespace warpledger
