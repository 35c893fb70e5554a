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

std::string scatter(const std::string& lanes) {
  return "  %i = add i64 %s, 0\n  %a = getelementptr i8, ptr %g, i64 %i\n"
         "  %n = ptrtoint ptr %a to i64\n"
         "  %one = insertelement <32 x i64> poison, i64 %n, i64 0\n"
         "  %all = shufflevector <32 x i64> %one, <32 x i64> poison, <32 x i32> zeroinitializer\n"
         "  %sum = add <32 x i64> %all, " +
         lanes +
         "\n  %to = inttoptr <32 x i64> %sum to <32 x ptr>\n"
         "  call void @llvm.masked.scatter.v32i32.v32p0(<32 x i32> zeroinitializer, <32 x ptr> "
         "%to, "
         "i32 4, <32 x i1> zeroinitializer)";
}

TEST(Verifier, ScattersGoWhereThePatternsLanesLie) {
  EXPECT_EQ(verdict(kernel(scatter("%lanes"))), "");
  EXPECT_EQ(verdict(kernel("", scatter("%lanes"))), "a scatter that no check precedes");
  EXPECT_EQ(verdict(kernel("  %wrong = add <32 x i64> %lanes, %lanes\n" + scatter("%wrong"))),
            "a scatter that no check precedes");
}

}  // namespace
}  // namespace warpledger::exec::jit
