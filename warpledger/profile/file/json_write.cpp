// The half of json.h that writes.
#include <nlohmann/json.hpp>

#include "warpledger/profile/file/json.h"
#include "warpledger/profile/file/json_value.h"
#include "warpledger/profile/file/states_json.h"
#include "warpledger/profile/metrics/section.h"
#include "warpledger/profile/metrics/units.h"
#include "warpledger/profile/value/json_fields.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

/// A visitor that writes every field.
auto writer(Json& json) {
  return [&json](const char* key, const auto& field) { json[key] = field; };
}
template <class Each, class Part>
Json written(Each each, const Part& part) {
  Json json = Json::object();
  each(part, writer(json));
  return json;
}
#define WL_EACH(function) [](auto& part, auto visit) { function(part, visit); }

/// A list of what `one` makes of each.
template <class Items, class One>
Json list_json(const Items& items, One one) {
  Json json = Json::array();
  for (const auto& item : items) json.push_back(one(item));
  return json;
}

Json counters_json(const memory::Counters& counters, bool with_sites) {
  Json json = Json::object();
  if (with_sites) {
    json["sites"] = list_json(counters.sites, [](const memory::SiteCounters& site) {
      return written(WL_EACH(each_site_field), site);
    });
  }
  json["l2"] = written(WL_EACH(each_l2_field), counters.l2);
  json["dram"] = written(WL_EACH(each_dram_field), counters.dram);
  each_later_dram_field(counters.dram, writer(json["dram"]));
  return json;
}

/// The format has no word for Space::kNone: there it is "constant" with a fate.
std::string_view written_space(trace::Space space) {
  return to_text(space == trace::Space::kNone ? trace::Space::kConstant : space);
}

Json instruction_json(const Instruction& instruction, const memory::SiteCounters& counters) {
  Json json = written(WL_EACH(each_instruction_field), instruction);
  each_later_instruction_field(instruction, writer(json));
  json["space"] = written_space(instruction.site.space);
  json["kind"] = to_text(instruction.site.kind);
  json["cache"] = to_text(instruction.site.cache);
  if (instruction.site.assumed_layout) json["assumed_layout"] = true;
  if (instruction.is_spill) json["is_spill"] = true;
  if (instruction.site.serves_window) json["serves_window"] = true;
  json["counters"] = written(WL_EACH(each_site_field), counters);
  return json;
}

Json value_json(const RawValue& raw) {
  if (const auto* n = std::get_if<int64_t>(&raw)) return *n;
  if (const auto* x = std::get_if<double>(&raw)) return *x;
  if (const auto* s = std::get_if<std::string>(&raw)) return *s;
  return nullptr;
}

Json metrics_json(const Profile& profile) {
  Json json = Json::object();
  for (const std::string& name : standard_metrics()) {
    const auto [value, unit] = answer(name, profile);
    Json one{{"value", value_json(value.raw)}, {"unit", unit}};
    one["fidelity"] = value.is_known() ? std::string(to_text(value.fidelity)) : kNotModeled;
    if (value.low) {
      one["low"] = *value.low;
      one["high"] = *value.high;
    }
    json[name] = std::move(one);
  }
  return json;
}

Json launch_json(const Launch& launch) {
  Json json = written(WL_EACH(each_launch_field), launch);
  json["prefer_shared"] = launch.cache == CachePreference::kShared;
  json["carveout_kib"] = launch.carveout_kib ? Json(*launch.carveout_kib) : Json(nullptr);
  return json;
}

Json slow_paths_json(const std::map<uint32_t, double>& shares) {
  return list_json(shares, [](const auto& share) {
    return Json{{"block", share.first}, {"share", share.second}};
  });
}

Json machine_json(const Machine& machine) {
  Json json = written(WL_EACH(each_machine_field), machine);
  if (machine.threads) json["threads"] = written(WL_EACH(each_thread_field), *machine.threads);
  json["pipes"] = written(WL_EACH(each_pipe_field), machine.pipes);
  json["divisions"] = list_json(machine.divisions, [](const auto& division) {
    Json one = written(WL_EACH(each_pipe_field), division.second);
    one["number"] = division.first;
    return one;
  });
  if (!machine.shares.empty()) json["slow_paths"] = slow_paths_json(machine.shares);
  json["fidelity"] = to_text(machine.fidelity);
  return json;
}

Json launches_json(const Launches& launches) {
  Json json = written(WL_EACH(each_launches_field), launches);
  if (!launches.purpose.empty()) json["purpose"] = launches.purpose;
  json["numbers"] = list_json(launches.ranges, [](const LaunchRange& range) {
    return written(WL_EACH(each_range_field), range);
  });
  return json;
}

