#include "warpledger/toolchain/process.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstring>

extern char** environ;

namespace warpledger::toolchain {
namespace {

Diagnostic cannot_run(const std::string& program, const char* why) {
  return Diagnostic{.message = fmt::format("cannot run '{}': {}", program, why),
                    .code = "tool-failed"};
}

/// Both ends of a pipe, closed with it.
struct Pipe {
  std::array<int, 2> ends = {-1, -1};
  Pipe() = default;
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  bool open() { return ::pipe2(ends.data(), O_CLOEXEC) == 0; }
  void close(size_t end) {
    if (ends[end] >= 0) ::close(ends[end]);
    ends[end] = -1;
  }
  ~Pipe() {
    close(0);
    close(1);
  }
};

/// Reads both pipes until both end, so that a program that fills one never waits for us.
void drain(Pipe& out, Pipe& err, ProcessOutput& output) {
  std::array<pollfd, 2> watched = {{{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}}};
  std::array<std::string*, 2> texts = {&output.out, &output.err};
  std::array<char, 65536> buffer;
  while (watched[0].fd >= 0 || watched[1].fd >= 0) {
    if (::poll(watched.data(), watched.size(), -1) < 0 && errno != EINTR) return;
    for (size_t p = 0; p < watched.size(); ++p) {
      if (watched[p].fd < 0 || watched[p].revents == 0) continue;
      const ssize_t count = ::read(watched[p].fd, buffer.data(), buffer.size());
      if (count > 0) texts[p]->append(buffer.data(), static_cast<size_t>(count));
      if (count == 0 || (count < 0 && errno != EINTR)) watched[p].fd = -1;
    }
  }
}

/// Our LD_PRELOAD is not for child tools.
int spawn(const std::vector<std::string>& arguments, const Pipe& out, const Pipe& err, pid_t& pid) {
  const std::vector<char*> argv = c_strings(arguments);
  std::vector<std::string> inherited = environment_variables();
  std::erase_if(inherited, [](const std::string& one) { return one.starts_with("LD_PRELOAD="); });
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, out.ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err.ends[1], STDERR_FILENO);
  const int fault =
      ::posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), c_strings(inherited).data());
  posix_spawn_file_actions_destroy(&actions);
  return fault;
}

}  // namespace

std::vector<char*> c_strings(const std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (const std::string& text : texts) list.push_back(const_cast<char*>(text.c_str()));
  list.push_back(nullptr);
  return list;
}

std::vector<std::string> environment_variables() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.push_back(*variable);
  return variables;
}

Result<ProcessOutput> run_process(const std::vector<std::string>& arguments) {
  WL_CHECK(!arguments.empty());
  Pipe out, err;
  if (!out.open() || !err.open()) return cannot_run(arguments[0], std::strerror(errno));
  pid_t pid = 0;
  if (const int fault = spawn(arguments, out, err, pid); fault != 0) {
    return cannot_run(arguments[0], std::strerror(fault));
  }
  out.close(1);
  err.close(1);
  ProcessOutput output;
  drain(out, err, output);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0) {
    if (errno != EINTR) return cannot_run(arguments[0], std::strerror(errno));
  }
  if (!WIFEXITED(status)) return cannot_run(arguments[0], "it was killed by a signal");
  output.exit_code = WEXITSTATUS(status);
  return output;
}

Result<ProcessOutput> run_tool(const std::vector<std::string>& arguments) {
  WL_TRY(ProcessOutput output, run_process(arguments));
  if (output.exit_code == 0) return output;
  std::string said = output.err.empty() ? output.out : output.err;
  while (!said.empty() && said.back() == '\n') said.pop_back();
  return Diagnostic{.message = fmt::format("'{}' failed with code {}: {}", arguments[0],
                                           output.exit_code, said.substr(0, 600)),
                    .code = "tool-failed"};
}

}  // namespace warpledger::toolchain
