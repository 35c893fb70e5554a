// nvcc: -lcufft
// cuFFT: a convolution by transforms, with a kernel between, and real data in place.
#include <cufft.h>

#include "check.h"

#define FFT(call) CHECK_STATUS(call, status_number)

constexpr int kLength = 60, kBatch = 3, kRows = 6, kColumns = 10;

__global__ void multiply(cufftComplex* x, const cufftComplex* y, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const cufftComplex a = x[i], b = y[i];
  x[i] = make_float2((a.x * b.x - a.y * b.y) / kLength, (a.x * b.y + a.y * b.x) / kLength);
}

bool is_near(float a, float b) { return std::fabs(a - b) < 1e-4f; }

int main() {
  std::vector<cufftComplex> x(kBatch * kLength), y(kBatch * kLength);
  for (int i = 0; i < kBatch * kLength; ++i) {
    x[i] = make_float2(any_float(i) - 0.5f, any_float(i + 1000) - 0.5f);
    y[i] = make_float2(any_float(i + 2000) - 0.5f, any_float(i + 3000) - 0.5f);
  }
  cufftComplex *dx = to_device(x), *dy = to_device(y);
  cufftHandle plan;
  FFT(cufftPlan1d(&plan, kLength, CUFFT_C2C, kBatch));
  FFT(cufftExecC2C(plan, dx, dx, CUFFT_FORWARD));
  FFT(cufftExecC2C(plan, dy, dy, CUFFT_FORWARD));
  multiply<<<2, 128>>>(dx, dy, kBatch * kLength);
  FFT(cufftExecC2C(plan, dx, dx, CUFFT_INVERSE));
  const std::vector<cufftComplex> made = to_host(dx, x.size());
  bool right = true;
  for (int one = 0; one < kBatch; ++one) {
    for (int k = 0; k < kLength; ++k) {
      float real = 0, imaginary = 0;
      for (int j = 0; j < kLength; ++j) {
        const cufftComplex a = x[one * kLength + j], b = y[one * kLength + (k - j + kLength) % kLength];
        real += a.x * b.x - a.y * b.y;
        imaginary += a.x * b.y + a.y * b.x;
      }
      right = right && is_near(made[one * kLength + k].x, real) && is_near(made[one * kLength + k].y, imaginary);
    }
  }
  // Real data in place: rows of 10 have the room of 6 complex numbers.
  constexpr int kPitch = 2 * (kColumns / 2 + 1);
  std::vector<float> image(kRows * kPitch);
  for (int i = 0; i < kRows * kPitch; ++i) image[i] = any_float(i + 77);
  float sum = 0;
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) sum += image[i * kPitch + j];
  float* device = to_device(image);
  cufftHandle there, back;
  FFT(cufftPlan2d(&there, kRows, kColumns, CUFFT_R2C));
  FFT(cufftPlan2d(&back, kRows, kColumns, CUFFT_C2R));
  FFT(cufftExecR2C(there, device, reinterpret_cast<cufftComplex*>(device)));
  right = right && is_near(to_host(device, 1)[0], sum);
  FFT(cufftExecC2R(back, reinterpret_cast<cufftComplex*>(device), device));
  const std::vector<float> again = to_host(device, image.size());
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      right = right && is_near(again[i * kPitch + j] / (kRows * kColumns), image[i * kPitch + j]);
  right = right && cufftExecC2C(there, dx, dx, CUFFT_FORWARD) == CUFFT_INVALID_TYPE;
  FFT(cufftDestroy(plan));
  right = right && cufftExecC2C(plan, dx, dx, CUFFT_FORWARD) == CUFFT_INVALID_PLAN;
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
