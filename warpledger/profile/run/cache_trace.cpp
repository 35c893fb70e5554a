#include "warpledger/profile/run/cache_trace.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <set>

#include "warpledger/base/units.h"

namespace warpledger::profile {
namespace {

using memory::Action;
using memory::Look;

Diagnostic bad_trace(const std::string& text, const std::string& why) {
  return {.message = fmt::format("--trace-cache '{}': {}", text, why),
          .hint = "line=FILE:NUMBER[,sm=NUMBER][,first=NUMBER], as in line=matmul.cu:11,sm=3",
          .code = "usage"};
}

template <class Number>
bool read_number(std::string_view text, Number& number) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

bool read_line(std::string_view text, SourceLine& line) {
  const size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return false;
  line.file = text.substr(0, colon);
  return read_number(text.substr(colon + 1), line.line) && line.line > 0;
}

bool read_part(std::string_view key, std::string_view value, CacheTraceRequest& request) {
  if (key == "line") return read_line(value, request.line);
  if (key == "sm") return read_number(value, request.sm);
  return key == "first" && read_number(value, request.first);
}

/// "matmul.cu" names "/src/matmul.cu" too.
bool is_file(const std::string& asked, const std::string& file) {
  return file == asked || file.ends_with("/" + asked);
}

bool is_at(const SourceLine& asked, const CodeLine& code, const std::string& ptx_file) {
  const auto same = [&](const SourceLine& line) {
    return line.line == asked.line && is_file(asked.file, line.file);
  };
  if (same(code.source) || same(code.inner)) return true;
  return code.ptx_line == asked.line && is_file(asked.file, ptx_file);
}

/// "A+0x1200": of a line, in the array that it begins in or that begins in it.
std::string place_of(uint64_t address, const std::vector<NamedRange>& ranges) {
  for (const NamedRange& range : ranges) {
    if (address + kLineBytes <= range.address || address >= range.address + range.bytes) continue;
    const uint64_t offset = address > range.address ? address - range.address : 0;
    return fmt::format("{}+{:#x}", range.name, offset);
  }
  return fmt::format("{:#x}", address);
}

std::string victim_of(const Look& look, const std::vector<NamedRange>& ranges) {
  if (look.victim == memory::TagSet::kNoLine) return "";
  if (look.victim >= memory::kLocalHalf) return "local memory";
  return place_of(uint64_t{look.victim} * kLineBytes, ranges);
}

}  // namespace

Result<CacheTraceRequest> parse_cache_trace(const std::string& text) {
  CacheTraceRequest request;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(','), rest.size());
    const std::string_view part = rest.substr(0, end);
    const size_t equals = std::min(part.find('='), part.size());
    const std::string_view value = part.substr(std::min(equals + 1, part.size()));
    if (!read_part(part.substr(0, equals), value, request))
      return bad_trace(text, fmt::format("cannot parse '{}'", part));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  if (request.line.line == 0) return bad_trace(text, "no line given");
  return request;
}

Result<std::vector<bool>> sites_at(const SourceLine& line, const std::string& ptx_file,
                                   const std::vector<CodeLine>& code, const trace::Sites& sites) {
  std::vector<bool> wanted(sites.size());
  std::set<std::string> others;
  for (size_t i = 0; i < sites.size(); ++i) {
    if (!is_far(sites[i]) || sites[i].instruction >= code.size()) continue;
    const CodeLine& here = code[sites[i].instruction];
    wanted[i] = is_at(line, here, ptx_file);
    const std::string ptx = std::filesystem::path(ptx_file).filename().string();
    others.insert(here.source.line ? to_text(here.source)
                                   : to_text(SourceLine{ptx, here.ptx_line}));
  }
  if (std::find(wanted.begin(), wanted.end(), true) != wanted.end()) return wanted;
  return Diagnostic{
      .message = fmt::format("'{}' has no access to global or local memory, texture or surface",
                             to_text(line)),
      .hint =
          others.empty() ? "the kernel has none" : fmt::format("{} have", fmt::join(others, ", ")),
      .code = "no-such-line"};
}

Result<memory::CacheTracer> make_tracer(const CacheTraceRequest& request, const Gpu& gpu,
                                        const std::string& ptx_file,
                                        const std::vector<CodeLine>& code,
                                        const trace::Sites& sites) {
  if (request.sm >= static_cast<uint64_t>(gpu.sms.value)) {
    return Diagnostic{.message = fmt::format("there is no SM {}", request.sm),
                      .hint = fmt::format("'{}' has SMs 0 to {}", gpu.id, gpu.sms.value - 1),
                      .code = "usage"};
  }
  WL_TRY(std::vector<bool> wanted, sites_at(request.line, ptx_file, code, sites));
  return memory::CacheTracer(request.sm, std::move(wanted), request.first);
}

CacheTrace describe_trace(const CacheTraceRequest& request, memory::CacheTracer& tracer,
                          const std::vector<NamedRange>& ranges) {
  CacheTrace trace{.request = request, .seen = tracer.seen(), .ctas = tracer.ctas()};
  for (memory::CacheAccess& access : tracer.take()) {
    TracedAccess traced{.place = access.line >= memory::kLocalHalf
                                     ? fmt::format("local+{:#x}", access.address)
                                     : place_of(access.address, ranges)};
    if (!access.passes_l1) traced.l1_victim = victim_of(access.l1, ranges);
    if (!access.l2.empty()) traced.l2_victim = victim_of(access.l2.front(), ranges);
    traced.access = std::move(access);
    trace.accesses.push_back(std::move(traced));
  }
  return trace;
}

}  // namespace warpledger::profile
