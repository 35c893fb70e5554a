// interpose/fft/: our libcufft.so.12. It knows cuFFT's ABI, declared here by ourselves; it must not
// know how transforms are computed (interpose/math/fourier_plan.h).
#include <cmath>
#include <map>
#include <optional>

#include "interpose/library_call.h"
#include "interpose/math/fourier_plan.h"

using namespace warpledger::cuda;
namespace math = warpledger::math;

namespace {

using math::Direction;
using math::FourierKind;
using math::FourierLayout;
using math::FourierPlan;
using Sizes = std::array<int64_t, 3>;

/// The numbers of cufftResult.
enum Result : int {
  kSuccess = 0,
  kInvalidPlan = 1,
  kInvalidType = 3,
  kInvalidValue = 4,
  kExecFailed = 6,
  kInvalidSize = 8,
  kNotSupported = 16,
};
constexpr int kVersion = 12000, kMajor = 12;

struct Plan {
  std::optional<FourierPlan> transform = {};  // nothing until it is made
  bool is_basic = true;                       // the layout follows from sizes, and being in place
  void* stream = nullptr;
};

std::map<int, Plan>& plans() {
  static std::map<int, Plan> all;
  return all;
}
Plan* find(int handle) {
  const std::lock_guard lock(Core::get().lock());
  const auto found = plans().find(handle);
  return found == plans().end() ? nullptr : &found->second;
}

Result create(int* handle) {
  if (handle == nullptr) return kInvalidValue;
  const std::lock_guard lock(Core::get().lock());
  static int next = 1;
  plans()[*handle = next++] = {};
  return kSuccess;
}

/// By the numbers of cufftType; false: none.
bool set_type(FourierPlan& plan, int type) {
  plan.in_double = (type & 0x40) != 0;
  switch (type & ~0x40) {
    case 0x29:
      return plan.kind = FourierKind::kComplex, true;
    case 0x2a:
      return plan.kind = FourierKind::kRealToComplex, true;
    case 0x2c:
      return plan.kind = FourierKind::kComplexToReal, true;
    default:
      return false;
  }
}

/// Dense rows; `row` elements are set aside for each.
FourierLayout dense(const Sizes& sizes, int64_t row) {
  return {.embed = {sizes[0], sizes[1], row}, .distance = sizes[0] * sizes[1] * row};
}

/// In place, a row of real numbers has the room of its half spectrum.
FourierPlan laid_out(FourierPlan plan, bool in_place) {
  const Sizes in = plan.in_sizes(), out = plan.out_sizes();
  const int64_t half = std::min(in[2], out[2]);
  const bool to_real = plan.kind == FourierKind::kComplexToReal;
  const bool from_real = plan.kind == FourierKind::kRealToComplex;
  plan.in = dense(in, in_place && from_real ? 2 * half : in[2]);
  plan.out = dense(out, in_place && to_real ? 2 * half : out[2]);
  return plan;
}

template <class Int>
Result make(int handle, int rank, const Int* n, int type, int64_t batch, size_t* work_bytes) {
  Plan* const plan = find(handle);
  if (plan == nullptr || plan->transform) return kInvalidPlan;
  if (rank < 1 || rank > 3 || n == nullptr) return kInvalidSize;
  FourierPlan made{.batch = batch};
  if (!set_type(made, type)) return kInvalidType;
  for (int axis = 0; axis < rank; ++axis) {
    if (n[axis] < 1) return kInvalidSize;
    made.n[static_cast<size_t>(3 - rank + axis)] = n[axis];
  }
  if (batch < 1) return kInvalidSize;
  if (work_bytes != nullptr) *work_bytes = 0;
  plan->transform = made;
  return kSuccess;
}

template <class Int>
FourierLayout layout_of(int rank, const Int* embed, int64_t stride, int64_t distance) {
  FourierLayout layout{.stride = stride, .distance = distance};
  for (int axis = 0; axis < rank; ++axis)
    layout.embed[static_cast<size_t>(3 - rank + axis)] = embed[axis];
  return layout;
}

/// As in FFTW: without both embeds the layout is the basic one.
template <class Int>
Result make_many(int handle, int rank, const Int* n, const Int* in_embed, int64_t in_stride,
                 int64_t in_distance, const Int* out_embed, int64_t out_stride,
                 int64_t out_distance, int type, int64_t batch, size_t* work_bytes) {
  const Result result = make(handle, rank, n, type, batch, work_bytes);
  if (result != kSuccess || in_embed == nullptr || out_embed == nullptr) return result;
  Plan& plan = *find(handle);
  plan.is_basic = false;
  plan.transform->in = layout_of(rank, in_embed, in_stride, in_distance);
  plan.transform->out = layout_of(rank, out_embed, out_stride, out_distance);
  return kSuccess;
}

/// The cufftType between two cudaDataTypes; 0: none.
int type_between(int from, int to) {
  constexpr int kReal = 0, kRealDouble = 1, kComplex = 4, kComplexDouble = 5;
  if (from == kComplex && to == kComplex) return 0x29;
  if (from == kReal && to == kComplex) return 0x2a;
  if (from == kComplex && to == kReal) return 0x2c;
  if (from == kComplexDouble && to == kComplexDouble) return 0x69;
  if (from == kRealDouble && to == kComplexDouble) return 0x6a;
  if (from == kComplexDouble && to == kRealDouble) return 0x6c;
  return 0;
}

Result forget(int handle, Result result) {
  const std::lock_guard lock(Core::get().lock());
  if (result != kSuccess) plans().erase(handle);
  return result;
}

template <class... Sides>
Result make_basic(int* handle, int type, int batch, Sides... sides) {
  const Result created = create(handle);
  if (created != kSuccess) return created;
  const int n[] = {sides...};
  return forget(*handle, make<int>(*handle, sizeof...(sides), n, type, batch, nullptr));
}

uint64_t element_bytes(const FourierPlan& plan, bool is_real) {
  return (plan.in_double ? 8u : 4u) * (is_real ? 1u : 2u);
}

/// 5 N log2 N, as FFTs are counted.
double flops_of(const FourierPlan& plan) {
  const auto points = static_cast<double>(plan.n[0] * plan.n[1] * plan.n[2]);
  const double real = plan.kind == FourierKind::kComplex ? 1 : 0.5;
  return 5 * real * points * std::log2(std::max(2.0, points)) * static_cast<double>(plan.batch);
}

Result execute(const char* name, int handle, FourierKind kind, bool in_double, const void* from,
               void* to, int sign) {
  const Plan* const found = find(handle);
  if (found == nullptr || !found->transform) return kInvalidPlan;
  FourierPlan plan = *found->transform;
  if (plan.kind != kind || plan.in_double != in_double) return kInvalidType;
  if (from == nullptr || to == nullptr || (sign != -1 && sign != 1)) return kInvalidValue;
  if (found->is_basic) plan = laid_out(plan, from == to);
  const bool from_real = kind == FourierKind::kRealToComplex;
  const bool to_real = kind == FourierKind::kComplexToReal;
  const auto in_count = static_cast<uint64_t>(math::extent(plan.in, plan.in_sizes(), plan.batch));
  const auto out_count =
      static_cast<uint64_t>(math::extent(plan.out, plan.out_sizes(), plan.batch));
  const Error error = run_library_call(
      found->stream, {.library = "cuFFT",
                      .name = name,
                      .operands = {{"the input", from, in_count * element_bytes(plan, from_real)},
                                   {"the output", to, out_count * element_bytes(plan, to_real)}},
                      .flops = flops_of(plan),
                      .pipe = in_double ? MathPipe::kFp64 : MathPipe::kFp32,
                      .compute = [=] { math::execute(plan, from, to, Direction(sign)); }});
  return error == Error::kNone ? kSuccess : kExecFailed;
}

}  // namespace

