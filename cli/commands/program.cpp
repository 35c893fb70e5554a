#include "cli/commands/program.h"

#include <fmt/core.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <map>

#include "cli/commands/program_trace.h"
#include "cli/terminal/child.h"
#include "interpose/program.h"
#include "interpose/report.h"
#include "interpose/settings.h"
#include "interpose/settings_file.h"
#include "warpledger/base/file.h"
#include "warpledger/cell/confine.h"
#include "warpledger/exec/run/machine_code.h"
#include "warpledger/gpu/gpu.h"
#include "warpledger/store/key.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::cli {
namespace {

namespace fs = std::filesystem;
using Environment = std::map<std::string, std::string>;

bool is_executable(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored) && access(path.c_str(), X_OK) == 0;
}

/// As a shell finds it; empty when it does not.
std::string find_executable(const std::string& name) {
  if (name.find('/') != std::string::npos) return is_executable(name) ? name : "";
  const char* path = std::getenv("PATH");
  std::string_view rest = path == nullptr ? "" : path;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find(':'), rest.size());
    const fs::path place = fs::path(rest.substr(0, end)) / name;
    if (is_executable(place)) return place.string();
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return {};
}

Diagnostic no_program(const std::string& name) {
  std::error_code ignored;
  const char* why = fs::exists(name, ignored)             ? "the file is not executable"
                    : name.find('/') == std::string::npos ? "no such file, and none in PATH"
                                                          : "no such file";
  return {.message = fmt::format("cannot run '{}': {}", name, why), .code = "bad-program"};
}

bool takes_value(const Command& command, const std::string& word) {
  if (word.size() < 2 || word[0] != '-' || word.find('=') != std::string::npos) return false;
  return command.takes_value(word);
}

bool is_kernel_file(const std::string& name) {
  return name.ends_with(".cu") || name.ends_with(".ptx") || name.ends_with(".cubin") ||
         name.ends_with(".json") || name.ends_with(".wlrep") || name.ends_with(".ncu-rep");
}

/// The folder of the doors: where the build puts them, or where they are installed.
Result<fs::path> door_folder() {
  std::error_code ignored;
  const fs::path self = own_file().parent_path();
  for (const fs::path& place : {self / "../lib/warpledger", self / "warpledger", self}) {
    if (fs::exists(place / "libcudart.so.13", ignored)) return fs::canonical(place, ignored);
  }
  return Diagnostic{
      .message = "this build cannot profile programs (built without the CUDA headers)",
      .hint = "install the CUDA headers (tools/install-deps does) and rebuild",
      .code = "no-doors"};
}

/// Triton asks for ptxas by these names; ours keeps the PTX beside the machine code. Its cache
/// holds what was compiled without.
void prepare_triton(const fs::path& folder, Environment& variables) {
  const std::string wrapper = (folder / "warpledger-ptxas").string();
  variables["TRITON_PTXAS_PATH"] = wrapper;
  variables["TRITON_PTXAS_BLACKWELL_PATH"] = wrapper;
  variables["TRITON_LIBCUDA_PATH"] = folder.string();
  const char* cache = std::getenv("XDG_CACHE_HOME");
  const char* home = std::getenv("HOME");
  const std::string base = cache != nullptr  ? cache
                           : home != nullptr ? std::string(home) + "/.cache"
                                             : "/tmp";
  variables.emplace("TRITON_CACHE_DIR", base + "/warpledger/triton");
  variables["TRITON_CUPTI_LIB_PATH"] = folder.string();
  variables["TRITON_CUPTI_LIB_BLACKWELL_PATH"] = folder.string();
  variables["CUPY_COMPILE_WITH_PTX"] = "1";
}

constexpr const char* kRuntime12 = "libcudart.so.12";

