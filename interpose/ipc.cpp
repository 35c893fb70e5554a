#include "interpose/ipc.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include <optional>

#include "warpledger/base/page.h"

namespace warpledger::cuda {
namespace {

constexpr uint64_t kMagic = 0x6370'695f'6c77;  // "wl_ipc"

struct Pages {
  uint64_t first = 0, bytes = 0;
};

/// The whole pages that hold [address, address + bytes).
Pages pages_of(uint64_t address, uint64_t bytes) {
  const uint64_t page = page_bytes(), first = address / page * page;
  return {first, (address + bytes + page - 1) / page * page - first};
}

Diagnostic refused(std::string message) {
  return {.message = std::move(message), .code = "bad-ipc-handle"};
}

bool map_at(const Pages& pages, int file) {
  return mmap(reinterpret_cast<void*>(pages.first), pages.bytes, PROT_READ | PROT_WRITE,
              MAP_FIXED | MAP_SHARED, file, 0) != MAP_FAILED;
}

/// Moves the pages with their bytes into a file, mapped where they were.
std::optional<int> move_to_file(const Pages& pages) {
  const int file = memfd_create("warpledger shared memory", MFD_CLOEXEC);
  if (file < 0) return {};
  const auto size = static_cast<off_t>(pages.bytes);
  bool done = ftruncate(file, size) == 0;
  for (off_t at = 0; done && at < size;) {
    const ssize_t written = pwrite(file, reinterpret_cast<const char*>(pages.first) + at,
                                   static_cast<size_t>(size - at), at);
    done = written > 0;
    at += written;
  }
  if (done && map_at(pages, file)) return file;
  ::close(file);
  return {};
}

bool is_same(const IpcHandle& a, const IpcHandle& b) {
  return a.process == b.process && a.file == b.file && a.offset == b.offset;
}

}  // namespace

Ipc::~Ipc() {
  for (const auto& [address, handle] : shared_) ::close(handle.file);
}

Result<IpcHandle> Ipc::share(uint64_t address) {
  const std::optional<Range> range = memory_.holding(address);
  if (!range || range->kind != MemoryKind::kDevice)
    return refused(fmt::format(
        "{:#x} is not in memory from cudaMalloc, which is the only memory that processes can share",
        address));
  if (const auto known = shared_.find(range->address); known != shared_.end()) return known->second;
  const Pages pages = pages_of(range->address, range->bytes);
  for (const auto& [other, handle] : shared_) {
    const Pages taken = pages_of(other, handle.bytes);
    if (pages.first < taken.first + taken.bytes && taken.first < pages.first + pages.bytes)
      return refused(
          fmt::format("the allocation at {:#x} is on the same page as one that is already "
                      "shared; allocate at least 1 MiB, or one allocation for both",
                      range->address));
  }
  const std::optional<int> file = move_to_file(pages);
  if (!file) return refused("the host has no memory left to share");
  return shared_[range->address] = {.magic = kMagic,
                                    .process = getpid(),
                                    .file = *file,
                                    .offset = range->address - pages.first,
                                    .bytes = range->bytes};
}

Result<uint64_t> Ipc::open(const IpcHandle& handle) {
  if (handle.magic != kMagic || handle.offset >= page_bytes())
    return refused("not an IPC handle of device memory");
  if (handle.process == getpid())
    return refused("an IPC handle cannot be opened by the process that made it; use the pointer");
  for (auto& [address, opened] : opened_) {
    if (is_same(opened.handle, handle)) return ++opened.users, address;
  }
  const std::string path = fmt::format("/proc/{}/fd/{}", handle.process, handle.file);
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return refused("the process that shares the memory has exited or belongs to another user");
  const Pages size = pages_of(handle.offset, handle.bytes);
  const Result<uint64_t> at = memory_.reserve_addresses(size.bytes, page_bytes());
  const bool is_mapped = at.ok() && map_at({*at, size.bytes}, file);
  ::close(file);
  if (!is_mapped) return refused("the host cannot map shared memory");
  const uint64_t address = *at + handle.offset;
  memory_.show(address, handle.bytes, Devices::current());
  opened_[address] = {handle, 1};
  return address;
}

Status Ipc::close(uint64_t address) {
  const auto found = opened_.find(address);
  if (found == opened_.end()) return refused(fmt::format("{:#x} was not opened here", address));
  if (--found->second.users != 0) return {};
  memory_.hide(address);
  const Pages pages = pages_of(address, found->second.handle.bytes);
  opened_.erase(found);
  mmap(reinterpret_cast<void*>(pages.first), pages.bytes, PROT_READ | PROT_WRITE,
       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return {};
}

}  // namespace warpledger::cuda