extern "C" {

int cufftCreate(int* handle) { return create(handle); }
int cufftDestroy(int handle) {
  const std::lock_guard lock(Core::get().lock());
  return plans().erase(handle) != 0 ? kSuccess : kInvalidPlan;
}
int cufftPlan1d(int* handle, int x, int type, int batch) {
  return make_basic(handle, type, batch, x);
}
int cufftPlan2d(int* handle, int x, int y, int type) { return make_basic(handle, type, 1, x, y); }
int cufftPlan3d(int* handle, int x, int y, int z, int type) {
  return make_basic(handle, type, 1, x, y, z);
}
int cufftPlanMany(int* handle, int rank, int* n, int* in_embed, int in_stride, int in_distance,
                  int* out_embed, int out_stride, int out_distance, int type, int batch) {
  const Result created = create(handle);
  if (created != kSuccess) return created;
  return forget(*handle, make_many(*handle, rank, n, in_embed, in_stride, in_distance, out_embed,
                                   out_stride, out_distance, type, batch, nullptr));
}
int cufftMakePlan1d(int handle, int x, int type, int batch, size_t* bytes) {
  return make(handle, 1, &x, type, batch, bytes);
}
int cufftMakePlan2d(int handle, int x, int y, int type, size_t* bytes) {
  const int n[] = {x, y};
  return make(handle, 2, n, type, 1, bytes);
}
int cufftMakePlan3d(int handle, int x, int y, int z, int type, size_t* bytes) {
  const int n[] = {x, y, z};
  return make(handle, 3, n, type, 1, bytes);
}
int cufftMakePlanMany(int handle, int rank, int* n, int* in_embed, int in_stride, int in_distance,
                      int* out_embed, int out_stride, int out_distance, int type, int batch,
                      size_t* bytes) {
  return make_many(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                   out_distance, type, batch, bytes);
}
int cufftMakePlanMany64(int handle, int rank, long long* n, long long* in_embed,
                        long long in_stride, long long in_distance, long long* out_embed,
                        long long out_stride, long long out_distance, int type, long long batch,
                        size_t* bytes) {
  return make_many(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                   out_distance, type, batch, bytes);
}

int cufftXtMakePlanMany(int handle, int rank, long long* n, long long* in_embed,
                        long long in_stride, long long in_distance, int in_type,
                        long long* out_embed, long long out_stride, long long out_distance,
                        int out_type, long long batch, size_t* bytes, int) {
  const int type = type_between(in_type, out_type);
  if (type == 0) {
    refuse_library_call("cufftXtMakePlanMany with these types");
    return kNotSupported;
  }
  return make_many(handle, rank, n, in_embed, in_stride, in_distance, out_embed, out_stride,
                   out_distance, type, batch, bytes);
}

// No plan needs room of the program's.
int cufftGetSize(int handle, size_t* bytes) {
  if (find(handle) == nullptr) return kInvalidPlan;
  if (bytes == nullptr) return kInvalidValue;
  return *bytes = 0, kSuccess;
}
int cufftGetSize1d(int handle, int, int, int, size_t* bytes) { return cufftGetSize(handle, bytes); }
int cufftGetSize2d(int handle, int, int, int, size_t* bytes) { return cufftGetSize(handle, bytes); }
int cufftGetSize3d(int handle, int, int, int, int, size_t* bytes) {
  return cufftGetSize(handle, bytes);
}
int cufftSetWorkArea(int handle, void*) { return find(handle) ? kSuccess : kInvalidPlan; }
int cufftSetAutoAllocation(int handle, int) { return find(handle) ? kSuccess : kInvalidPlan; }
int cufftSetStream(int handle, void* stream) {
  Plan* const plan = find(handle);
  if (plan == nullptr) return kInvalidPlan;
  return plan->stream = stream, kSuccess;
}
int cufftGetVersion(int* version) {
  if (version == nullptr) return kInvalidValue;
  return *version = kVersion, kSuccess;
}
int cufftGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return kInvalidValue;
  return *value = property == 0 ? kMajor : 0, kSuccess;
}