/// Preloaded, so that programs find them instead of the libraries that they replace.
std::string preloaded(const fs::path& folder, bool is_cuda_12) {
  std::string all = (folder / (is_cuda_12 ? kRuntime12 : "libcudart.so.13")).string();
  for (const char* library :
       {"libcuda.so.1", "libcupti.so.13", "libnvrtc.so.13", "libnvJitLink.so.13"})
    all += ":" + (folder / library).string();
  return all;
}

Status check_runtime(const fs::path& folder, const std::string& runtime) {
  std::error_code ignored;
  if (runtime != kRuntime12 || fs::exists(folder / kRuntime12, ignored)) return {};
  return Diagnostic{
      .message = "this build cannot profile CUDA 12 programs (built without libcudart.so.12)",
      .hint =
          "install the CUDA 12 headers (tools/install-deps does) and rebuild warpledger, or build "
          "the program with CUDA 13",
      .code = "no-doors"};
}

/// What `--aten gpu` needs: machine code that runs here, and nvdisasm to read it.
Status check_aten(const ProgramRequest& request) {
  if (request.aten != "gpu") return {};
  WL_TRY(const Gpu gpu, load_gpu(request.gpu.empty() ? cuda::Settings().gpu : request.gpu));
  const int target = gpu.architecture.major * 10 + gpu.architecture.minor;
  if (!exec::runs_machine_code(target))
    return Diagnostic{
        .message = fmt::format("--aten gpu runs machine code of {}, which a GPU of {} cannot run",
                               exec::machine_code_architectures(), gpu.architecture.id),
        .hint = "pick another --gpu (`warpledger gpus` lists them), or leave --aten gpu out",
        .code = "unsupported-architecture"};
  if (toolchain::find_tool("nvdisasm")) return {};
  return Diagnostic{.message = "--aten gpu needs nvdisasm, which was not found",
                    .hint = "install the CUDA toolkit, or run: pip install nvidia-cuda-nvdisasm",
                    .code = "no-nvdisasm"};
}

bool shows_progress(const Session& session) { return !session.quiet && isatty(STDERR_FILENO) == 1; }

std::string identity_of_tools() {
  std::string all;
  for (const char* tool : {"ptxas", "nvdisasm"}) {
    for (const std::string& path : toolchain::find_tools(tool))
      all += store::file_identity(path) + ";";
  }
  return all;
}

cuda::SettingsFile settings_of(const Session& session, const ProgramRequest& request,
                               const std::string& report) {
  cuda::SettingsFile settings{.report = request.profiles ? report : "",
                              .launch_skip_before_match = request.skip_before_match,
                              .launch_skip = request.skip.value_or(0),
                              .launch_count = request.count,
                              .all_launches = request.all_launches,
                              .trials = request.trials,
                              .trace = !request.trace.empty(),
                              .code = request.code || !request.trace.empty(),
                              .progress = shows_progress(session),
                              .verbose = request.verbose,
                              .store = request.store && !request.isolate,
                              .tools = identity_of_tools(),
                              .devices = request.devices,
                              .aten = request.aten,
                              .profile_from_start = request.ranges.is_from_start(),
                              .heeds_profiler_calls = !request.ranges.ignores_profiler_calls,
                              .nvtx_include = request.ranges.nvtx_include,
                              .nvtx_exclude = request.ranges.nvtx_exclude,
                              .range_filter = request.ranges.range_filter};
  profile::Query& query = settings.query;
  query.gpu = request.gpu;
  query.what.kernel = request.kernels;
  query.what.name_base =
      profile::parse_name_base(request.name_base).value_or(profile::NameBase::kFunction);
  query.options.sass = request.sass;
  query.options.sampling = request.sampling;
  query.options.check_races = request.check_races;
  query.options.continue_on_error = request.continue_on_error;
  query.options.engine = request.engine;
  query.options.timeout_seconds = request.timeout;
  return settings;
}

