// serve/: one function that answers a line with a line, asked by many: the lines of a file, or the
// clients of a Unix socket. The room knows lines, threads, processes and sockets, and that clients
// die at any moment. It must not know what the lines say.
//
//   lines.h        the function; a stream of lines, answered in its order
//   line_server.h  the same function behind a Unix socket
//   workers.h      the same function in processes of its own
#pragma once

#include <cstdint>
#include <functional>
#include <istream>
#include <ostream>
#include <string>

namespace warpledger::serve {

/// Answers one request; neither text has a newline. Called by several threads at once. Never
/// throws.
using LineFunction = std::function<std::string(const std::string& line)>;

/// Answers each line of `in` on a line of `out`, in their order, at most `jobs` at a time; empty
/// lines are skipped. Reads ahead by a few lines a job, so that a file may be of any length.
/// Returns the number of lines that were answered.
uint64_t answer_lines(std::istream& in, std::ostream& out, uint32_t jobs,
                      const LineFunction& answer);

}  // namespace warpledger::serve
