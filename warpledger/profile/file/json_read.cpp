// The half of json.h that reads.
#include <fmt/core.h>

#include <nlohmann/json.hpp>

#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/states_json.h"
#include "warpledger/profile/metrics/pipes.h"
#include "warpledger/profile/value/json_fields.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;
using trace::kKinds;

constexpr size_t kSpaces = static_cast<size_t>(trace::Space::kSurface) + 1;
constexpr size_t kCacheOperators = static_cast<size_t>(trace::CacheOperator::kNoAllocate) + 1;

Diagnostic bad(const std::string& file, const std::string& why) {
  return {.message = fmt::format("'{}' is not a profile: {}", file, why), .code = "bad-profile"};
}

/// Reads fields and keeps the first thing that is wrong.
class Reader {
 public:
  [[nodiscard]] const std::string& fault() const { return fault_; }

  const Json& at(const Json& json, const char* key) {
    static const Json nothing;
    if (json.is_object() && json.contains(key)) return json[key];
    fail(fmt::format("'{}' is missing", key));
    return nothing;
  }
  template <class T>
  void get(const Json& json, const char* key, T& field) {
    const Json& value = at(json, key);
    if (!fault_.empty()) return;
    // The library's own conversions throw; nothing may throw across this room's interface.
    try {
      field = value.get<T>();
    } catch (const Json::exception&) {
      fail(fmt::format("'{}' has the wrong type", key));
    }
  }
  /// The value whose text the field holds, out of the first `count` of an enumeration.
  template <class Enum>
  void get_word(const Json& json, const char* key, Enum& field, size_t count) {
    std::string word;
    get(json, key, word);
    if (!fault_.empty()) return;
    for (size_t i = 0; i < count; ++i) {
      if (to_text(static_cast<Enum>(i)) == word) {
        field = static_cast<Enum>(i);
        return;
      }
    }
    fail(fmt::format("'{}' cannot be '{}'", key, word));
  }
  void get_fidelity(const Json& json, Fidelity& field) {
    std::string word;
    get(json, "fidelity", word);
    const auto fidelity = parse_fidelity(word);
    if (!fidelity) return fail("'fidelity' has an unknown value");
    field = *fidelity;
  }
  auto visitor(const Json& json) {
    return [this, &json](const char* key, auto& field) { get(json, key, field); };
  }
  /// For fields that files from before do not have.
  auto later_visitor(const Json& json) {
    return [this, &json](const char* key, auto& field) {
      if (json.is_object() && json.contains(key)) get(json, key, field);
    };
  }
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }

 private:
  std::string fault_;
};

void read_counters(Reader& reader, const Json& json, memory::Counters& counters) {
  each_l2_field(counters.l2, reader.visitor(reader.at(json, "l2")));
  each_dram_field(counters.dram, reader.visitor(reader.at(json, "dram")));
  each_later_dram_field(counters.dram, reader.later_visitor(reader.at(json, "dram")));
}

void read_instructions(Reader& reader, const Json& json, Profile& profile) {
  for (const Json& one : reader.at(json, "code")) {
    CodeLine& line = profile.code.emplace_back();
    each_code_field(line, reader.visitor(one));
    each_later_code_field(line, reader.later_visitor(one));
    line.pipe = pipe_of(line.text);
  }
  for (const CodeLine& line : profile.code) {
    const bool is_known = line.guard < profile.code.size();
    if (!is_known && line.guard != CodeLine::kNoGuard) reader.fail("'guard' is too large");
  }
  for (const Json& one : reader.at(json, "instructions")) {
    Instruction instruction;
    each_instruction_field(instruction, reader.visitor(one));
    each_later_instruction_field(instruction, reader.later_visitor(one));
    if (instruction.site.instruction >= profile.code.size()) reader.fail("'number' is too large");
    reader.get_word(one, "space", instruction.site.space, kSpaces);
    // Nothing but merging and dropping has a fate in constant memory (json_write.cpp).
    const bool is_constant = instruction.site.space == trace::Space::kConstant;
    if (is_constant && !instruction.fate.empty()) instruction.site.space = trace::Space::kNone;
    reader.get_word(one, "kind", instruction.site.kind, kKinds);
    reader.get_word(one, "cache", instruction.site.cache, kCacheOperators);
    reader.later_visitor(one)("assumed_layout", instruction.site.assumed_layout);
    reader.later_visitor(one)("is_spill", instruction.is_spill);
    reader.later_visitor(one)("serves_window", instruction.site.serves_window);
    memory::SiteCounters counters;
    each_site_field(counters, reader.visitor(reader.at(one, "counters")));
    profile.instructions.push_back(std::move(instruction));
    profile.counters.sites.push_back(counters);
  }
}

