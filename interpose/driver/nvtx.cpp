// NVTX: programs load the library that NVTX_INJECTION64_PATH names and hand it the
// tables of their NVTX functions, in which we put ours. Numbers, tables and structures are those of
// NVTX 3 (nvtx3/nvtxDetail/nvtxTypes.h of the CUDA toolkit); what is not a range stays unset.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>

#include "interpose/ranges.h"

namespace warpledger::cuda {
namespace {

enum Module : int { kCore = 1, kCore2 = 5 };
enum CoreCall : unsigned {
  kRangeStartEx = 4,
  kRangeStartA = 5,
  kRangeStartW = 6,
  kRangeEnd = 7,
  kRangePushEx = 8,
  kRangePushA = 9,
  kRangePushW = 10,
  kRangePop = 11
};
enum Core2Call : unsigned {
  kDomainRangeStartEx = 2,
  kDomainRangeEnd = 3,
  kDomainRangePushEx = 4,
  kDomainRangePop = 5,
  kDomainRegisterStringA = 10,
  kDomainRegisterStringW = 11,
  kDomainCreateA = 12,
  kDomainCreateW = 13
};
constexpr uint32_t kCallbackTable = 1;

using Function = void (*)();
struct CallbackTable {
  size_t bytes;
  int (*get_functions)(int module, Function*** table, unsigned* count);
};

enum MessageType : int32_t { kAscii = 1, kUnicode = 2, kRegistered = 3 };
struct EventAttributes {
  uint16_t version, size;
  uint32_t category;
  int32_t color_type;
  uint32_t color;
  int32_t payload_type, reserved;
  uint64_t payload;
  int32_t message_type;
  const void* message;
};

/// Domains and registered strings: handles are addresses of what lives as long as the process.
const std::string* keep(std::string text) {
  static std::mutex mutex;
  static auto* kept = new std::deque<std::string>;
  const std::lock_guard lock(mutex);
  return &kept->emplace_back(std::move(text));
}

std::string text_of(const char* text) { return text == nullptr ? "" : text; }
/// As UTF-8.
std::string text_of(const wchar_t* text) {
  std::string made;
  for (; text != nullptr && *text != 0; ++text) {
    const auto code = static_cast<uint32_t>(*text);
    const auto put = [&](uint32_t first, int shift) {
      made += static_cast<char>(first | (code >> shift));
      for (shift -= 6; shift >= 0; shift -= 6)
        made += static_cast<char>(0x80 | ((code >> shift) & 0x3f));
    };
    code < 0x80      ? put(0, 0)
    : code < 0x800   ? put(0xc0, 6)
    : code < 0x10000 ? put(0xe0, 12)
                     : put(0xf0, 18);
  }
  return made;
}
std::string text_of(const EventAttributes* event) {
  if (event == nullptr || event->message == nullptr) return "";
  switch (event->message_type) {
    case kAscii:
      return text_of(static_cast<const char*>(event->message));
    case kUnicode:
      return text_of(static_cast<const wchar_t*>(event->message));
    case kRegistered:
      return *static_cast<const std::string*>(event->message);
    default:
      return "";
  }
}
std::string domain_of(const void* handle) {
  return handle == nullptr ? "" : *static_cast<const std::string*>(handle);
}

Ranges& ranges() { return Ranges::get(); }

template <class Text>
int push(const Text* text) {
  return ranges().push("", text_of(text));
}
template <class Text>
uint64_t start(const Text* text) {
  return ranges().start("", text_of(text));
}
int pop() { return ranges().pop(""); }
void end(uint64_t range) { ranges().end(range); }
int domain_push(const void* domain, const EventAttributes* event) {
  return ranges().push(domain_of(domain), text_of(event));
}
int domain_pop(const void* domain) { return ranges().pop(domain_of(domain)); }
uint64_t domain_start(const void* domain, const EventAttributes* event) {
  return ranges().start(domain_of(domain), text_of(event));
}
void domain_end(const void*, uint64_t range) { ranges().end(range); }
template <class Text>
const void* register_string(const void*, const Text* text) {
  return keep(text_of(text));
}
template <class Text>
const void* create_domain(const Text* name) {
  return keep(text_of(name));
}

struct Table {
  Function** functions = nullptr;
  unsigned count = 0;

  template <class Ours>
  void set(unsigned call, Ours* function) const {
    if (call < count && functions[call] != nullptr)
      *functions[call] = reinterpret_cast<Function>(function);
  }
};

void fill_core(const Table& table) {
  table.set(kRangeStartEx, start<EventAttributes>);
  table.set(kRangeStartA, start<char>);
  table.set(kRangeStartW, start<wchar_t>);
  table.set(kRangeEnd, end);
  table.set(kRangePushEx, push<EventAttributes>);
  table.set(kRangePushA, push<char>);
  table.set(kRangePushW, push<wchar_t>);
  table.set(kRangePop, pop);
}

void fill_core2(const Table& table) {
  table.set(kDomainRangeStartEx, domain_start);
  table.set(kDomainRangeEnd, domain_end);
  table.set(kDomainRangePushEx, domain_push);
  table.set(kDomainRangePop, domain_pop);
  table.set(kDomainRegisterStringA, register_string<char>);
  table.set(kDomainRegisterStringW, register_string<wchar_t>);
  table.set(kDomainCreateA, create_domain<char>);
  table.set(kDomainCreateW, create_domain<wchar_t>);
}

}  // namespace
}  // namespace warpledger::cuda

/// NVTX calls it once for each library that has NVTX in it. 1: ours are in place.
extern "C" int InitializeInjectionNvtx2(const void* (*get_table)(uint32_t)) {
  using namespace warpledger::cuda;
  const auto* callbacks =
      get_table == nullptr ? nullptr : static_cast<const CallbackTable*>(get_table(kCallbackTable));
  if (callbacks == nullptr || callbacks->bytes < sizeof *callbacks) return 0;
  Table core, core2;
  if (callbacks->get_functions(kCore, &core.functions, &core.count) != 0) fill_core(core);
  if (callbacks->get_functions(kCore2, &core2.functions, &core2.count) != 0) fill_core2(core2);
  return 1;
}
