#include "warpledger/profile/run/kernel_text.h"

#include <fmt/core.h>

#include <charconv>
#include <cstdlib>
#include <filesystem>

#include "warpledger/base/file.h"
#include "warpledger/ptx/parser.h"
#include "warpledger/sass/cubin/carrier.h"
#include "warpledger/sass/cubin/ptx_text.h"
#include "warpledger/store/key.h"
#include "warpledger/toolchain/nvcc.h"
#include "warpledger/toolchain/temporary_folder.h"
#include "warpledger/toolchain/toolchain.h"

namespace warpledger::profile {
namespace {

struct Compiled {
  std::string ptx;
  std::vector<std::string> files;  // that nvcc read
};

/// The files of a make rule "out : a b \ c": blanks in names are written "\ ".
std::vector<std::string> files_of_rule(const std::string& rule) {
  std::vector<std::string> files;
  std::string file;
  const auto end_file = [&] {
    if (!file.empty()) files.push_back(std::exchange(file, {}));
  };
  for (size_t i = std::min(rule.find(" :"), rule.size() - 2) + 2; i < rule.size(); ++i) {
    const char c = rule[i];
    const char next = i + 1 < rule.size() ? rule[i + 1] : '\n';
    if (c == '\\' && next == ' ') {
      file += ' ';
      ++i;
    } else if (c == ' ' || c == '\n' || c == '\t' || (c == '\\' && next == '\n')) {
      end_file();
    } else {
      file += c;
    }
  }
  end_file();
  return files;
}

Result<Compiled> compile(const KernelFile& file) {
  WL_TRY(const toolchain::TemporaryFolder folder, toolchain::TemporaryFolder::create());
  const std::string rule = folder.file("kernel.d");
  std::vector<std::string> flags = file.flags;
  flags.insert(flags.end(), {"-MD", "-MF", rule});
  Compiled compiled;
  WL_TRY(compiled.ptx, toolchain::compile_cuda(file.path, file.arch, flags));
  if (const Result<std::string> files = read_file(rule)) compiled.files = files_of_rule(*files);
  return compiled;
}

/// What is kept: the number of files, a line for each, the PTX. Empty when a file is not there.
std::string packed(const Compiled& compiled) {
  std::string text = fmt::format("{}\n", compiled.files.size());
  for (const std::string& file : compiled.files) {
    const std::string identity = store::file_identity(file);
    if (identity.empty() || identity.find('\n') != std::string::npos) return {};
    text += fmt::format("{}\n{}\n", file, identity);
  }
  return text + compiled.ptx;
}

/// The PTX, when every file still is what it was.
std::optional<std::string> unpacked(const std::string& text) {
  size_t at = 0, count = 0;
  const auto line = [&] {
    const size_t end = std::min(text.find('\n', at), text.size());
    const std::string found = text.substr(at, end - at);
    at = std::min(end + 1, text.size());
    return found;
  };
  const std::string head = line();
  std::from_chars(head.data(), head.data() + head.size(), count);
  for (size_t i = 0; i < count; ++i) {
    const std::string file = line();
    if (store::file_identity(file) != line()) return {};
  }
  return text.substr(at);
}

/// All that nvcc's answer follows from, the files it reads excepted.
Result<std::string> key_of(const KernelFile& file, const std::string& nvcc) {
  store::Key key("ptx 1");
  WL_TRY(const std::string source, read_file(file.path));
  std::error_code failed;
  key.add("source", source);
  key.add("path", std::filesystem::absolute(file.path, failed).string());
  key.add("nvcc", store::file_identity(nvcc)).add("arch", file.arch);
  for (const std::string& flag : file.flags) key.add("flag", flag);
  for (const char* name : {"NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN", "CPATH",
                           "C_INCLUDE_PATH", "CPLUS_INCLUDE_PATH", "PATH"}) {
    const char* value = std::getenv(name);
    key.add(name, value == nullptr ? "" : value);
  }
  return key.hex();
}

}  // namespace

Result<std::string> load_ptx(const KernelFile& file, store::Store* store) {
  if (!file.path.ends_with(".cu")) {
    WL_TRY(std::string text, read_file(file.path));
    if (!sass::looks_like_cubin(text)) return text;
    WL_TRY(const std::vector<std::string> kept, sass::read_ptx_texts(text));
    if (kept.empty()) return sass::carry_cubin(file.path, text);
    return sass::read_ptx_text(file.path, text);
  }
  WL_TRY(const std::string nvcc, toolchain::find_tool("nvcc"));
  std::string key;
  if (store != nullptr) {
    WL_TRY(key, key_of(file, nvcc));
    const auto kept = store->find(key);
    if (kept && *kept) {
      if (const auto ptx = unpacked(**kept)) return *ptx;
    }
  }
  WL_TRY(const Compiled compiled, compile(file));
  const std::string record = packed(compiled);
  // What cannot be kept is compiled again: no reason to stop.
  if (store != nullptr && !compiled.files.empty() && !record.empty()) {
    static_cast<void>(store->put(key, record));
  }
  return compiled.ptx;
}

Result<ptx::Module> parse_module(const KernelFile& file, std::string ptx) {
  const bool holds_ptx = file.path.ends_with(".cu") || file.path.ends_with(".cubin");
  const std::string name = file.path + (holds_ptx ? ".ptx" : "");
  return ptx::parse(name, std::move(ptx));
}

Result<ptx::Module> load_module(const KernelFile& file) {
  WL_TRY(std::string ptx, load_ptx(file));
  return parse_module(file, std::move(ptx));
}

}  // namespace warpledger::profile
