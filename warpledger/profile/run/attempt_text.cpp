// Attempts as text: the length of a JSON object, the object, and the profile as a store keeps it.
#include <fmt/core.h>

#include <charconv>
#include <nlohmann/json.hpp>

#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/run/attempt.h"
#include "warpledger/profile/run/run_statistics.h"

namespace warpledger::profile {
namespace {

using Json = nlohmann::json;
using memory::CacheAccess;
using memory::Look;

Json json_of(const Diagnostic& fault) {
  Json json = {{"message", fault.message},
               {"hint", fault.hint},
               {"code", fault.code},
               {"fallback", static_cast<int>(fault.fallback)},
               {"also", Json::array()}};
  if (fault.at) {
    json["at"] = {fault.at->file, fault.at->line, fault.at->column, fault.at->length,
                  fault.at->line_text};
  }
  for (const Diagnostic& one : fault.also) json["also"].push_back(json_of(one));
  return json;
}

Diagnostic fault_from(const Json& json, int depth = 0) {
  constexpr int kDeepest = 8;
  Diagnostic fault{.message = json.at("message"), .hint = json.at("hint"), .code = json.at("code")};
  const int fallback = json.at("fallback");
  if (fallback >= 0 && fallback <= static_cast<int>(Fallback::kMoreTime))
    fault.fallback = static_cast<Fallback>(fallback);
  if (json.contains("at")) {
    const Json& at = json["at"];
    fault.at = Location{at.at(0), at.at(1), at.at(2), at.at(3), at.at(4)};
  }
  if (depth == kDeepest) return fault;
  for (const Json& one : json.at("also")) fault.also.push_back(fault_from(one, depth + 1));
  return fault;
}

Json json_of(const Look& look) {
  return {look.set, look.way, look.is_there, look.valid, look.victim, look.victim_dirty};
}

Look look_from(const Json& json) {
  return {json.at(0), json.at(1), json.at(2), json.at(3), json.at(4), json.at(5)};
}

Json json_of(const TracedAccess& traced) {
  const CacheAccess& access = traced.access;
  Json l2 = Json::array();
  for (const Look& look : access.l2) l2.push_back(json_of(look));
  return {access.cta,       access.warp,        access.site,    static_cast<int>(access.action),
          access.address,   access.line,        access.sectors, access.l1_hit,
          access.passes_l1, json_of(access.l1), std::move(l2),  traced.place,
          traced.l1_victim, traced.l2_victim};
}

TracedAccess access_from(const Json& json) {
  TracedAccess traced;
  CacheAccess& access = traced.access;
  json.at(0).get_to(access.cta);
  json.at(1).get_to(access.warp);
  json.at(2).get_to(access.site);
  access.action = static_cast<memory::Action>(json.at(3).get<uint8_t>());
  json.at(4).get_to(access.address);
  json.at(5).get_to(access.line);
  json.at(6).get_to(access.sectors);
  json.at(7).get_to(access.l1_hit);
  json.at(8).get_to(access.passes_l1);
  access.l1 = look_from(json.at(9));
  for (const Json& look : json.at(10)) access.l2.push_back(look_from(look));
  json.at(11).get_to(traced.place);
  json.at(12).get_to(traced.l1_victim);
  json.at(13).get_to(traced.l2_victim);
  return traced;
}

Json json_of(const CacheTrace& trace) {
  Json accesses = Json::array();
  for (const TracedAccess& one : trace.accesses) accesses.push_back(json_of(one));
  const CacheTraceRequest& request = trace.request;
  return {{"line", {request.line.file, request.line.line}},
          {"sm", request.sm},
          {"first", request.first},
          {"accesses", std::move(accesses)},
          {"seen", trace.seen},
          {"ctas", trace.ctas}};
}

/// Who prints a look-up takes its site as a place in the profile.
CacheTrace trace_from(const Json& json, const Profile& profile) {
  CacheTrace trace{.seen = json.at("seen"), .ctas = json.at("ctas")};
  trace.request.line.file = json.at("line").at(0);
  trace.request.line.line = json.at("line").at(1);
  trace.request.sm = json.at("sm");
  trace.request.first = json.at("first");
  for (const Json& one : json.at("accesses")) {
    TracedAccess access = access_from(one);
    if (access.access.site < profile.instructions.size())
      trace.accesses.push_back(std::move(access));
  }
  return trace;
}

Json json_of(const RunStatistics& statistics) {
  Json laps = Json::array();
  for (const Lap& lap : statistics.watch.laps())
    laps.push_back({lap.name, lap.wall_seconds, lap.cpu_seconds});
  return {{"laps", std::move(laps)},
          {"modeled", statistics.modeled},
          {"code", {statistics.code.compiled, statistics.code.on_disk, statistics.code.in_memory}},
          {"compile", statistics.compile_cpu_seconds},
          {"engine", statistics.engine_cpu_seconds},
          {"records", statistics.records},
          {"accesses", statistics.accesses}};
}

void read_statistics(const Json& json, RunStatistics& statistics) {
  std::vector<Lap> laps;
  for (const Json& lap : json.at("laps")) laps.push_back({lap.at(0), lap.at(1), lap.at(2)});
  statistics.watch.set_laps(std::move(laps));
  json.at("modeled").get_to(statistics.modeled);
  json.at("code").at(0).get_to(statistics.code.compiled);
  json.at("code").at(1).get_to(statistics.code.on_disk);
  json.at("code").at(2).get_to(statistics.code.in_memory);
  json.at("compile").get_to(statistics.compile_cpu_seconds);
  json.at("engine").get_to(statistics.engine_cpu_seconds);
  json.at("records").get_to(statistics.records);
  json.at("accesses").get_to(statistics.accesses);
}

std::string joined(const Json& head, const std::string& record) {
  const std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
  return fmt::format("{}\n", text.size()) + text + record;
}

Diagnostic damaged() {
  return {.message = "cannot parse the answer of the kernel's process", .code = "cell-ended"};
}

Result<Attempt> attempt_from(const Json& head, const std::string& record,
                             RunStatistics* statistics) {
  if (head.contains("fault")) return fault_from(head["fault"]);
  auto profile = from_record(record);
  if (!profile) return damaged();
  Attempt made{.profile = *std::move(profile)};
  made.profile.compile_seconds = head.at("compile_seconds");
  if (head.contains("trace")) made.trace = trace_from(head["trace"], made.profile);
  for (const Json& one : head.at("bad_accesses"))
    made.bad_accesses.push_back({fault_from(one.at(0)), one.at(1)});
  if (statistics != nullptr) read_statistics(head.at("statistics"), *statistics);
  return made;
}

}  // namespace

std::string pack(const Result<Attempt>& made, const RunStatistics* statistics) {
  if (!made) return joined({{"fault", json_of(made.error())}}, "");
  Json head = {{"compile_seconds", made->profile.compile_seconds}, {"bad_accesses", Json::array()}};
  if (made->trace) head["trace"] = json_of(*made->trace);
  for (const exec::BadAccess& one : made->bad_accesses)
    head["bad_accesses"].push_back({json_of(one.first), one.lanes});
  if (statistics != nullptr) head["statistics"] = json_of(*statistics);
  return joined(head, to_record(made->profile));
}

Result<Attempt> unpack(const std::string& text, RunStatistics* statistics) {
  const size_t line = text.find('\n');
  size_t size = 0;
  const char* const begin = text.data();
  const auto read = std::from_chars(begin, begin + std::min(line, text.size()), size);
  if (line == std::string::npos || read.ptr != begin + line || size > text.size() - line - 1)
    return damaged();
  // The library's conversions throw; nothing may throw across this room's interface.
  try {
    const Json head = Json::parse(begin + line + 1, begin + line + 1 + size);
    return attempt_from(head, text.substr(line + 1 + size), statistics);
  } catch (const Json::exception&) {
    return damaged();
  }
}

}  // namespace warpledger::profile