/// Files written before there were examples have none.
void read_examples(Reader& reader, const Json& json, Profile& profile) {
  if (!json.contains("examples")) return;
  for (const Json& one : json["examples"]) {
    AccessExample& example = profile.examples.emplace_back();
    reader.get(one, "instruction", example.instruction);
    reader.get(one, "mask", example.mask);
    reader.get(one, "addresses", example.address);
    if (example.instruction >= profile.instructions.size()) {
      reader.fail("an example of no instruction");
    }
  }
}

/// Files written before races were looked for have none.
void read_races(Reader& reader, const Json& json, RaceCheck& races) {
  if (!json.contains("races")) return;
  each_race_check_field(races, reader.visitor(json["races"]));
  for (const Json& one : reader.at(json["races"], "found")) {
    RacePair& pair = races.found.emplace_back();
    each_race_field(pair, reader.visitor(one));
    reader.get_word(one, "space", pair.space, kSpaces);
    each_side_field(pair.first, reader.visitor(reader.at(one, "first")));
    each_side_field(pair.second, reader.visitor(reader.at(one, "second")));
  }
}

void read_other_orders(Reader& reader, const Json& json, Profile& profile) {
  for (const Json& one : reader.at(json, "other_orders")) {
    memory::Counters counters;
    read_counters(reader, one, counters);
    for (const Json& site : reader.at(one, "sites")) {
      each_site_field(counters.sites.emplace_back(), reader.visitor(site));
    }
    if (counters.sites.size() != profile.instructions.size()) {
      reader.fail("an order has a different number of instructions");
    }
    profile.other_orders.push_back(std::move(counters));
  }
}

void read_divisions(Reader& reader, const Json& json, Machine& machine) {
  for (const Json& one : json["divisions"]) {
    uint32_t number = 0;
    reader.get(one, "number", number);
    each_pipe_field(machine.divisions[number], reader.visitor(one));
  }
}

void read_slow_paths(Reader& reader, const Json& json, Machine& machine) {
  for (const Json& one : json["slow_paths"]) {
    uint32_t block = 0;
    reader.get(one, "block", block);
    reader.get(one, "share", machine.shares[block]);
  }
}

/// Only profiles of a program's launches have them.
void read_launches(Reader& reader, const Json& json, Profile& profile) {
  if (!json.contains("launches")) return;
  const Json& launches = json["launches"];
  each_launches_field(profile.launches, reader.visitor(launches));
  if (launches.contains("purpose")) reader.get(launches, "purpose", profile.launches.purpose);
  for (const Json& one : reader.at(launches, "numbers")) {
    each_range_field(profile.launches.ranges.emplace_back(), reader.visitor(one));
  }
}

