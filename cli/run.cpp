// `warpledger run`: one launch, compiled or interpreted, and what it did.
#include <fmt/format.h>

#include <filesystem>

#include "cli/commands.h"
#include "cli/output.h"
#include "warpledger/base/file.h"
#include "warpledger/exec/engine.h"
#include "warpledger/exec/expression.h"
#include "warpledger/exec/report.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/toolchain.h"
#include "warpledger/trace/sinks.h"

namespace warpledger::cli {
namespace {

using exec::Argument;

struct RunOptions {
  std::string file, kernel, arch = "sm_80";
  std::vector<uint32_t> grid, block;
  uint32_t shared = 0, resident = 64;
  uint64_t limit = 0;
  std::vector<std::string> arguments, dumps, checks, flags;
  double tolerance = 1e-5;
  bool trace = false;
  exec::EngineChoice engine = exec::EngineChoice::kAuto;
  OutputOptions output;
};

exec::Extent extent(const std::vector<uint32_t>& values) {
  exec::Extent result = {1, 1, 1};
  for (size_t i = 0; i < values.size() && i < 3; ++i) result[i] = values[i];
  return result;
}

// nvcc turns CUDA into PTX, with line numbers; PTX is read as it is.
Result<std::string> ptx_of(const RunOptions& options) {
  if (!options.file.ends_with(".cu")) return read_file(options.file);
  WL_TRY(const std::string nvcc, find_tool("nvcc"));
  WL_TRY(const TemporaryFolder folder, TemporaryFolder::create());
  const std::string out = folder.file("kernel.ptx");
  std::vector<std::string> command{nvcc, "-ptx", "-lineinfo", "-arch=" + options.arch,
                                   "-o", out,    options.file};
  command.insert(command.end(), options.flags.begin(), options.flags.end());
  WL_TRY(const ProcessOutput done, run_tool(command));
  return read_file(out);
}

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

Status dump(const std::string& what, const std::vector<Argument>& arguments,
            const exec::DeviceMemory& memory) {
  const auto [name, path] = split(what);
  WL_TRY(const Argument* argument, find_argument(arguments, name));
  const std::byte* bytes = memory.find(argument->address, argument->bytes.size());
  const std::string raw(reinterpret_cast<const char*>(bytes), argument->bytes.size());
  return write_file(path, path.ends_with(".npy") ? exec::to_npy(*argument, bytes) : raw);
}

Result<exec::Comparison> check(const std::string& what, double tolerance,
                               const std::vector<Argument>& arguments,
                               const exec::DeviceMemory& memory) {
  const auto [name, expected] = split(what);
  WL_TRY(const Argument* argument, find_argument(arguments, name));
  const std::byte* bytes = memory.find(argument->address, argument->bytes.size());
  const auto actual = [&](uint64_t i) { return exec::element_value(argument->type, bytes, i); };
  if (std::filesystem::exists(expected)) {
    WL_TRY(std::string file, read_file(expected));
    file = exec::without_npy_header(std::move(file));
    if (file.size() != argument->bytes.size()) {
      return Diagnostic{.message = fmt::format("'{}' holds {} bytes, '{}' has {}", expected,
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

Status check_all(Session& session, const RunOptions& options,
                 const std::vector<Argument>& arguments, const exec::DeviceMemory& memory,
                 Answer& answer) {
  for (const std::string& what : options.checks) {
    WL_TRY(const exec::Comparison result, check(what, options.tolerance, arguments, memory));
    answer.report.verdict.push_back(exec::to_text(what, result));
    if (result.different != 0) session.exit_code = kGateFailed;
  }
  return {};
}

Status run_kernel(Session& session, const RunOptions& options) {
  WL_TRY(std::string text, ptx_of(options));
  const std::string name = options.file + (options.file.ends_with(".cu") ? ".ptx" : "");
  WL_TRY(const ptx::Module module, ptx::parse(name, std::move(text)));
  exec::DeviceMemory memory;
  WL_TRY(exec::Image image, exec::Image::load(module, memory));
  WL_TRY(const ptx::Function* kernel, exec::find_kernel(module, options.kernel));
  std::vector<Argument> arguments;
  for (const std::string& argument : options.arguments) {
    WL_TRY(Argument parsed, exec::parse_argument(argument, static_cast<int>(arguments.size()) + 1));
    arguments.push_back(std::move(parsed));
  }
  exec::Launch launch{.kernel = std::string(kernel->name),
                      .grid = extent(options.grid),
                      .block = extent(options.block),
                      .dynamic_shared_bytes = options.shared};
  WL_TRY(launch.params, exec::pass_arguments(module, *kernel, arguments, memory));
  trace::DumpSink dump_sink;
  trace::NoSink no_sink;
  trace::Sink& sink = options.trace ? static_cast<trace::Sink&>(dump_sink) : no_sink;
  WL_TRY(const exec::LaunchOutcome done,
         exec::run_launch(image, launch, sink,
                          {.engine = options.engine,
                           .record = options.trace,
                           .limits = {.warp_instructions = options.limit},
                           .code_folder = exec::default_code_folder()},
                          options.resident));
  // What the kernel prints must not stand inside a JSON or CSV answer.
  std::ostream& printed =
      options.output.json || options.output.format != "text" ? session.err : session.out;
  printed << done.output << dump_sink.text();
  if (!done.why_not.empty()) session.err << "note: interpreted: " << done.why_not << "\n";
  if (done.fault) return *done.fault;
  for (const std::string& what : options.dumps) WL_TRY_STATUS(dump(what, arguments, memory));
  Answer answer;
  answer.report = {.command = "run",
                   .verdict = {exec::headline(launch, done.statistics),
                               done.compiled ? "compiled to native code" : "interpreted"},
                   .tables = exec::summarise(done.statistics)};
  WL_TRY_STATUS(check_all(session, options, arguments, memory, answer));
  print(session, options.output, answer);
  return {};
}

}  // namespace

void add_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunOptions>();
  CLI::App* command = add_command(app, "run", "run one launch of a kernel on this machine",
                                  "  warpledger run saxpy.cu --kernel saxpy --grid 4 --block 256 "
                                  "--arg f32:2 --arg x=f32[1000]:random \\\n"
                                  "      --arg y=f32[1000]:one --arg i32:1000 --check 'y=2*x+y'\n"
                                  "  warpledger run kernel.ptx --kernel k --grid 8,8 --block 16,16 "
                                  "--arg f32[128x128]:index --dump arg1=out.npy");
  command->add_option("file", options->file, "a .ptx or .cu file")->required();
  command->add_option("--kernel,-k", options->kernel, "its name, or a part that only one has")
      ->required();
  command->add_option("--grid", options->grid, "blocks: x[,y[,z]]")->delimiter(',')->required();
  command->add_option("--block", options->block, "threads of a block: x[,y[,z]]")
      ->delimiter(',')
      ->required();
  command->add_option("--smem", options->shared, "bytes of dynamic shared memory");
  command->add_option("--arg", options->arguments,
                      "the next argument: i32:4096, f32[1024]:random, x=f32[64]:index");
  command->add_option("--dump", options->dumps,
                      "write a buffer afterwards: arg1=out.npy, or raw bytes");
  command->add_option("--check", options->checks, "compare a buffer: arg1=FILE, or y='2*x+y'");
  command->add_option("--tolerance", options->tolerance,
                      "how far a checked element may be off, relative above 1");
  command->add_option("--arch", options->arch, "what nvcc compiles a .cu file for");
  command->add_option("--nvcc", options->flags, "a further option for nvcc");
  command->add_option("--limit", options->limit,
                      "warp instructions after which a kernel is stopped; 0: 200,000,000 when "
                      "interpreted, 1,000 times that when compiled");
  command->add_option("--resident", options->resident, "blocks that run at the same time");
  const std::map<std::string, exec::EngineChoice> engines = {
      {"auto", exec::EngineChoice::kAuto},
      {"jit", exec::EngineChoice::kJit},
      {"reference", exec::EngineChoice::kReference}};
  command
      ->add_option("--engine", options->engine,
                   "auto: compiled where that works, else interpreted; jit: compiled or not at "
                   "all; reference: interpreted")
      ->transform(CLI::CheckedTransformer(engines, CLI::ignore_case))
      ->option_text("auto|jit|reference");
  command->add_flag("--trace", options->trace, "print every access of every warp");
  add_output_options(*command, options->output);
  command->callback([options, &session] {
    if (const Status status = run_kernel(session, *options); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
