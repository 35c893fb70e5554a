// `warpledger run`: one launch, compiled or interpreted, and what it did.
#include <fmt/core.h>

#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/commands/run_isolated.h"
#include "cli/options/kernel_options.h"
#include "cli/terminal/output.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/decode/bad_accesses.h"
#include "warpledger/exec/run/deferred.h"
#include "warpledger/exec/run/engine.h"
#include "warpledger/launch/expression.h"
#include "warpledger/launch/report.h"
#include "warpledger/profile/run/describe.h"
#include "warpledger/profile/run/loaded.h"
#include "warpledger/profile/run/races.h"
#include "warpledger/ptx/module.h"
#include "warpledger/race/watch.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::cli {
namespace {

using exec::Argument;

struct RunOptions {
  KernelOptions kernel;
  uint32_t resident = 64;
  std::vector<std::string> dumps, checks;
  double tolerance = 1e-5;
  bool trace = false, check_races = false, continue_on_error = false, no_isolation = false;
  OutputOptions output;
};

Result<const Argument*> find_argument(const std::vector<Argument>& arguments,
                                      const std::string& name) {
  std::vector<std::string> names;
  for (const Argument& argument : arguments) {
    if (argument.name == name && argument.count) return &argument;
    if (argument.count) names.push_back(argument.name);
  }
  return Diagnostic{.message = fmt::format("there is no buffer argument '{}'", name),
                    .hint = did_you_mean(name, names),
                    .code = "unknown-argument"};
}

// "name=rest".
std::pair<std::string, std::string> split(const std::string& text) {
  const size_t at = text.find('=');
  return at == std::string::npos ? std::pair{text, std::string()}
                                 : std::pair{text.substr(0, at), text.substr(at + 1)};
}

Result<OutputFile> dump(const std::string& what, const std::vector<Argument>& arguments,
                        const exec::DeviceMemory& memory) {
  const auto [name, path] = split(what);
  WL_TRY(const Argument* argument, find_argument(arguments, name));
  const std::byte* bytes = memory.find(argument->address, argument->bytes.size());
  const std::string raw(reinterpret_cast<const char*>(bytes), argument->bytes.size());
  return OutputFile{path, path.ends_with(".npy") ? exec::to_npy(*argument, bytes) : raw};
}

/// A --check, and the bytes to compare with where it names a file.
struct Expectation {
  std::string what;
  std::optional<std::string> file = {};
};

/// Read before the kernel runs, which may then not read anything.
Result<std::vector<Expectation>> read_expectations(const RunOptions& options) {
  std::vector<Expectation> all;
  for (const std::string& what : options.checks) {
    Expectation& one = all.emplace_back(Expectation{what});
    const std::string expected = split(what).second;
    if (!std::filesystem::exists(expected)) continue;
    WL_TRY(std::string bytes, read_file(expected));
    one.file = exec::without_npy_header(std::move(bytes));
  }
  return all;
}

Result<exec::Comparison> check(const Expectation& expectation, double tolerance,
                               const std::vector<Argument>& arguments,
                               const exec::DeviceMemory& memory) {
  const auto [name, expected] = split(expectation.what);
  WL_TRY(const Argument* argument, find_argument(arguments, name));
  const std::byte* bytes = memory.find(argument->address, argument->bytes.size());
  const auto actual = [&](uint64_t i) { return exec::element_value(argument->type, bytes, i); };
  if (expectation.file) {
    const std::string& file = *expectation.file;
    if (file.size() != argument->bytes.size()) {
      return Diagnostic{.message = fmt::format("'{}' has {} bytes, '{}' has {}", expected,
                                               file.size(), name, argument->bytes.size()),
                        .code = "bad-check"};
    }
    const auto* wanted = reinterpret_cast<const std::byte*>(file.data());
    return exec::compare_elements(
        argument->elements(), tolerance,
        [&](uint64_t i) { return exec::element_value(argument->type, wanted, i); }, actual);
  }
  WL_TRY(const exec::Expression expression, exec::Expression::parse(expected, arguments));
  return exec::compare_elements(argument->elements(), tolerance, expression, actual);
}

Status check_all(Session& session, const std::vector<Expectation>& expectations, double tolerance,
                 const std::vector<Argument>& arguments, const exec::DeviceMemory& memory,
                 Answer& answer) {
  for (const Expectation& one : expectations) {
    WL_TRY(const exec::Comparison result, check(one, tolerance, arguments, memory));
    answer.report.verdict.push_back(exec::to_text(one.what, result));
    if (result.different != 0) session.exit_code = kGateFailed;
  }
  return {};
}

bool looks_at_values(const RunOptions& options) {
  return !options.dumps.empty() || !options.checks.empty();
}

exec::Values chosen_values(const RunOptions& options) {
  if (options.kernel.values != exec::Values::kAuto) return options.kernel.values;
  return looks_at_values(options) ? exec::Values::kOn : exec::Values::kOff;
}

std::string how_it_ran(const exec::LaunchOutcome& outcome) {
  return std::string(outcome.compiled ? "compiled to native code" : "interpreted") +
         (outcome.had_values ? "" : ", addresses only");
}

exec::Launch launch_of(const KernelOptions& options, const ptx::Function& kernel) {
  return {.kernel = std::string(kernel.name),
          .grid = extent_of(options.grid),
          .block = extent_of(options.block),
          .cluster = cluster_of(options),
          .dynamic_shared_bytes = options.shared};
}

/// Races of the launch, where they are asked for.
class RaceWatch {
 public:
  RaceWatch(bool wanted, const exec::Image& image, const ptx::Function& kernel,
            const exec::Launch& launch)
      : wanted_(wanted), image_(image), kernel_(kernel), launch_(launch) {}