/// PyTorch: our sitecustomize is found before others, and each tensor is an allocation of its own,
/// so that a write past it is found.
void prepare_torch(const fs::path& folder, bool allocator, Environment& variables) {
  const char* before = std::getenv("PYTHONPATH");
  const bool is_empty = before == nullptr || *before == '\0';
  variables["PYTHONPATH"] =
      (folder / "torch_hook").string() + (is_empty ? "" : std::string(":") + before);
  if (!allocator) variables["PYTORCH_NO_CUDA_MEMORY_CACHING"] = "1";
}

Environment environment_of(const fs::path& folder, const std::string& settings,
                           const ProgramRequest& request, bool is_cuda_12) {
  Environment variables;
  prepare_triton(folder, variables);
  prepare_torch(folder, request.torch_allocator, variables);
  std::string preload = preloaded(folder, is_cuda_12);
  if (const char* before = std::getenv("LD_PRELOAD")) preload += std::string(":") + before;
  variables["LD_PRELOAD"] = preload;
  const char* libraries = std::getenv("LD_LIBRARY_PATH");
  variables["LD_LIBRARY_PATH"] = folder.string() + (libraries ? std::string(":") + libraries : "");
  if (request.ranges.uses_nvtx())
    variables["NVTX_INJECTION64_PATH"] = (folder / "libcuda.so.1").string();
  variables[cuda::kSettingsVariable] = settings;
  return variables;
}

/// A program that may write in one folder alone keeps its temporary files and caches there.
void move_caches(const fs::path& folder, Environment& variables) {
  for (const char* name : {"TMPDIR", "XDG_CACHE_HOME", "TRITON_CACHE_DIR", "WARPLEDGER_CODE"})
    variables[name] = folder.string();
}

Status check_isolation(const ProgramRequest& request) {
  if (!request.isolate || cell::can_confine()) return {};
  return Diagnostic{.message = "--isolate needs Landlock, which this system does not have",
                    .hint =
                        "Linux 5.13 or newer has it, unless it is turned off at boot; a "
                        "container isolates the program as well",
                    .code = "no-isolation"};
}

/// Ours instead of those of the same name.
std::vector<std::string> merged(const Environment& variables) {
  std::vector<std::string> all;
  for (const std::string& text : toolchain::environment_variables()) {
    if (!variables.contains(text.substr(0, text.find('=')))) all.push_back(text);
  }
  for (const auto& [name, value] : variables) all.push_back(name + "=" + value);
  return all;
}

std::string counted(uint64_t launches) {
  return fmt::format("{} launch{}", launches, launches == 1 ? "" : "es");
}

/// Why there is no profile.
std::string nothing_profiled(const ProgramRequest& request, const cuda::ProgramReport& report) {
  if (report.launches == 0) return "the program launched no kernel here";
  if (report.faults.empty()) {
    const bool ranges = request.ranges.uses_nvtx() || !request.ranges.is_from_start() ||
                        !request.ranges.range_filter.empty();
    return fmt::format("-k, -s and -c{} select none of the program's {}",
                       ranges ? " and its ranges" : "", counted(report.launches));
  }
  return fmt::format("the program made {}; the first failure: {}", counted(report.launches),
                     report.faults.front());
}

/// What the CPU computed in place of NVIDIA's libraries.
void say_library_calls(Session& session, const cuda::ProgramReport& report) {
  if (report.library_calls.empty() || session.quiet) return;
  std::string all;
  for (const auto& [library, calls] : report.library_calls)
    all += fmt::format("{}{} of {}", all.empty() ? "" : ", ", calls, library);
  session.err << fmt::format(
      "warpledger: library calls computed on the CPU: {}; they are not profiled, and their times "
      "on the streams' clock are estimates\n",
      all);
}

