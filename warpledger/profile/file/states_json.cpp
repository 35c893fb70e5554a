#include "warpledger/profile/file/states_json.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::ordered_json;

Json cycles_json(const sm::Cycles& cycles) {
  Json json = Json::object();
  for (size_t i = 0; i < sm::kReasons; ++i)
    if (cycles[i] != 0) json[std::string(to_text(static_cast<sm::Reason>(i)))] = cycles[i];
  return json;
}

bool read_number(const Json& json, const char* key, double& number) {
  if (!json.contains(key) || !json[key].is_number()) return false;
  number = json[key].get<double>();
  return true;
}

bool read_cycles(const Json& json, const char* key, sm::Cycles& cycles) {
  if (!json.contains(key) || !json[key].is_object()) return false;
  size_t known = 0;
  for (size_t i = 0; i < sm::kReasons; ++i) {
    const std::string reason(to_text(static_cast<sm::Reason>(i)));
    if (!json[key].contains(reason)) continue;
    if (!read_number(json[key], reason.c_str(), cycles[i])) return false;
    ++known;
  }
  return known == json[key].size();
}

bool read_line(const Json& json, std::vector<sm::InstructionStates>& lines) {
  const bool has_place = json.is_object() && json.contains("number") &&
                         json["number"].is_number_unsigned() &&
                         json["number"].get<uint64_t>() < lines.size();
  if (!has_place) return false;
  sm::InstructionStates& line = lines[json["number"].get<size_t>()];
  if (json.contains("waits_for")) {
    if (!json["waits_for"].is_number_unsigned()) return false;
    const auto number = json["waits_for"].get<uint64_t>();
    if (number >= lines.size()) return false;
    line.waited_for = static_cast<uint32_t>(number);
  }
  return read_cycles(json, "cycles", line.cycles);
}

}  // namespace

Json states_json(const sm::States& states) {
  Json json{{"cycles", states.cycles},
            {"active_cycles", states.active_cycles},
            {"issued", states.issued},
            {"eligible", states.eligible},
            {"warps", cycles_json(states.warps)}};
  json["lines"] = Json::array();
  for (size_t i = 0; i < states.instructions.size(); ++i) {
    const sm::InstructionStates& line = states.instructions[i];
    if (sm::sum_of(line.cycles) == 0) continue;
    Json one{{"number", i}, {"cycles", cycles_json(line.cycles)}};
    if (line.waited_for) one["waits_for"] = *line.waited_for;
    json["lines"].push_back(std::move(one));
  }
  return json;
}

std::optional<sm::States> states_from_json(const Json& json, size_t lines) {
  sm::States states;
  const bool is_whole = json.is_object() && read_number(json, "cycles", states.cycles) &&
                        read_number(json, "active_cycles", states.active_cycles) &&
                        read_number(json, "issued", states.issued) &&
                        read_number(json, "eligible", states.eligible) &&
                        read_cycles(json, "warps", states.warps) && json.contains("lines") &&
                        json["lines"].is_array();
  if (!is_whole) return {};
  states.instructions.resize(lines);
  for (const Json& line : json["lines"])
    if (!read_line(line, states.instructions)) return {};
  return states;
}

}  // namespace warpledger::profile