void read_launch(Reader& reader, const Json& json, Profile& profile) {
  const Json& launch = reader.at(json, "launch");
  each_launch_field(profile.launch, reader.visitor(launch));
  bool prefers_shared = false;
  reader.get(launch, "prefer_shared", prefers_shared);
  if (prefers_shared) profile.launch.cache = CachePreference::kShared;
  if (!reader.at(launch, "carveout_kib").is_null()) {
    reader.get(launch, "carveout_kib", profile.launch.carveout_kib.emplace());
  }
  const Json& resources = reader.at(json, "resources");
  each_resource_field(profile.resources, reader.visitor(resources));
  reader.later_visitor(resources)("live_registers", profile.resources.live_registers);
  reader.get_fidelity(resources, profile.resources.fidelity);
  if (!json.contains("machine")) return;
  Machine& machine = profile.machine.emplace();
  each_machine_field(machine, reader.visitor(json["machine"]));
  each_pipe_field(machine.pipes, reader.visitor(reader.at(json["machine"], "pipes")));
  reader.get_fidelity(json["machine"], machine.fidelity);
  if (json["machine"].contains("threads"))
    each_thread_field(machine.threads.emplace(), reader.visitor(json["machine"]["threads"]));
  if (json["machine"].contains("divisions")) read_divisions(reader, json["machine"], machine);
  if (json["machine"].contains("slow_paths")) read_slow_paths(reader, json["machine"], machine);
}

/// Pre: the code is read.
void read_states(Reader& reader, const Json& json, Profile& profile) {
  if (json.contains("no_states")) reader.get(json, "no_states", profile.no_states);
  if (json.contains("awaited"))
    each_awaited_field(profile.awaited.emplace(), reader.visitor(json["awaited"]));
  if (!json.contains("states")) return;
  profile.states = states_from_json(json["states"], profile.code.size() + 1);
  if (!profile.states) reader.fail("'states' are not warp states of its code");
}

void read_parts(Reader& reader, const Json& json, Profile& profile) {
  each_top_field(profile, reader.visitor(json));
  if (json.contains("source_folder")) reader.get(json, "source_folder", profile.source_folder);
  read_launch(reader, json, profile);
  read_launches(reader, json, profile);
  each_policy_field(profile.policy, reader.visitor(reader.at(json, "policy")));
  each_execution_field(profile.execution, reader.visitor(reader.at(json, "execution")));
  if (json.contains("sampled")) {
    each_sampled_field(profile.sampled.emplace(), reader.visitor(json["sampled"]));
  }
  if (json.contains("prefix")) {
    each_prefix_field(profile.prefix.emplace(), reader.visitor(json["prefix"]));
  }
  if (json.contains("timing")) {
    each_timing_field(profile.timing.emplace(), reader.visitor(json["timing"]));
  }
  for (const Json& one : reader.at(json, "arrays")) {
    Array& array = profile.arrays.emplace_back();
    reader.get(one, "name", array.name);
    reader.get(one, "bytes", array.bytes);
    reader.later_visitor(one)("is_host", array.is_host);
  }
  for (const Json& one : reader.at(json, "samples")) {
    WarpSample& sample = profile.samples.emplace_back();
    each_sample_field(sample, reader.visitor(one));
    reader.get_word(one, "kind", sample.kind, kKinds);
  }
  read_instructions(reader, json, profile);
  read_states(reader, json, profile);
  read_examples(reader, json, profile);
  read_races(reader, json, profile.races);
  read_counters(reader, json, profile.counters);
  read_other_orders(reader, json, profile);
}

}  // namespace

bool is_profile_json(std::string_view text) {
  const Json json = Json::parse(text, nullptr, false);
  const Json& one = json.is_array() && !json.empty() ? json.front() : json;
  if (!one.is_object() || !one.contains("command")) return false;
  return one["command"] == "profile" || (&one == &json && one["command"] == "report");
}

Result<Profile> profile_from_json(const Source& source) {
  const Json json = Json::parse(source.text(), nullptr, false);
  if (json.is_discarded() || !json.is_object()) return bad(source.name(), "no JSON object");
  Reader reader;
  int schema = 0;
  reader.get(json, "schema_version", schema);
  if (reader.fault().empty() && schema != kProfileSchemaVersion) {
    return bad(source.name(),
               fmt::format("schema_version is {}, not {}", schema, kProfileSchemaVersion));
  }
  Profile profile;
  read_parts(reader, json, profile);
  if (!reader.fault().empty()) return bad(source.name(), reader.fault());
  WL_TRY(profile.gpu, load_gpu(profile.gpu_request));
  WL_TRY(profile.statistics, launch_statistics(profile.gpu, profile.launch));
  return profile;
}

}  // namespace warpledger::profile
