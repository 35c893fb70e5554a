// `warpledger layout derive` and `layout fit`: maps from the compiler or from a hardware dump.
#include <fmt/core.h>

#include "cli/commands/layout.h"
#include "warpledger/base/file.h"
#include "warpledger/layout/derive/derive.h"
#include "warpledger/layout/derive/tracer.h"
#include "warpledger/layout/notation/notation.h"

namespace warpledger::cli {
namespace {

struct DeriveOptions {
  std::string fragment;
  std::vector<std::string> archs = {"sm_80"};
  bool all = false;
  bool emit = false;
  derive::Tools tools;
  OutputOptions output;
};

Result<std::vector<FragmentKey>> keys_of(const DeriveOptions& options, int arch) {
  if (options.all) return derive::derivable_keys(arch);
  WL_TRY(FragmentKey key, parse_fragment_name(options.fragment));
  key.arch = arch;
  return std::vector<FragmentKey>{key};
}

/// What was found, in words: the bases, or why there are none.
std::string found_text(const derive::Derived& derived) {
  if (derived.fit.map) return notation::print_bases(*derived.fit.map);
  const Space& from = derived.observed.from();
  return fmt::format("not linear: see {} and {}", point_text(from, derived.fit.witness->x),
                     point_text(from, derived.fit.witness->y));
}

Result<Report> derive_report(const DeriveOptions& options) {
  Table table{.columns = {{"fragment", "fragment"},
                          {"arch", "arch"},
                          {"catalog", "catalog"},
                          {"map read from the code", "map"}}};
  int64_t agreeing = 0;
  for (const std::string& word : options.archs) {
    WL_TRY(const int arch, parse_arch(word));
    WL_TRY(const std::vector<FragmentKey> keys, keys_of(options, arch));
    WL_TRY(const std::vector<derive::Derived> all,
           derive::derive_from_compiler(keys, options.tools));
    for (const derive::Derived& derived : all) {
      agreeing += derived.agrees ? 1 : 0;
      std::string name = name_of(derived.key);
      if (!derived.key.column_major) name += ".row";
      table.rows.push_back(
          {{Cell(name), Cell(fmt::format("sm_{}", arch)),
            Cell(derived.agrees ? "equal" : "DIFFERS"), Cell(found_text(derived))}});
    }
  }
  Report report{.command = "layout derive", .tables = {table}};
  report.verdict = {fmt::format("{} of {} maps read from the compiler's code equal the catalog.",
                                agreeing, table.rows.size())};
  return report;
}

void run_derive(const DeriveOptions& options, Session& session) {
  if (options.all == !options.fragment.empty()) {
    return fail(session, {.message = "name a fragment, or give --all", .code = "usage"});
  }
  if (options.emit) {
    const auto arch = parse_arch(options.archs[0]);
    if (!arch) return fail(session, arch.error());
    const auto keys = keys_of(options, *arch);
    if (!keys) return fail(session, keys.error());
    session.out << derive::tracer_ptx(*keys);
    return;
  }
  const auto report = derive_report(options);
  if (!report) return fail(session, report.error());
  print(session, options.output, {.report = *report});
}

/// The catalog's wmma and mma fragments with this very map.
std::vector<std::string> known_as(const LinearMap& map) {
  std::vector<std::string> names;
  for (const int arch : {70, 75, 80}) {
    for (const std::string& name : fragment_names(arch)) {
      const auto fragment = find_fragment(name, arch);
      if (fragment && fragment->map == map) names.push_back(fmt::format("{} (sm_{})", name, arch));
    }
  }
  return names;
}

Result<std::string> fit_text(const std::string& path) {
  WL_TRY(std::string text, read_file(path));
  WL_TRY(const Layout layout, derive::read_dump(Source(path, std::move(text))));
  const Fit found = fit(layout);
  if (!found.map) {
    return fmt::format("not linear over F2: {} -> {}, {} -> {}, and the two do not add up\n",
                       point_text(layout.from(), found.witness->x),
                       point_text(layout.to(), layout(found.witness->x)),
                       point_text(layout.from(), found.witness->y),
                       point_text(layout.to(), layout(found.witness->y)));
  }
  std::string answer =
      notation::print_bases(*found.map) + "\n" + notation::print_formula(*found.map);
  if (found.offset != 0) {
    answer += fmt::format("offset {}\n", point_text(layout.to(), layout(0)));
  }
  for (const std::string& name : known_as(*found.map)) answer += "equals " + name + "\n";
  return answer;
}

}  // namespace

void add_layout_derive(Command& layout, Session& session) {
  auto options = std::make_shared<DeriveOptions>();
  Command command =
      add_command(layout, "derive", "derive a wmma layout from the code that ptxas generates",
                  "  warpledger layout derive wmma.m16n16k16.C.f32 --arch sm_90\n"
                  "  warpledger layout derive --all --arch sm_75 --arch sm_80 --arch sm_120");
  command->add_option("fragment", options->fragment, "a wmma fragment");
  command->add_option("--arch", options->archs, "architectures")->capture_default_str();
  command->add_flag("--all", options->all, "every wmma load of the architectures");
  command->add_flag("--emit-ptx", options->emit, "print the tracer instead of assembling it");
  command->add_option("--ptxas", options->tools.ptxas, "which ptxas (sm_70 needs one of CUDA 12)");
  command->add_option("--nvdisasm", options->tools.nvdisasm, "which nvdisasm");
  add_output_options(*command, options->output);
  command->callback([options, &session] { run_derive(*options, session); });
}

void add_layout_fit(Command& layout, Session& session) {
  auto path = std::make_shared<std::string>();
  Command command =
      add_command(layout, "fit", "fit a layout to a dump from hardware (kernels/tracer.cu)",
                  "  ./tracer > dump.txt && warpledger layout fit dump.txt");
  command->add_option("file", *path, "lines 'lane element row col'; - is standard input")
      ->required();
  command->callback([path, &session] {
    const auto text = fit_text(*path);
    if (!text) return fail(session, text.error());
    session.out << *text;
  });
}

}  // namespace warpledger::cli
