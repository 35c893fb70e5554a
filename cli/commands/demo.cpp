// `warpledger demo`: the first minute. A slow kernel is written, profiled, fixed and compared, then
// a Triton script is profiled; every step shows the command that a person would type.
#include "cli/commands/demo.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "cli/commands/demo_files.h"
#include "cli/commands/parts.h"
#include "cli/terminal/child.h"
#include "warpledger/base/file.h"
#include "warpledger/toolchain/process.h"

namespace warpledger::cli {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

struct DemoOptions {
  std::string folder = ".";
  bool ptx = false;
  bool open = false;
};

/// What this machine has of what the steps can use.
struct Means {
  bool cuda = false;    // nvcc with what it compiles with, ptxas, nvdisasm
  bool triton = false;  // and torch, and the libraries that programs run under
  std::string python;
};

bool has(const std::vector<Part>& parts, std::initializer_list<const char*> names) {
  return std::all_of(names.begin(), names.end(), [&](const char* name) {
    return std::any_of(parts.begin(), parts.end(), [&](const Part& part) {
      return part.name == name && part.state == PartState::kFound;
    });
  });
}

Means means_of(const DemoOptions& options) {
  const std::vector<Part> parts = find_parts();
  return {.cuda = !options.ptx && has(parts, {"nvcc", "g++", "ptxas", "nvdisasm"}),
          .triton = has(parts, {"libraries", "python3", "triton", "torch", "ptxas", "nvdisasm"}),
          .python = python_command()};
}

constexpr const char* kLaunch[] = {"--gpu",   "rtx3090",
                                   "--grid",  "32,32",
                                   "--block", "32,8",
                                   "--arg",   "in=f32[1024x1024]:random",
                                   "--arg",   "out=f32[1024x1024]",
                                   "--arg",   "i32:1024"};

class Demo {
 public:
  Demo(Session& session, const DemoOptions& options)
      : session_(session), options_(options), means_(means_of(options)) {}

  Status run() {
    WL_TRY_STATUS(enter_folder());
    WL_TRY_STATUS(write_kernel());
    WL_TRY_STATUS(profile_kernel());
    WL_TRY_STATUS(fix_kernel());
    WL_TRY_STATUS(compare());
    WL_TRY_STATUS(profile_triton());
    say("\nDone. Next: `warpledger doctor` says what is installed, docs/tutorial.md continues from "
        "here.\n");
    return {};
  }

 private:
  void say(const std::string& text) {
    session_.out << text;
    session_.out.flush();
  }

  Status enter_folder() {
    std::error_code fault;
    fs::create_directories(options_.folder, fault);
    if (!fault) fs::current_path(options_.folder, fault);
    if (!fault) return {};
    return Diagnostic{
        .message = fmt::format("cannot use the folder '{}': {}", options_.folder, fault.message()),
        .code = "io"};
  }

  /// Another file of that name is somebody's work.
  Status write(const std::string& name) {
    const std::string text(demo_file(name));
    std::error_code ignored;
    if (fs::exists(name, ignored)) {
      const auto there = read_file(name);
      if (there && *there == text) return {};
      return Diagnostic{
          .message = fmt::format("'{}' already exists and was not written by the demo", name),
          .hint = "run it in an empty folder: warpledger demo FOLDER",
          .code = "io"};
    }
    return write_file(name, text);
  }

  std::string kernel_file(const std::string& name) const {
    return name + (means_.cuda ? ".cu" : ".ptx");
  }

  Status write_kernel() {
    for (const char* name : {"transpose.cu", "transpose.ptx"}) WL_TRY_STATUS(write(name));
    say("1. A kernel: transpose.cu transposes a matrix of 1024 x 1024 floats.\n\n");
    say(std::string(demo_file("transpose.cu")));
    if (options_.ptx) say("\n--ptx: its PTX, transpose.ptx, is profiled; no compiler runs.\n");
    if (!options_.ptx && !means_.cuda)
      say("\nnvcc, g++, ptxas or nvdisasm is missing (`warpledger doctor` says which), so its "
          "PTX,\n"
          "transpose.ptx, is profiled.\n");
    return {};
  }