  std::function<trace::Producer&(exec::Engine&)> between() {
    if (!wanted_) return nullptr;
    return [this](exec::Engine& engine) -> trace::Producer& {
      watch_.emplace(engine, race::Options{.shared = check_.unchecked.empty(), .global = true});
      sites_ = *engine.launch().sites;
      trace_ = engine.launch();
      return *watch_;
    };
  }
  Status prepare() {
    WL_TRY(layout_, exec::lay_out(image_.module(), kernel_));
    if (!wanted_) return {};
    check_.global = true;
    check_.unchecked =
        profile::why_unchecked(image_.module(), layout_, exec::cluster_of(kernel_, launch_));
    check_.shared = check_.unchecked.empty();
    return {};
  }
  /// After the launch, whose engine is gone.
  void show(Answer& answer) {
    if (!wanted_) return;
    const race::Report report = watch_->report();
    const auto code =
        profile::code_of(image_.module(), profile::functions_of(image_.module(), layout_), {});
    trace_.sites = &sites_;
    check_.blocks = report.blocks;
    check_.left_alone = report.left_alone;
    check_.found = profile::describe_races(
        report,
        {image_.module(), layout_, trace_, profile::ranges_of(image_.memory(), nullptr), code});
    if (check_.found.empty()) answer.report.verdict.push_back(profile::to_text(check_));
    if (!check_.found.empty()) answer.report.tables.push_back(profile::table_of(check_));
  }

 private:
  bool wanted_;
  const exec::Image& image_;
  const ptx::Function& kernel_;
  const exec::Launch& launch_;
  exec::KernelLayout layout_;
  std::optional<race::Watch> watch_;
  trace::Sites sites_;
  trace::Launch trace_;
  profile::RaceCheck check_;
};

/// Output of the kernel must not be mixed into JSON or CSV output.
std::ostream& printed_to(Session& session, const OutputOptions& output) {
  return output.json || output.format != "text" ? session.err : session.out;
}

/// Called when an engine is ready, before the kernel runs: locks the cell. A second engine, for the
/// values that a run without them needs after all, has no compiler there: the launch begins again.
std::function<trace::Producer&(exec::Engine&)> lock_before(Work& work, RaceWatch& races,
                                                           const RunOptions& options) {
  return [&work, between = races.between(), &options](exec::Engine& engine) -> trace::Producer& {
    const bool is_second = work.inside != nullptr && work.inside->is_locked();
    if (is_second && chosen_values(options) != exec::Values::kOn) begin_again(work);
    lock_or_end(work);
    return between ? between(engine) : engine;
  };
}

/// Runs it, and prints what it said on the way. `deferred`: the values that nothing needed yet.
Result<exec::LaunchOutcome> run_and_print(Work& work, const RunOptions& options, exec::Image& image,
                                          const exec::Launch& launch, exec::Deferred& deferred,
                                          RaceWatch& races) {
  trace::DumpSink dump_sink;
  trace::NoSink no_sink;
  trace::Sink& sink = options.trace ? static_cast<trace::Sink&>(dump_sink) : no_sink;
  exec::BadAccesses bad;
  Session& session = work.session;
  WL_TRY(exec::LaunchOutcome done,
         exec::run_launch(image, launch, sink,
                          {.engine = options.kernel.engine,
                           .record = options.trace || options.check_races,
                           .values = chosen_values(options),
                           .deferred = &deferred,
                           .between = lock_before(work, races, options),
                           .limits = {.warp_instructions = options.kernel.limit,
                                      .bad_accesses = options.continue_on_error ? &bad : nullptr},
                           .code_folder = exec::default_code_folder()},
                          options.resident));
  printed_to(session, options.output) << done.output << dump_sink.text();
  for (const exec::BadAccess& one : bad.take()) session.err << to_text(exec::describe(one));
  if (!done.why_not.empty()) session.err << "note: interpreted: " << done.why_not << "\n";
  if (done.fault) return *done.fault;
  return done;
}

Status run_module(Work& work, const RunOptions& options, const ptx::Module& module,
                  const std::vector<Expectation>& expectations) {
  exec::DeviceMemory memory;
  WL_TRY(exec::Image image, exec::Image::load(module, memory));
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(module, options.kernel.kernel));
  WL_TRY(std::vector<Argument> arguments, parse_arguments(options.kernel));
  exec::Launch launch = launch_of(options.kernel, *kernel);
  WL_TRY(launch.params, exec::pass_arguments(module, *kernel, arguments, memory));
  exec::Deferred deferred;
  RaceWatch races(options.check_races, image, *kernel, launch);
  WL_TRY_STATUS(races.prepare());
  WL_TRY(const exec::LaunchOutcome done,
         run_and_print(work, options, image, launch, deferred, races));
  if (looks_at_values(options)) WL_TRY_STATUS(deferred.compute());
  for (const std::string& what : options.dumps) {
    WL_TRY(work.files.emplace_back(), dump(what, arguments, memory));
  }
  Answer answer;
  answer.report = {.command = "run",
                   .verdict = {exec::headline(launch, done.statistics), how_it_ran(done)},
                   .tables = exec::summarize(done.statistics)};
  races.show(answer);
  WL_TRY_STATUS(
      check_all(work.session, expectations, options.tolerance, arguments, memory, answer));
  for (const std::string& path : options.output.exports) {
    WL_TRY(std::string bytes, exported(answer, path));
    work.files.push_back({path, std::move(bytes)});
  }
  work.session.out << shown(options.output, answer);
  return {};
}

