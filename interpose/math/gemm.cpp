#include "interpose/math/gemm.h"

#include <algorithm>

#include "interpose/math/element.h"
#include "interpose/math/openblas.h"

namespace warpledger::math {
namespace {

constexpr double kRootTwoOverPi = 0.7978845608028654, kCubic = 0.044715;

template <class T>
constexpr Type kTypeOf = std::is_same_v<T, float>     ? Type::kR32F
                         : std::is_same_v<T, double>  ? Type::kR64F
                         : std::is_same_v<T, Complex> ? Type::kC32F
                                                      : Type::kC64F;

/// Element i of a matrix's data as T.
template <class T>
T load(const Matrix& from, int64_t i) {
  return math::load<T>(from.data, from.type, i);
}
template <class T>
void store(const Matrix& to, int64_t i, T value) {
  math::store(to.data, to.type, i, value);
}

/// The matrix as T: itself, or a copy in `room`.
template <class T>
Matrix as_type(const Matrix& from, int64_t rows, int64_t columns, std::vector<T>& room) {
  if (from.type == kTypeOf<T>) return from;
  room.resize(static_cast<size_t>(rows * columns));
  with_type(from.type, [&](auto one) {
    const auto* data = static_cast<const decltype(one)*>(from.data);
    for (int64_t j = 0; j < columns; ++j) {
      for (int64_t i = 0; i < rows; ++i)
        room[static_cast<size_t>(j * rows + i)] = convert<T>(data[j * from.ld + i]);
    }
  });
  return {room.data(), kTypeOf<T>, std::max<int64_t>(1, rows)};
}

template <class T>
char letter(Op op) {
  return op == Op::kNone ? 'N' : op == Op::kAdjoint && kIsComplex<T> ? 'C' : 'T';
}

/// sums = alpha op(A) op(B) + beta sums.
template <class T>
void multiply(const Gemm& gemm, T alpha, T beta, T* sums, int64_t ld) {
  const bool reads = alpha != T(0) && gemm.k > 0;  // otherwise A and B may be anything
  const bool a_turned = gemm.a_op != Op::kNone, b_turned = gemm.b_op != Op::kNone;
  std::vector<T> a_room, b_room;
  const Matrix none{sums, kTypeOf<T>, std::max({gemm.m, gemm.n, gemm.k, int64_t{1}})};
  const Matrix a =
      reads ? as_type(gemm.a, a_turned ? gemm.k : gemm.m, a_turned ? gemm.m : gemm.k, a_room)
            : none;
  const Matrix b =
      reads ? as_type(gemm.b, b_turned ? gemm.n : gemm.k, b_turned ? gemm.k : gemm.n, b_room)
            : none;
  const char a_letter = letter<T>(gemm.a_op), b_letter = letter<T>(gemm.b_op);
  const auto m = static_cast<int>(gemm.m), n = static_cast<int>(gemm.n);
  const int k = reads ? static_cast<int>(gemm.k) : 0;
  const auto lda = static_cast<int>(a.ld), ldb = static_cast<int>(b.ld), ldc = static_cast<int>(ld);
  call_openblas<T>("gemm", &a_letter, &b_letter, &m, &n, &k, &alpha, static_cast<const T*>(a.data),
                   &lda, static_cast<const T*>(b.data), &ldb, &beta, sums, &ldc);
}

template <class T>
T apply(const Epilogue& epilogue, T sum, int64_t row, int64_t column) {
  if constexpr (kIsComplex<T>) {
    return sum;
  } else {
    using Function = Epilogue::Function;
    if (epilogue.bias) sum += load<T>(*epilogue.bias, row);
    const int64_t at = epilogue.aux ? column * epilogue.aux->ld + row : 0;
    if (epilogue.function == Function::kGelu && epilogue.aux) store(*epilogue.aux, at, sum);
    switch (epilogue.function) {
      case Function::kNone:
        return sum;
      case Function::kRelu:
        return sum < T(0) ? T(0) : sum;  // a NaN stays
      case Function::kGelu:
        return static_cast<T>(gelu(sum));
      case Function::kGeluGradient:
        return static_cast<T>(sum * gelu_gradient(load<double>(*epilogue.aux, at)));
    }
    return sum;
  }
}

/// One sum for each of `count` rows (or columns) of op(X), over k.
template <class T>
void add_gradient(const Matrix& x, int64_t count, int64_t k, bool k_is_contiguous,
                  const Matrix& to) {
  for (int64_t i = 0; i < count; ++i) {
    T sum{};
    for (int64_t j = 0; j < k; ++j)
      sum += load<T>(x, k_is_contiguous ? i * x.ld + j : j * x.ld + i);
    store(to, i, sum);
  }
}

template <class T>
void store_gradient(const Gemm& gemm) {
  using Gradient = Epilogue::Gradient;
  const Epilogue& epilogue = gemm.epilogue;
  if (epilogue.gradient == Gradient::kOfA)
    add_gradient<T>(gemm.a, gemm.m, gemm.k, gemm.a_op != Op::kNone, *epilogue.gradient_to);
  if (epilogue.gradient == Gradient::kOfB)
    add_gradient<T>(gemm.b, gemm.n, gemm.k, gemm.b_op == Op::kNone, *epilogue.gradient_to);
}

template <class T>
T scalar(const void* value, Type type) {
  return load<T>({const_cast<void*>(value), type, 1}, 0);
}

bool is_plain(const Epilogue& epilogue) {
  return epilogue.function == Epilogue::Function::kNone && !epilogue.bias &&
         epilogue.gradient == Epilogue::Gradient::kNone;
}

template <class T>
void compute_as(const Gemm& gemm) {
  const T alpha = scalar<T>(gemm.alpha, gemm.scale), beta = scalar<T>(gemm.beta, gemm.scale);
  const Matrix& d = gemm.d;
  if (gemm.c.data == d.data && d.type == kTypeOf<T> && is_plain(gemm.epilogue))
    return multiply(gemm, alpha, beta, static_cast<T*>(d.data), d.ld);
  std::vector<T> sums(static_cast<size_t>(gemm.m * gemm.n));
  for (int64_t j = 0; j < gemm.n && beta != T(0); ++j) {
    for (int64_t i = 0; i < gemm.m; ++i)
      sums[static_cast<size_t>(j * gemm.m + i)] = load<T>(gemm.c, j * gemm.c.ld + i);
  }
  multiply(gemm, alpha, beta, sums.data(), std::max<int64_t>(1, gemm.m));
  store_gradient<T>(gemm);
  for (int64_t j = 0; j < gemm.n; ++j) {
    for (int64_t i = 0; i < gemm.m; ++i) {
      const T sum = sums[static_cast<size_t>(j * gemm.m + i)];
      store(d, j * d.ld + i, apply(gemm.epilogue, sum, i, j));
    }
  }
}

bool is_complex(Type type) { return type == Type::kC32F || type == Type::kC64F; }

}  // namespace

double gelu(double x) {
  return 0.5 * x * (1 + std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x)));
}

double gelu_gradient(double x) {
  const double t = std::tanh(kRootTwoOverPi * (x + kCubic * x * x * x));
  return 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * kRootTwoOverPi * (1 + 3 * kCubic * x * x);
}

bool is_supported(const Gemm& gemm) {
  const bool complex = is_complex(gemm.accumulate);
  for (const Type type : {gemm.a.type, gemm.b.type, gemm.c.type, gemm.d.type, gemm.scale}) {
    if (size_of(type) == 0 || is_complex(type) != complex) return false;
  }
  return gemm.accumulate != Type::kR32I || (gemm.a.type == Type::kR8I && gemm.b.type == Type::kR8I);
}

void compute(const Gemm& gemm) {
  if (gemm.m == 0 || gemm.n == 0) return;
  switch (gemm.accumulate) {
    case Type::kR64F:
      return compute_as<double>(gemm);
    // Exact: 2^53 / 2^14 products fit.
    case Type::kR32I:
      return compute_as<double>(gemm);
    case Type::kC32F:
      return compute_as<Complex>(gemm);
    case Type::kC64F:
      return compute_as<DoubleComplex>(gemm);
    default:
      return compute_as<float>(gemm);
  }
}

}  // namespace warpledger::math