void say_how_it_ended(Session& session, const ProgramRequest& request, const ProgramEnd& end,
                      const cuda::ProgramReport& report) {
  const bool none = report.profiles.empty();
  if (end.interrupted) {
    session.err << fmt::format("warpledger: interrupted after {}; {}\n", counted(report.launches),
                               none ? "none was profiled" : "the profiles so far follow");
  } else if (end.exit_code != 0) {
    session.err << fmt::format("warpledger: the program exited with code {}\n", end.exit_code);
  } else if (none && request.profiles) {
    session.err << "warpledger: no launch was profiled: " << nothing_profiled(request, report)
                << "\n";
  } else if (shows_progress(session) && report.launches > report.profiles.size()) {
    session.err << fmt::format("==PROF== {}, {} profiled\n", counted(report.launches),
                               report.profiles.size());
  }
  if (report.trials > 0 && !session.quiet) {
    session.err << fmt::format("warpledger: {} by autotuners {} not shown (--trials shows them)\n",
                               counted(report.trials), report.trials == 1 ? "is" : "are");
  }
}

}  // namespace

Result<fs::path> library_folder() { return door_folder(); }

int take_program(Command& app, Session& session, int argc, char** argv) {
  int at = 1;
  while (at < argc && argv[at][0] == '-') ++at;  // options before the command
  if (at == argc) return argc;
  const std::string name = argv[at];
  if (name != "profile" && name != "explain") return argc;
  const Command command = app.subcommand(name);
  for (++at; at < argc; ++at) {
    const std::string word = argv[at];
    if (word == "--") {
      session.program.assign(argv + at + 1, argv + argc);
      return at;
    }
    if (takes_value(command, word)) {
      ++at;
      continue;
    }
    if (word.empty() || word[0] == '-') continue;
    std::error_code ignored;
    const bool is_plain_file = find_executable(word).empty() && fs::exists(word, ignored);
    if (is_kernel_file(word) || is_plain_file) return argc;
    session.program.assign(argv + at, argv + argc);
    return at;
  }
  return argc;
}

Result<ProgramRun> run_program(Session& session, const ProgramRequest& request) {
  if (!request.gpu.empty()) {
    WL_TRY(const Gpu known, load_gpu(request.gpu));
  }
  WL_TRY_STATUS(check_aten(request));
  WL_TRY_STATUS(check_isolation(request));
  WL_TRY_STATUS(check(request.ranges));
  const std::string program = find_executable(request.command.at(0));
  if (program.empty()) return no_program(request.command[0]);
  WL_TRY(const std::string bytes, read_file(program));
  const cuda::ProgramFacts facts = cuda::inspect_program(bytes);
  WL_TRY_STATUS(cuda::check_program(request.command[0], facts));
  WL_TRY(const fs::path folder, door_folder());
  const std::string runtime = cuda::runtime_of(facts);
  WL_TRY_STATUS(check_runtime(folder, runtime));
  WL_TRY(const toolchain::TemporaryFolder temporary, toolchain::TemporaryFolder::create());
  const std::string report = temporary.file("profiles");
  WL_TRY_STATUS(write_file(report, ""));
  const std::string settings = temporary.file("settings.json");
  WL_TRY_STATUS(write_file(settings, to_json(settings_of(session, request, report))));
  session.out.flush();
  Environment variables = environment_of(folder, settings, request, runtime == kRuntime12);
  std::function<int()> prepare;
  if (request.isolate) {
    const std::string own = fs::path(report).parent_path().string();
    move_caches(own, variables);
    prepare = [own] { return cell::confine({own}); };
  }
  WL_TRY(const ProgramEnd end, run_child(program, request.command, merged(variables), prepare));
  WL_TRY(cuda::ProgramReport left, cuda::read_report(report));
  if (!request.trace.empty()) {
    const std::string gpu = request.gpu.empty() ? cuda::Settings().gpu : request.gpu;
    WL_TRY_STATUS(write_program_trace(session, request.trace, gpu, left));
  }
  say_library_calls(session, left);
  say_how_it_ended(session, request, end, left);
  return ProgramRun{std::move(left.profiles), left.launches, end.exit_code, std::move(left.texts)};
}

}  // namespace warpledger::cli
