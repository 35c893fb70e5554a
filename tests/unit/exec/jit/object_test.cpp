// Machine code from disk: code is loaded as it is, and damaged files are refused, not followed.
#include "warpledger/exec/jit/runtime/object.h"

#include <elf.h>

#include <cstring>
#include <utility>

#include "tests/support/law.h"
#include "tests/support/source.h"
#include "warpledger/base/file.h"

namespace warpledger::exec::jit {
namespace {

#if defined(__aarch64__)
constexpr const char *kHere = "_arm64", *kElsewhere = "";
#else
constexpr const char *kHere = "", *kElsewhere = "_arm64";
#endif

/// A file of the fuzzer's seeds: they define k and call wl_callee and fma.
std::string seed(const std::string& name, const char* machine = kHere) {
  return *read_file(test::source_path("fuzz/corpus/jit_object/" + name + machine));
}

int calls = 0;
void callee() { ++calls; }

std::optional<LoadedObject> load(const std::string& file) {
  static const RuntimeFunction kFunctions[] = {{"wl_callee", reinterpret_cast<void*>(&callee)}};
  return LoadedObject::load(std::as_bytes(std::span(file)), kFunctions);
}

/// The file with `change` made to each of its section headers.
template <class Change>
std::string with_sections(std::string file, Change change) {
  Elf64_Ehdr header;
  std::memcpy(&header, file.data(), sizeof header);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    char* at = file.data() + header.e_shoff + i * sizeof(Elf64_Shdr);
    Elf64_Shdr section;
    std::memcpy(&section, at, sizeof section);
    change(section);
    std::memcpy(at, &section, sizeof section);
  }
  return file;
}

TEST(Object, IsLoadedAndCalled) {
  const auto leaf = load(seed("leaf"));
  ASSERT_TRUE(leaf);
  using Function = int (*)(int);
  EXPECT_EQ(reinterpret_cast<Function>(leaf->find("k"))(5), 12);
  EXPECT_EQ(leaf->find("no_such_name"), nullptr);
}

// k(x, i) is x[1] = fma(x[0], i + 1, a constant), after a call of wl_callee.
TEST(Object, ReachesItsConstantsAndTheFunctionsOfOthers) {
  for (const char* name : {"calls", "calls_through_table"}) {
    const auto loaded = load(seed(name));
    ASSERT_TRUE(loaded) << name;
    using Function = void (*)(double*, int);
    const auto k = reinterpret_cast<Function>(loaded->find("k"));
    calls = 0;
    double ten[2] = {10, 0}, zero[2] = {0, 0};
    k(ten, 2);
    k(zero, 2);
    EXPECT_EQ(ten[1] - zero[1], 30.0) << name;
    EXPECT_EQ(calls, 2) << name;
  }
}

TEST(Object, OfAnotherMachineIsRefused) { EXPECT_FALSE(load(seed("leaf", kElsewhere))); }

LAW(DamagedObject, IsRefusedOrStaysInItsMemory) {
  std::string file = seed(rng.coin() ? "calls" : "leaf");
  for (int64_t n = rng.between(1, 8); n > 0; --n) {
    file[static_cast<size_t>(rng.between(0, static_cast<int64_t>(file.size()) - 1))] =
        static_cast<char>(rng.bits());
  }
  file.resize(static_cast<size_t>(rng.between(0, static_cast<int64_t>(file.size()))));
  const auto loaded = load(file);
  if (!loaded) return;
  if (const void* code = loaded->find("k")) {
    static_cast<void>(*static_cast<const volatile char*>(code));
  }
}

TEST(Object, ATableLargerThanTheFileIsRefused) {
  EXPECT_FALSE(load(with_sections(seed("calls"), [](Elf64_Shdr& section) {
    if (section.sh_type == SHT_SYMTAB) section.sh_size = UINT64_MAX / 2;
  })));
}

TEST(Object, AnAlignmentThatWrapsAddressesIsRefused) {
  uint64_t align = uint64_t{1} << 63;
  EXPECT_FALSE(load(with_sections(seed("calls"), [&](Elf64_Shdr& section) {
    if ((section.sh_flags & SHF_ALLOC) == 0 || section.sh_size == 0) return;
    section.sh_addralign = std::exchange(align, UINT64_MAX);
  })));
}

TEST(Object, SectionsThatSayMoreThanTheFileHoldsAreRefused) {
  const std::string file = seed("calls");
  EXPECT_FALSE(load(with_sections(file, [&](Elf64_Shdr& section) {
    if ((section.sh_flags & SHF_ALLOC) == 0) return;
    section.sh_offset = 0;
    section.sh_size = file.size();
  })));
}

}  // namespace
}  // namespace warpledger::exec::jit
