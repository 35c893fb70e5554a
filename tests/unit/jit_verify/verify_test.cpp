// LLVM. What the verifier of compiled code accepts, and each way to break its rules.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <llvm/AsmParser/Parser.h>
#include <llvm/IR/LLVMContext.h>
#include <llvm/Support/SourceMgr.h>

#include "warpledger/exec/jit/emit/emit_verify.h"
#include "warpledger/exec/jit/runtime/warp_context.h"

namespace warpledger::exec::jit {
namespace {

/// A kernel that checks window 0 for the scalar %s, then does `fast`; `slow` where it does not
/// hold. %g, %c, %sh: the bases of global, constant and shared memory.
std::string kernel(const std::string& fast, const std::string& slow = "",
                   const std::string& condition = "%both") {
  return fmt::format(
      R"(
declare i64 @llvm.fshr.i64(i64, i64, i64)
declare ptr @wl_jit_pattern(ptr, <32 x i64>, i32, i32)
declare void @wl_jit_queue_copy(ptr, i32, i32, i32)
declare void @llvm.masked.scatter.v32i32.v32p0(<32 x i32>, <32 x ptr>, i32, <32 x i1>)
declare <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr>, i32, <32 x i1>, <32 x i64>)
define void @k(ptr %x, i64 %s, i64 %t, <32 x i64> %lanes) {{
  %v = alloca i64
  %gp = getelementptr i8, ptr %x, i64 {}
  %g = load ptr, ptr %gp
  %cp = getelementptr i8, ptr %x, i64 {}
  %c = load ptr, ptr %cp
  %wp = getelementptr i8, ptr %x, i64 {}
  %w = load ptr, ptr %wp
  %p = call ptr @wl_jit_pattern(ptr %x, <32 x i64> %lanes, i32 -1, i32 4)
  %known = load ptr, ptr %w
  %basep = getelementptr i8, ptr %w, i64 8
  %base = load i64, ptr %basep
  %boundp = getelementptr i8, ptr %w, i64 16
  %bound = load i64, ptr %boundp
  %same = icmp eq ptr %known, %p
  %at = sub i64 %s, %base
  %unit = call i64 @llvm.fshr.i64(i64 %at, i64 %at, i64 2)
  %inside = icmp ult i64 %unit, %bound
  %both = and i1 %same, %inside
  %other = icmp eq i64 %s, %t
  br i1 {}, label %fast, label %general
fast:
{}
  ret void
general:
{}
  ret void
}}
)",
      offsetof(WarpContext, global), offsetof(WarpContext, constants),
      offsetof(WarpContext, windows), condition, fast, slow);
}

/// Empty where the verifier has nothing against it.
std::string verdict(const std::string& text) {
  llvm::LLVMContext context;
  llvm::SMDiagnostic fault;
  const auto module = llvm::parseAssemblyString(text, fault, context);
  if (module == nullptr) return "bad test: " + fault.getMessage().str();
  reference::Program program;
  reference::Code code;
  Analysis analysis;
  analysis.program = &program;
  analysis.code = &code;
  analysis.windows = 1;
  analysis.memory_index = {0};
  analysis.leader = {0};
  analysis.from_leader = {0};
  analysis.span = {{-16, 64}};
  const auto found = find_unchecked(*module, analysis, "k");
  return found ? found->substr(0, found->find(':')) : "";
}

constexpr const char* kUnchecked = "an access of device memory that no check precedes";

std::string load(const std::string& base, const std::string& index) {
  return "  %i = " + index + "\n  %a = getelementptr i8, ptr " + base +
         ", i64 %i\n  %r = load i32, ptr %a";
}

TEST(Verifier, AcceptsWhatACheckLeadsTo) {
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, 0"))), "");
  EXPECT_EQ(verdict(kernel("  %d = add i64 %s, 64\n" + load("%g", "add i64 %d, 8"))), "");
  EXPECT_EQ(verdict(kernel("  %o = load i64, ptr %p\n" + load("%c", "add i64 %s, %o"))), "");
}

TEST(Verifier, RefusesWhatNoCheckLeadsTo) {
  EXPECT_EQ(verdict(kernel("", load("%g", "add i64 %s, 0"))), kUnchecked);
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, 0"), "", "%inside")), kUnchecked);
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, 0"), "", "%same")), kUnchecked);
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, 0"), "", "%other")), kUnchecked);
}

TEST(Verifier, RefusesAnotherAddressThanWasChecked) {
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %t, 0"))), kUnchecked);
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, 4096"))), kUnchecked);
  EXPECT_EQ(verdict(kernel(load("%g", "add i64 %s, %t"))), kUnchecked);
  EXPECT_EQ(verdict(kernel("  %d = add i64 %s, 68\n" + load("%g", "add i64 %d, 0"))), kUnchecked);
  EXPECT_EQ(verdict(kernel("  %d = add i64 %s, -20\n" + load("%g", "add i64 %d, 0"))), kUnchecked);
  EXPECT_EQ(verdict(kernel("  %d = mul i64 %s, 2\n" + load("%g", "add i64 %d, 0"))), kUnchecked);
}

TEST(Verifier, RefusesStoresToConstantMemory) {
  EXPECT_EQ(verdict(kernel("  %i = add i64 %s, 0\n  %a = getelementptr i8, ptr %c, i64 %i\n"
                           "  store i32 0, ptr %a")),
            "a store to constant memory");
}

