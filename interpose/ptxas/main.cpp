// warpledger-ptxas: ptxas for Triton. It runs the real one and leaves a fatbin with the PTX beside
// the machine code, so that the driver door has something to run.
#include <fmt/core.h>

#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "interpose/fatbin.h"
#include "warpledger/base/file.h"
#include "warpledger/toolchain/process.h"
#include "warpledger/toolchain/toolchain.h"

namespace {

using namespace warpledger;

struct Command {
  std::string in, out, arch;
};

Command read(const std::vector<std::string>& arguments) {
  Command command;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const std::string& word = arguments[i];
    const bool has_next = i + 1 < arguments.size();
    if (word == "-o" && has_next) command.out = arguments[++i];
    if (word.starts_with("--gpu-name=") || word.starts_with("-arch="))
      command.arch = word.substr(word.find('=') + 1);
    if (word.ends_with(".ptx")) command.in = word;
  }
  return command;
}

Status keep_ptx(const Command& command) {
  WL_TRY(const std::string ptx, read_file(command.in));
  WL_TRY(const std::string cubin, read_file(command.out));
  const std::string number = command.arch.substr(std::min<size_t>(3, command.arch.size()));
  const char last = number.empty() ? '0' : number.back();
  return write_file(command.out, cuda::write_fatbin(ptx, cubin, std::atoi(number.c_str()),
                                                    last == 'a' || last == 'f' ? last : '\0'));
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + 1, argv + argc);
  const Command command = read(arguments);
  toolchain::ProcessOutput last{.exit_code = 1, .out = {}, .err = "ptxas is not installed\n"};
  for (const std::string& ptxas : toolchain::find_tools("ptxas")) {
    std::vector<std::string> whole{ptxas};
    whole.insert(whole.end(), arguments.begin(), arguments.end());
    const Result<toolchain::ProcessOutput> done = toolchain::run_process(whole);
    if (!done) continue;
    last = *done;
    if (last.exit_code == 0) break;
  }
  std::cout << last.out;
  std::cerr << last.err;
  if (last.exit_code != 0 || command.out.empty()) return last.exit_code;
  if (const Status kept = keep_ptx(command); !kept) {
    std::cerr << to_text(kept.error());
    return 1;
  }
  return 0;
}
