// A random kernel and launch from end to end: engine, memory and time models, every page. It ends
// with a profile or a diagnosis; the profile is the same on two threads, reads back as it was
// written, and no number of it is negative or infinite.
#include <algorithm>
#include <cmath>

#include "fuzz/random_module.h"
#include "warpledger/profile/advice/summary.h"
#include "warpledger/profile/file/report_file.h"
#include "warpledger/profile/metrics/page.h"
#include "warpledger/profile/metrics/source_page.h"
#include "warpledger/profile/run/run.h"
#include "warpledger/render/html.h"
#include "warpledger/render/table.h"
#include "warpledger/report/report.h"

namespace {

using namespace warpledger;
using fuzz::fail;

profile::Request any_request(fuzz::Choices& choices, const ptx::Module& module) {
  static const std::vector<Gpu> gpus = all_gpus();
  profile::Request request{.module = module, .file = "fuzz.ptx", .kernel = "k"};
  request.gpu = gpus[choices.below(static_cast<uint32_t>(gpus.size()))];
  request.gpu_request = request.gpu.id;
  request.grid = {1 + choices.below(40), 1 + choices.below(2), 1};
  request.block = {1 + choices.below(100), 1 + choices.below(2), 1};
  request.dynamic_shared_bytes = choices.below(3) * 1000;
  request.arguments = {*exec::parse_argument("buffer=u8[1024]:random", 1)};
  request.registers = 1 + choices.below(255);
  if (choices.below(4) == 0) request.carveout_kib = choices.below(255);
  if (choices.below(4) == 0) request.cache = CachePreference::kShared;
  request.policy.schedule.seed = choices.below(4);
  request.policy.flush_caches = choices.below(4) != 0;
  request.sass = false;
  request.orders = choices.below(4) == 0 ? 3 : 1;
  request.engine.engine = exec::EngineChoice::kReference;
  request.engine.limits.warp_instructions = 4'000;
  return request;
}

void check_numbers(const profile::Profile& made, const std::string& text) {
  for (const std::string& name : profile::standard_metrics()) {
    const std::optional<double> number = profile::answer(name, made).value.number();
    if (number && (!std::isfinite(*number) || *number < 0))
      fail(fmt::format("{} is {}", name, *number), text);
  }
}

/// Everything that can be shown of it.
void show(const profile::Profile& made) {
  using profile::Units;
  static_cast<void>(profile::headline(made));
  static_cast<void>(to_text(profile::journey(made)) + to_text(profile::busiest_units(made)));
  static_cast<void>(profile::to_text(profile::find(made)));
  for (const profile::Section& section : profile::sections())
    static_cast<void>(to_text(profile::table_of(section, made, Units::kAuto)));
  for (const profile::MemoryTable& table : profile::memory_tables())
    static_cast<void>(to_text(profile::table_of(table, made, Units::kAuto)));
  static_cast<void>(profile::raw_csv({made}, profile::standard_metrics(), Units::kBase));
  static_cast<void>(to_text(profile::line_table(made, {})));
  static_cast<void>(to_text(profile::instruction_table(made)));
  static_cast<void>(to_html(report::document_of({made}, {})));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const size_t split = std::min<size_t>(size, 16);
  fuzz::Choices launch(data, split), code(data + split, size - split);
  const std::string text = fuzz::module_of(code, {.clock = false, .most_text = 1'100});
  const ptx::Module module = fuzz::parsed(text);
  profile::Request request = any_request(launch, module);
  const auto made = profile::run(request);
  request.threads = 2;
  const auto again = profile::run(request);
  if (made.ok() != again.ok()) fail("ends otherwise on two threads", text);
  if (!made) return static_cast<void>(to_text(made.error())), 0;
  const std::string written = profile::to_report({*made});
  if (profile::to_report({*again}) != written) fail("differs on two threads", text);
  const auto read = profile::read_report(Source("report", written));
  if (!read) fail(to_text(read.error()), text);
  if (profile::to_report(*read) != written) fail("reads back otherwise", text);
  check_numbers(*made, text);
  show(*made);
  return 0;
}