  Words launch(const std::string& name, int registers) const {
    Words words{"explain", kernel_file(name)};
    words.insert(words.end(), std::begin(kLaunch), std::end(kLaunch));
    if (!means_.cuda) words.insert(words.end(), {"--regs", std::to_string(registers), "--no-sass"});
    return words;
  }

  Status profile_kernel() {
    say("\n2. What limits it on an RTX 3090? Nothing here needs one: the launch is on the command "
        "line.\n\n");
    Words words = launch("transpose", 24);
    words.insert(words.end(), {"-o", "slow.wlrep"});
    WL_TRY_STATUS(show(words));
    say("\nThe same as a page, with the memory chart and the source colored by bytes: "
        "slow.html\n\n");
    WL_TRY_STATUS(show({"-q", "report", "slow.wlrep", "-o", "slow.html"}, 0));
    return options_.open ? open_page("slow.html") : Status();
  }

  Status fix_kernel() {
    for (const char* name : {"transpose_fixed.cu", "transpose_fixed.ptx"})
      WL_TRY_STATUS(write(name));
    say("\n3. The fix: transpose the tile in shared memory, so that each warp writes a row. "
        "transpose_fixed.cu:\n\n");
    say(std::string(demo_file("transpose_fixed.cu")));
    return {};
  }

  Status compare() {
    say("\n4. Did it help?\n\n");
    Words words = launch("transpose_fixed", 24);
    words.insert(words.end(), {"--against", "slow.wlrep", "-o", "fixed.wlrep"});
    WL_TRY_STATUS(show(words, 4));
    say("\nBoth launches on one page: both.html\n\n");
    return show({"-q", "report", "slow.wlrep", "fixed.wlrep", "-o", "both.html"}, 0);
  }

  Status profile_triton() {
    WL_TRY_STATUS(write("row_sum.py"));
    say("\n5. A Triton script with PyTorch tensors, unchanged: row_sum.py\n\n");
    if (means_.triton)
      return show(
          {"-q", "explain", "--gpu", "rtx3090", "-o", "triton.html", means_.python, "row_sum.py"});
    say("Skipped: Triton, PyTorch or a tool is missing (`warpledger doctor` says which). With "
        "them:\n"
        "$ warpledger explain --gpu rtx3090 -o triton.html python3 row_sum.py\n");
    return {};
  }

  /// Prints the command as a person types it, runs it, and prints its first lines.
  Status show(const Words& words, size_t most_lines = 15) {
    say("$ warpledger" + as_typed(words));
    if (most_lines > 0 && most_lines < 15) say(fmt::format(" | head -n {}", most_lines));
    say("\n");
    Words command{own_file().string()};
    command.insert(command.end(), words.begin(), words.end());
    WL_TRY(const toolchain::ProcessOutput done, toolchain::run_tool(command));
    say(first_lines(done.out, most_lines));
    return {};
  }

  static std::string as_typed(const Words& words) {
    std::string line;
    for (const std::string& word : words) {
      const bool breaks = word == "--grid" || word == "--regs" || word == "--against";
      line += (breaks ? " \\\n    " : " ") + word;
    }
    return line;
  }

  static std::string first_lines(const std::string& text, size_t most) {
    size_t end = 0;
    for (size_t line = 0; line < most && end < text.size(); ++line)
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
    return text.substr(0, end);
  }

  static Status open_page(const std::string& file) {
    WL_TRY(const auto opened, toolchain::run_tool({"xdg-open", file}));
    return {};
  }

  Session& session_;
  const DemoOptions& options_;
  Means means_;
};

}  // namespace

void add_demo(Command& app, Session& session) {
  Command command = add_command(app, "demo", "try warpledger: find, fix and compare a slow kernel",
                                "  mkdir try && cd try && warpledger demo\n"
                                "  warpledger demo try --open");
  auto options = std::make_shared<DemoOptions>();
  command
      ->add_option("folder", options->folder,
                   "directory for the files; created if it does not exist")
      ->capture_default_str();
  command->add_flag("--ptx", options->ptx, "profile the included PTX; no compiler runs");
  command->add_flag("--open", options->open, "open the page in the browser");
  command->callback([options, &session] {
    if (const Status status = Demo(session, *options).run(); !status) fail(session, status.error());
  });
}

}  // namespace warpledger::cli
