#include "warpledger/cell/filter.h"

#include <linux/audit.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace warpledger::cell {
namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif
constexpr uint32_t kX32 = 0x4000'0000;  // x86-64's second table of calls begins here
constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;
// glibc takes clone() where there is no clone3(), whose flags a filter cannot see.
constexpr uint32_t kAbsent = SECCOMP_RET_ERRNO | ENOSYS;

// What threads that compute need. getrusage: Stopwatch. rt_sigaction: abort().
constexpr int kAllowed[] = {
    SYS_exit,         SYS_exit_group,  SYS_futex,           SYS_munmap,
    SYS_mremap,       SYS_brk,         SYS_madvise,         SYS_set_robust_list,
    SYS_rseq,         SYS_sched_yield, SYS_rt_sigreturn,    SYS_rt_sigprocmask,
    SYS_rt_sigaction, SYS_sigaltstack, SYS_clock_gettime,   SYS_clock_nanosleep,
    SYS_gettimeofday, SYS_nanosleep,   SYS_getrandom,       SYS_getpid,
    SYS_gettid,       SYS_getrusage,   SYS_restart_syscall, SYS_sched_getaffinity};

// io_uring makes calls that no filter sees. A pair of sockets leads nowhere else: it stays.
constexpr int kRefusedToPrograms[] = {SYS_socket,
                                      SYS_ptrace,
                                      SYS_process_vm_readv,
                                      SYS_process_vm_writev,
                                      SYS_pidfd_getfd,
                                      SYS_io_uring_setup,
                                      SYS_io_uring_enter,
                                      SYS_io_uring_register,
                                      SYS_bpf,
                                      SYS_perf_event_open,
                                      SYS_userfaultfd,
                                      SYS_mount,
                                      SYS_umount2,
                                      SYS_pivot_root,
                                      SYS_unshare,
                                      SYS_setns,
                                      SYS_add_key,
                                      SYS_request_key,
                                      SYS_keyctl,
                                      SYS_kcmp,
                                      SYS_process_madvise};

constexpr uint32_t offset_of(size_t argument) {  // its low half: flags and descriptors fit
  return static_cast<uint32_t>(offsetof(seccomp_data, args) + 8 * argument);
}

class Program {
 public:
  void load(uint32_t offset) { add(BPF_LD | BPF_W | BPF_ABS, offset); }
  void give(uint32_t verdict) { add(BPF_RET | BPF_K, verdict); }
  /// Skips `count` instructions unless the loaded word is `value`.
  void skip_unless(uint32_t value, uint8_t count) {
    add(BPF_JMP | BPF_JEQ | BPF_K, value, 0, count);
  }
  void skip_if(uint32_t value, uint8_t count) { add(BPF_JMP | BPF_JEQ | BPF_K, value, count, 0); }
  void skip_below(uint32_t value, uint8_t count) {
    add(BPF_JMP | BPF_JGE | BPF_K, value, 0, count);
  }
  void mask(uint32_t bits) { add(BPF_ALU | BPF_AND | BPF_K, bits); }

  void allow(int call) {
    skip_unless(static_cast<uint32_t>(call), 1);
    give(SECCOMP_RET_ALLOW);
  }
  /// Allows the call where (argument & bits) == value. The last word on it.
  void allow_where(int call, size_t argument, uint32_t bits, uint32_t value) {
    skip_unless(static_cast<uint32_t>(call), 5);
    load(offset_of(argument));
    mask(bits);
    skip_unless(value, 1);
    give(SECCOMP_RET_ALLOW);
    give(kRefused);
  }
  std::vector<sock_filter> take() { return std::move(code_); }

 private:
  void add(int code, uint32_t k, uint8_t yes = 0, uint8_t no = 0) {
    code_.push_back({static_cast<uint16_t>(code), yes, no, k});
  }
  std::vector<sock_filter> code_;
};

void add_architecture(Program& program) {
  program.load(offsetof(seccomp_data, arch));
  program.skip_if(kArchitecture, 1);
  program.give(SECCOMP_RET_KILL_PROCESS);
  program.load(offsetof(seccomp_data, nr));
  program.skip_below(kX32, 1);
  program.give(SECCOMP_RET_KILL_PROCESS);
}

/// Anonymous memory that is not executable: prot without PROT_EXEC, then flags with MAP_ANONYMOUS.
void add_mmap(Program& program) {
  program.skip_unless(SYS_mmap, 7);
  program.load(offset_of(2));
  program.mask(PROT_EXEC);
  program.skip_unless(0, 4);  // to the refusal
  program.load(offset_of(3));
  program.mask(MAP_ANONYMOUS);
  program.skip_unless(MAP_ANONYMOUS, 1);
  program.give(SECCOMP_RET_ALLOW);
}

}  // namespace

std::vector<sock_filter> filter(int pipe, int process) {
  Program program;
  add_architecture(program);
  for (const int call : kAllowed) program.allow(call);
  program.skip_unless(SYS_write, 5);
  program.load(offset_of(0));
  program.skip_if(static_cast<uint32_t>(pipe), 1);
  program.skip_unless(STDERR_FILENO, 1);
  program.give(SECCOMP_RET_ALLOW);
  program.give(kRefused);
  program.allow_where(SYS_mprotect, 2, PROT_EXEC, 0);
  program.allow_where(SYS_clone, 0, CLONE_THREAD, CLONE_THREAD);
  program.allow_where(SYS_tgkill, 0, UINT32_MAX, static_cast<uint32_t>(process));
  program.skip_unless(SYS_clone3, 1);
  program.give(kAbsent);
  add_mmap(program);  // the last: what it does not allow is refused below
  program.give(kRefused);
  return program.take();
}

std::vector<sock_filter> program_filter() {
  Program program;
  add_architecture(program);
  for (const int call : kRefusedToPrograms) {
    program.skip_unless(static_cast<uint32_t>(call), 1);
    program.give(kRefused);
  }
  program.give(SECCOMP_RET_ALLOW);
  return program.take();
}

}  // namespace warpledger::cell
