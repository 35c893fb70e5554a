// The system calls that are left to a locked cell, or to a program, as a program of the kernel's
// filter language (classic BPF, seccomp(2)).
#pragma once

#include <linux/filter.h>

#include <vector>

namespace warpledger::cell {

/// Memory without execute permission, threads, clocks, signals to oneself, and write() to `pipe`
/// and standard error. Everything else fails with EPERM; another architecture's calls end the
/// process.
[[nodiscard]] std::vector<sock_filter> filter(int pipe, int process);

/// For a whole program (confine.h): everything but sockets, other processes' memory, and the parts
/// of the system that would let it have these by another way. What is refused fails with EPERM.
[[nodiscard]] std::vector<sock_filter> program_filter();

}  // namespace warpledger::cell