int cufftExecC2C(int handle, void* from, void* to, int sign) {
  return execute("cufftExecC2C", handle, FourierKind::kComplex, false, from, to, sign);
}
int cufftExecZ2Z(int handle, void* from, void* to, int sign) {
  return execute("cufftExecZ2Z", handle, FourierKind::kComplex, true, from, to, sign);
}
int cufftExecR2C(int handle, void* from, void* to) {
  return execute("cufftExecR2C", handle, FourierKind::kRealToComplex, false, from, to, -1);
}
int cufftExecD2Z(int handle, void* from, void* to) {
  return execute("cufftExecD2Z", handle, FourierKind::kRealToComplex, true, from, to, -1);
}
int cufftExecC2R(int handle, void* from, void* to) {
  return execute("cufftExecC2R", handle, FourierKind::kComplexToReal, false, from, to, 1);
}
int cufftExecZ2D(int handle, void* from, void* to) {
  return execute("cufftExecZ2D", handle, FourierKind::kComplexToReal, true, from, to, 1);
}

int cufftXtExec(int handle, void* from, void* to, int sign) {
  const Plan* const plan = find(handle);
  if (plan == nullptr || !plan->transform) return kInvalidPlan;
  const FourierPlan& transform = *plan->transform;
  return execute("cufftXtExec", handle, transform.kind, transform.in_double, from, to, sign);
}

int wl_fft_not_here(const char* name) {
  refuse_library_call(name);
  return kNotSupported;
}
}