/// What was launched, on what, and what running it took.
void write_launch(const Profile& profile, Json& json) {
  json["launch"] = launch_json(profile.launch);
  if (profile.launches.count > 0) json["launches"] = launches_json(profile.launches);
  json["resources"] = written(WL_EACH(each_resource_field), profile.resources);
  if (profile.resources.live_registers > 0)
    json["resources"]["live_registers"] = profile.resources.live_registers;
  json["resources"]["fidelity"] = to_text(profile.resources.fidelity);
  json["policy"] = written(WL_EACH(each_policy_field), profile.policy);
  json["execution"] = written(WL_EACH(each_execution_field), profile.execution);
  if (profile.machine) json["machine"] = machine_json(*profile.machine);
  if (profile.sampled) json["sampled"] = written(WL_EACH(each_sampled_field), *profile.sampled);
  if (profile.prefix) json["prefix"] = written(WL_EACH(each_prefix_field), *profile.prefix);
  if (profile.timing) json["timing"] = written(WL_EACH(each_timing_field), *profile.timing);
  if (profile.states) json["states"] = states_json(*profile.states);
  if (profile.awaited) json["awaited"] = written(WL_EACH(each_awaited_field), *profile.awaited);
  if (!profile.no_states.empty()) json["no_states"] = profile.no_states;
}

/// Arrays, and what was seen of the accesses to them.
void write_accesses(const Profile& profile, Json& json) {
  json["arrays"] = list_json(profile.arrays, [](const Array& array) {
    return Json{{"name", array.name}, {"bytes", array.bytes}, {"is_host", array.is_host}};
  });
  json["samples"] = list_json(profile.samples, [](const WarpSample& sample) {
    Json one = written(WL_EACH(each_sample_field), sample);
    one["kind"] = to_text(sample.kind);
    return one;
  });
  json["examples"] = list_json(profile.examples, [](const AccessExample& example) {
    return Json{{"instruction", example.instruction},
                {"mask", example.mask},
                {"addresses", example.address}};
  });
}

void write_instructions(const Profile& profile, Json& json) {
  json["code"] = list_json(profile.code, [](const CodeLine& line) {
    Json one = written(WL_EACH(each_code_field), line);
    each_later_code_field(line, writer(one));
    return one;
  });
  json["instructions"] = Json::array();
  for (size_t i = 0; i < profile.instructions.size(); ++i) {
    json["instructions"].push_back(
        instruction_json(profile.instructions[i], profile.counters.sites[i]));
  }
}

Json side_json(const RaceSide& side) { return written(WL_EACH(each_side_field), side); }

Json races_json(const RaceCheck& races) {
  Json json = written(WL_EACH(each_race_check_field), races);
  json["found"] = list_json(races.found, [](const RacePair& pair) {
    Json one = written(WL_EACH(each_race_field), pair);
    one["space"] = to_text(pair.space);
    one["first"] = side_json(pair.first);
    one["second"] = side_json(pair.second);
    one["fidelity"] = to_text(Fidelity::kExact);
    return one;
  });
  return json;
}

/// For readers of the file: follows from the rest and is not read back.
void write_derived(const Profile& profile, Json& json) {
  json["units"] = list_json(unit_loads({profile, profile.counters}), [](const UnitLoad& load) {
    return Json{{"unit", load.unit}, {"counter", load.counter}, {"cycles", load.cycles}};
  });
  json["metrics"] = metrics_json(profile);
}

/// What is read back.
Json essence_of(const Profile& profile) {
  Json json;
  json["schema_version"] = kProfileSchemaVersion;
  json["command"] = "profile";
  each_top_field(profile, writer(json));
  json["source_folder"] = profile.source_folder;
  json["name"] = shown_name(profile.kernel);
  write_launch(profile, json);
  write_accesses(profile, json);
  json["races"] = races_json(profile.races);
  write_instructions(profile, json);
  json.update(counters_json(profile.counters, false));
  json["other_orders"] = list_json(profile.other_orders, [](const memory::Counters& counters) {
    return counters_json(counters, true);
  });
  return json;
}

}  // namespace

Json json_of(const Profile& profile) {
  Json json = essence_of(profile);
  write_derived(profile, json);
  return json;
}

Json json_of(const std::vector<Profile>& profiles) {
  return list_json(profiles, [](const Profile& profile) { return json_of(profile); });
}

std::string print_json(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string compact_json(const Profile& profile) {
  return essence_of(profile).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string to_json(const Profile& profile) { return print_json(json_of(profile)); }

std::string to_json(const std::vector<Profile>& profiles) { return print_json(json_of(profiles)); }

}  // namespace warpledger::profile
