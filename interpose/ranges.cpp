#include "interpose/ranges.h"

#include <fmt/core.h>

#include <algorithm>

#include "interpose/settings_file.h"

namespace warpledger::cuda {
namespace {

using profile::KernelPattern;

Diagnostic bad(const std::string& text) {
  return {.message = fmt::format("'{}' is not a range filter", text),
          .hint = "[yes|no]:[start/stop instances]:[NVTX instances], e.g. :2: or yes:2:[1-3]",
          .code = "bad-range-filter"};
}

/// An expression that a whole number matches; nothing for "".
Result<std::optional<KernelPattern>> instances(const std::string& text) {
  if (text.empty()) return std::optional<KernelPattern>();
  WL_TRY(KernelPattern made,
         KernelPattern::parse("regex:^(?:" + text + ")$", profile::NameBase::kMangled));
  return std::optional<KernelPattern>(std::move(made));
}

Result<std::vector<NvtxFilter>> filters_of(const std::vector<std::string>& texts) {
  std::vector<NvtxFilter> filters;
  for (const std::string& text : texts) {
    WL_TRY(NvtxFilter filter, NvtxFilter::parse(text));
    filters.push_back(std::move(filter));
  }
  return filters;
}

bool is_chosen(const std::optional<KernelPattern>& wanted, uint64_t number) {
  return !wanted || (number > 0 && wanted->matches(std::to_string(number)));
}

}  // namespace

Result<RangeFilter> parse_range_filter(const std::string& text) {
  RangeFilter filter;
  if (text.empty()) return filter;
  const size_t first = text.find(':'), second = text.find(':', first + 1);
  if (first == std::string::npos || second == std::string::npos) return bad(text);
  const std::string anew = text.substr(0, first);
  filter.counts_anew = anew == "yes" || anew == "on";
  if (!filter.counts_anew && !anew.empty() && anew != "no" && anew != "off") return bad(text);
  WL_TRY(filter.windows, instances(text.substr(first + 1, second - first - 1)));
  WL_TRY(filter.nvtx, instances(text.substr(second + 1)));
  return filter;
}

Result<RangeSelection> ranges_of(const SettingsFile& settings) {
  RangeSelection ranges{.from_start = settings.profile_from_start,
                        .heeds_profiler_calls = settings.heeds_profiler_calls};
  WL_TRY(ranges.include, filters_of(settings.nvtx_include));
  WL_TRY(ranges.exclude, filters_of(settings.nvtx_exclude));
  WL_TRY(ranges.instances, parse_range_filter(settings.range_filter));
  return ranges;
}

Ranges& Ranges::get() {
  static Ranges* ranges = [] {
    auto* made = new Ranges;  // ranges may end while the program does
    const Result<SettingsFile> file = read_settings_file();
    if (!file) return made;
    if (Result<RangeSelection> chosen = ranges_of(*file)) made->select(*std::move(chosen));
    return made;
  }();
  return *ranges;
}

void Ranges::select(RangeSelection selection) {
  const std::lock_guard lock(mutex_);
  selection_ = std::move(selection);
  if (window_ == 0) is_on_ = selection_.from_start;
}

void Ranges::start_profiler() {
  const std::lock_guard lock(mutex_);
  if (!selection_.heeds_profiler_calls) return;
  is_on_ = true;
  ++window_;
  if (!selection_.instances.counts_anew) return;
  instances_ = 0;
  for (auto& [id, thread] : threads_) thread.is_inside = false;
}

void Ranges::stop_profiler() {
  const std::lock_guard lock(mutex_);
  if (selection_.heeds_profiler_calls) is_on_ = false;
}

OpenDomains Ranges::open_in(const ThreadState& thread) const {
  OpenDomains open;
  for (const auto& [domain, names] : thread.pushed) open[domain].pushed = names;
  for (const auto& [id, range] : started_) open[range.domain].started.push_back(range.name);
  return open;
}

// Counted where ranges open and close: an instance without a launch counts too.
void Ranges::follow(ThreadState& thread) {
  if (selection_.include.empty()) return;
  const OpenDomains open = open_in(thread);
  const bool inside = std::ranges::any_of(selection_.include,
                                          [&](const NvtxFilter& one) { return one.matches(open); });
  if (inside && !thread.is_inside) thread.instance = ++instances_;
  thread.is_inside = inside;
}

int Ranges::push(const std::string& domain, const std::string& name) {
  const std::lock_guard lock(mutex_);
  ThreadState& thread = of_this_thread();
  std::vector<std::string>& stack = thread.pushed[domain];
  stack.push_back(name);
  follow(thread);
  return static_cast<int>(stack.size()) - 1;
}

int Ranges::pop(const std::string& domain) {
  const std::lock_guard lock(mutex_);
  ThreadState& thread = of_this_thread();
  std::vector<std::string>& stack = thread.pushed[domain];
  if (stack.empty()) return -1;
  stack.pop_back();
  follow(thread);
  return static_cast<int>(stack.size());
}

uint64_t Ranges::start(const std::string& domain, const std::string& name) {
  const std::lock_guard lock(mutex_);
  started_[next_] = {domain, name};
  follow(of_this_thread());
  return next_++;
}

void Ranges::end(uint64_t range) {
  const std::lock_guard lock(mutex_);
  started_.erase(range);
  follow(of_this_thread());
}

bool Ranges::wants_launch() {
  const std::lock_guard lock(mutex_);
  if (!is_on_ || !is_chosen(selection_.instances.windows, window_)) return false;
  if (selection_.include.empty() && selection_.exclude.empty()) return true;
  ThreadState& thread = of_this_thread();
  follow(thread);  // another thread may have started a range
  const OpenDomains open = open_in(thread);
  if (std::ranges::any_of(selection_.exclude,
                          [&](const NvtxFilter& one) { return one.matches(open); }))
    return false;
  return selection_.include.empty() ||
         (thread.is_inside && is_chosen(selection_.instances.nvtx, thread.instance));
}

}  // namespace warpledger::cuda