/// The files that the command line names.
std::vector<std::string> named_files(const RunOptions& options) {
  std::vector<std::string> paths = options.output.exports;
  for (const std::string& what : options.dumps) paths.push_back(split(what).second);
  return paths;
}

Status run_kernel(Session& session, const RunOptions& options) {
  WL_TRY(const ptx::Module module, profile::load_module(options.kernel.file));
  WL_TRY(const std::vector<Expectation> expectations, read_expectations(options));
  const auto run_with = [&](const RunOptions& chosen) {
    return run_isolated(session, !options.no_isolation, named_files(options), [&](Work& work) {
      const Status done = run_module(work, chosen, module, expectations);
      if (!done) fail(work.session, done.error());
    });
  };
  if (run_with(options)) return {};
  RunOptions with_values = options;
  with_values.kernel.values = exec::Values::kOn;
  static_cast<void>(run_with(with_values));
  return {};
}

}  // namespace

void add_run(Command& app, Session& session) {
  auto options = std::make_shared<RunOptions>();
  Command command = add_command(app, "run", "run one launch of a kernel on this machine",
                                "  warpledger run saxpy.cu --kernel saxpy --grid 4 --block 256 "
                                "--arg f32:2 --arg x=f32[1000]:random \\\n"
                                "      --arg y=f32[1000]:one --arg i32:1000 --check 'y=2*x+y'\n"
                                "  warpledger run kernel.ptx --kernel k --grid 8,8 --block 16,16 "
                                "--arg f32[128x128]:index --dump arg1=out.npy");
  options->kernel.file.arch = "sm_80";
  options->kernel.values = exec::Values::kOn;
  add_kernel_options(*command, options->kernel);
  command->add_option("--dump", options->dumps,
                      "write a buffer afterwards: arg1=out.npy, or raw bytes");
  command->add_option("--check", options->checks, "compare a buffer: arg1=FILE, or y='2*x+y'");
  command->add_option("--tolerance", options->tolerance,
                      "tolerance of a checked element (absolute up to 1, relative above)");
  command->add_option("--resident", options->resident,
                      "number of blocks that run at the same time");
  add_values_option(
      *command, options->kernel,
      "off: compute what addresses and control flow depend on and nothing else, same "
      "counts and trace; auto: off unless --dump or --check ask for values; on (default)");
  command->add_flag("--trace", options->trace, "print every access of every warp");
  command->add_flag("--racecheck", options->check_races,
                    "look for races in shared and global memory");
  add_on_error_option(*command, options->continue_on_error);
  command->add_flag("--no-isolation", options->no_isolation,
                    "run the kernel with your rights instead of in a sandbox");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status status = run_kernel(session, *options); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
