#include "interpose/math/fourier_plan.h"

namespace warpledger::math {
namespace {

using Sizes = std::array<int64_t, 3>;

int64_t count(const Sizes& sizes) { return sizes[0] * sizes[1] * sizes[2]; }

/// visit(position in memory, number) for each element of transform `one`.
template <class Visit>
void for_each(const FourierLayout& layout, const Sizes& sizes, int64_t one, Visit visit) {
  int64_t number = 0;
  for (int64_t i = 0; i < sizes[0]; ++i) {
    for (int64_t j = 0; j < sizes[1]; ++j) {
      const int64_t row = (i * layout.embed[1] + j) * layout.embed[2];
      for (int64_t k = 0; k < sizes[2]; ++k)
        visit(one * layout.distance + layout.stride * (row + k), number++);
    }
  }
}

template <class T>
void load(const T* from, const FourierLayout& layout, const Sizes& sizes, int64_t one,
          std::vector<DoubleComplex>& to) {
  for_each(layout, sizes, one, [&](int64_t at, int64_t number) {
    to[static_cast<size_t>(number)] = convert<DoubleComplex>(from[at]);
  });
}

template <class T>
void store(const std::vector<DoubleComplex>& from, const FourierLayout& layout, const Sizes& sizes,
           int64_t one, T* to) {
  for_each(layout, sizes, one, [&](int64_t at, int64_t number) {
    to[at] = convert<T>(from[static_cast<size_t>(number)]);
  });
}

/// Rows of `from` elements become rows of `to`, the missing half by X[n - k] = conj X[k].
std::vector<DoubleComplex> resize_rows(const std::vector<DoubleComplex>& rows, int64_t from,
                                       int64_t to) {
  const int64_t height = static_cast<int64_t>(rows.size()) / from;
  std::vector<DoubleComplex> made(static_cast<size_t>(height * to));
  for (int64_t row = 0; row < height; ++row) {
    for (int64_t k = 0; k < to; ++k) {
      const bool is_there = k < from;
      const DoubleComplex value = rows[static_cast<size_t>(row * from + (is_there ? k : to - k))];
      made[static_cast<size_t>(row * to + k)] = is_there ? value : std::conj(value);
    }
  }
  return made;
}

struct Axes {
  Fourier first, second, last;

  void outer(std::vector<DoubleComplex>& data, const Sizes& sizes, Direction direction) const {
    transform_axis(second, data.data(), sizes[0], sizes[2], direction);
    transform_axis(first, data.data(), 1, sizes[1] * sizes[2], direction);
  }
  void rows(std::vector<DoubleComplex>& data, const Sizes& sizes, Direction direction) const {
    transform_axis(last, data.data(), sizes[0] * sizes[1], 1, direction);
  }
};

/// Of a half spectrum, the rows last; the imaginary parts that real data cannot have do not count.
std::vector<DoubleComplex> run_one(const FourierPlan& plan, const Axes& axes,
                                   std::vector<DoubleComplex> data, Direction direction) {
  if (plan.kind == FourierKind::kComplexToReal) {
    axes.outer(data, plan.in_sizes(), direction);
    data = resize_rows(data, plan.in_sizes()[2], plan.n[2]);
    for (size_t row = 0; row < data.size(); row += static_cast<size_t>(plan.n[2]))
      data[row] = data[row].real();
    axes.rows(data, plan.n, direction);
    return data;
  }
  axes.rows(data, plan.n, direction);
  if (plan.kind == FourierKind::kRealToComplex)
    data = resize_rows(data, plan.n[2], plan.out_sizes()[2]);
  axes.outer(data, plan.out_sizes(), direction);
  return data;
}

template <class From, class To>
void execute_as(const FourierPlan& plan, const void* from, void* to, Direction direction) {
  const Axes axes{Fourier(plan.n[0]), Fourier(plan.n[1]), Fourier(plan.n[2])};
  const Sizes in_sizes = plan.in_sizes(), out_sizes = plan.out_sizes();
  // All are read before any is written: in place, one's output may lie on another's input.
  std::vector<std::vector<DoubleComplex>> results;
  for (int64_t one = 0; one < plan.batch; ++one) {
    std::vector<DoubleComplex> data(static_cast<size_t>(count(in_sizes)));
    load(static_cast<const From*>(from), plan.in, in_sizes, one, data);
    results.push_back(run_one(plan, axes, std::move(data), direction));
  }
  for (int64_t one = 0; one < plan.batch; ++one)
    store(results[static_cast<size_t>(one)], plan.out, out_sizes, one, static_cast<To*>(to));
}

template <class T>
void execute_in(const FourierPlan& plan, const void* from, void* to, Direction direction) {
  using C = std::complex<T>;
  switch (plan.kind) {
    case FourierKind::kComplex:
      return execute_as<C, C>(plan, from, to, direction);
    case FourierKind::kRealToComplex:
      return execute_as<T, C>(plan, from, to, Direction::kForward);
    case FourierKind::kComplexToReal:
      return execute_as<C, T>(plan, from, to, Direction::kInverse);
  }
}

}  // namespace

Sizes FourierPlan::in_sizes() const {
  return {n[0], n[1], kind == FourierKind::kComplexToReal ? n[2] / 2 + 1 : n[2]};
}
Sizes FourierPlan::out_sizes() const {
  return {n[0], n[1], kind == FourierKind::kRealToComplex ? n[2] / 2 + 1 : n[2]};
}

int64_t extent(const FourierLayout& layout, const Sizes& sizes, int64_t batch) {
  const int64_t last =
      ((sizes[0] - 1) * layout.embed[1] + sizes[1] - 1) * layout.embed[2] + sizes[2] - 1;
  return (batch - 1) * layout.distance + layout.stride * last + 1;
}

void execute(const FourierPlan& plan, const void* from, void* to, Direction direction) {
  if (plan.in_double) return execute_in<double>(plan, from, to, direction);
  execute_in<float>(plan, from, to, direction);
}

}  // namespace warpledger::math