TEST(Verifier, RefusesPlacesOutsideOfTables) {
  EXPECT_EQ(
      verdict(kernel(fmt::format("  %a = getelementptr i8, ptr %x, i64 {}\n  store i64 0, ptr %a",
                                 sizeof(WarpContext) - 4))),
      "outside of the context");
  EXPECT_EQ(verdict(kernel("  %a = getelementptr i8, ptr %v, i64 8\n  store i32 0, ptr %a")),
            "outside of a variable");
  EXPECT_EQ(verdict(kernel("  store i64 0, ptr %p")), "outside of a pattern, or writes it");
  EXPECT_EQ(verdict(kernel("  store i64 0, ptr %w")),
            "outside of a table, or writes what is read only");
  EXPECT_EQ(verdict(kernel("  %a = getelementptr i8, ptr %w, i64 24\n  %r = load i64, ptr %a")),
            "outside of a table, or writes what is read only");
}

TEST(Verifier, RefusesPointersThatItDoesNotKnow) {
  EXPECT_EQ(verdict(kernel("  %a = inttoptr i64 %s to ptr\n  store i32 0, ptr %a")),
            "a pointer that is not known");
  EXPECT_EQ(verdict(kernel("  %a = inttoptr i64 %s to ptr\n  call void %a()")),
            "a call through a pointer");
  EXPECT_EQ(verdict(kernel("  %r = atomicrmw add ptr %g, i32 1 seq_cst")),
            "an instruction that is not known");
}

TEST(Verifier, RefusesCallsThatBelieveAddresses) {
  const std::string call = "  call void @wl_jit_queue_copy(ptr %x, i32 4, i32 1, i32 1)";
  EXPECT_EQ(verdict(kernel(call)), "a call that believes addresses, unchecked");  // of two
}

/// Where each lane lies: %to.
std::string lane_pointers(const std::string& lanes) {
  return "  %i = add i64 %s, 0\n  %a = getelementptr i8, ptr %g, i64 %i\n"
         "  %n = ptrtoint ptr %a to i64\n"
         "  %one = insertelement <32 x i64> poison, i64 %n, i64 0\n"
         "  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer\n"
         "  %sum = add <32 x i64> %all, " +
         lanes + "\n  %to = inttoptr <32 x i64> %sum to <32 x ptr>\n";
}

std::string scatter(const std::string& lanes) {
  return lane_pointers(lanes) +
         "  call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> zeroinitializer, <32 x ptr> "
         "%to, i32 4, <32 x i1> zeroinitializer)";
}

std::string gather(const std::string& lanes) {
  return lane_pointers(lanes) +
         "  %r = call <32 x i64> @llvm.masked.gather.v32i64.v32p0(<32 x ptr> %to, i32 8, <32 x "
         "i1> zeroinitializer, <32 x i64> zeroinitializer)";
}

constexpr const char* kStrayScatter = "a scatter that is not known, or that no check precedes";
constexpr const char* kStrayGather = "a gather that is not known, or that no check precedes";

TEST(Verifier, ScattersGoWhereThePatternsLanesLie) {
  EXPECT_EQ(verdict(kernel(scatter("%lanes"))), "");
  EXPECT_EQ(verdict(kernel("", scatter("%lanes"))), kStrayScatter);
  EXPECT_EQ(verdict(kernel("  %wrong = add <32 x i64> %lanes, %lanes\n" + scatter("%wrong"))),
            kStrayScatter);
}

TEST(Verifier, GathersComeFromWhereThePatternsLanesLie) {
  EXPECT_EQ(verdict(kernel(gather("%lanes"))), "");
  EXPECT_EQ(verdict(kernel("", gather("%lanes"))), kStrayGather);
  EXPECT_EQ(verdict(kernel("  %wrong = add <32 x i64> %lanes, %lanes\n" + gather("%wrong"))),
            kStrayGather);
}

/// Reads the lanes' offsets from a variable for the pattern, and again for the gather after
/// `between`.
std::string gather_of_variable(const std::string& between) {
  std::string text = kernel(between + "  %again = load <32 x i64>, ptr %kept\n" + gather("%again"));
  const auto put = [&](const std::string& before, const std::string& what) {
    text.insert(text.find(before), what);
  };
  put("  %p = call",
      "  %kept = alloca <32 x i64>\n  store <32 x i64> %lanes, ptr %kept\n"
      "  %offsets = load <32 x i64>, ptr %kept\n");
  const std::string named = "<32 x i64> %lanes, i32 -1";
  return text.replace(text.find(named), named.size(), "<32 x i64> %offsets, i32 -1");
}

TEST(Verifier, LanesAreReadTwiceOnlyWhereNothingWritesThem) {
  const std::string write = "  store <32 x i64> zeroinitializer, ptr %kept\n";
  EXPECT_EQ(verdict(gather_of_variable("")), "");
  EXPECT_EQ(verdict(gather_of_variable(write)), kStrayGather);
  EXPECT_EQ(verdict(gather_of_variable("  br i1 %other, label %perhaps, label %on\nperhaps:\n" +
                                       write + "  br label %on\non:\n")),
            kStrayGather);
  EXPECT_EQ(verdict(gather_of_variable("  br label %turn\nturn:\n  br i1 %other, label %turn, "
                                       "label %on\non:\n")),
            "");
}

TEST(Verifier, LooksAtNothingThatNoPathLeadsTo) {
  const std::string nowhere = "  ret void\nnowhere:\n";
  EXPECT_EQ(verdict(kernel(nowhere + gather("%lanes"))), "");
  EXPECT_EQ(verdict(kernel("  br label %there\nnowhere:\n  br label %there\nthere:\n",
                           "  br label %behind\nbehind:\n" + gather("%lanes"))),
            kStrayGather);
  // A path from nowhere changes nothing of what leads to the place.
  EXPECT_EQ(verdict(kernel("  br label %there\nnowhere:\n  br label %there\nthere:\n" +
                           gather("%lanes"))),
            "");
}

}  // namespace
}  // namespace warpledger::exec::jit
