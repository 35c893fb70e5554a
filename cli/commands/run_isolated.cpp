#include "cli/commands/run_isolated.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <sstream>

#include "warpledger/base/file.h"

namespace warpledger::cli {
namespace {

constexpr int kAgain = -1;  // instead of an exit code

struct Printed {
  std::string out, err;
  int exit_code = kDone;
  std::vector<OutputFile> files = {};
};

// The exit code, then each text after its length.
void add(std::string_view text, std::string& to) {
  const uint64_t size = text.size();
  to.append(reinterpret_cast<const char*>(&size), sizeof size);
  to += text;
}

std::string packed(const Printed& printed) {
  std::string text(reinterpret_cast<const char*>(&printed.exit_code), sizeof printed.exit_code);
  add(printed.out, text);
  add(printed.err, text);
  for (const OutputFile& file : printed.files) {
    add(file.path, text);
    add(file.bytes, text);
  }
  return text;
}

/// Empty at the end, and where the length cannot be.
std::string take(std::string_view& text) {
  uint64_t size = 0;
  if (text.size() < sizeof size) return {};
  std::memcpy(&size, text.data(), sizeof size);
  text.remove_prefix(sizeof size);
  std::string taken(text.substr(0, size));
  text.remove_prefix(taken.size());
  return taken;
}

Printed unpacked(std::string_view text) {
  Printed printed{.exit_code = kInternalBug};
  if (text.size() < sizeof printed.exit_code) return printed;
  std::memcpy(&printed.exit_code, text.data(), sizeof printed.exit_code);
  text.remove_prefix(sizeof printed.exit_code);
  printed.out = take(text);
  printed.err = take(text);
  while (!text.empty()) {
    OutputFile& file = printed.files.emplace_back();
    file.path = take(text);
    file.bytes = take(text);
  }
  return printed;
}

Printed in_cell(const Session& session, const std::function<void(Work&)>& work) {
  const cell::Outcome done = cell::run({}, [&](cell::Inside& inside) {
    std::ostringstream out, err;
    Session own{.out = out, .err = err, .color = session.color, .quiet = session.quiet};
    Work all{.session = own, .inside = &inside};
    work(all);
    return packed({out.str(), err.str(), own.exit_code, std::move(all.files)});
  });
  if (done.answer) return unpacked(*done.answer);
  return {.err = to_text(cell::describe(done)), .exit_code = kBadInput};
}

/// A cell is not trusted: only the files that the user named are written.
void write_files(Session& session, const std::vector<OutputFile>& files,
                 const std::vector<std::string>& paths) {
  for (const OutputFile& file : files) {
    if (std::find(paths.begin(), paths.end(), file.path) == paths.end()) continue;
    if (const Status written = write_file(file.path, file.bytes); !written)
      return fail(session, written.error());
  }
}

}  // namespace

void begin_again(const Work& work) {
  work.inside->answer(packed({.exit_code = kAgain}));
  _exit(0);
}

void lock_or_end(Work& work) {
  if (work.inside == nullptr) return;
  const Status locked = work.inside->lock();
  if (locked) return;
  work.inside->answer(packed({.err = to_text(locked.error()), .exit_code = kBadInput}));
  _exit(0);
}

bool run_isolated(Session& session, bool isolate, const std::vector<std::string>& paths,
                  const std::function<void(Work&)>& work) {
  if (!isolate || !cell::can_run_here()) {
    Work all{.session = session};
    work(all);
    write_files(session, all.files, paths);
    return true;
  }
  const Printed printed = in_cell(session, work);
  if (printed.exit_code == kAgain) return false;
  session.out << printed.out << std::flush;
  session.err << printed.err;
  if (printed.exit_code != kDone) session.exit_code = printed.exit_code;
  write_files(session, printed.files, paths);
  return true;
}

}  // namespace warpledger::cli
