// nvcc: -lcublas
// cuBLAS beside a kernel of our own: types, transposes, batches, pointer modes, capture, faults.
#include <cublas_v2.h>
#include <cuda_fp16.h>

#include "check.h"

#define BLAS(call) CHECK_STATUS(call, cublasGetStatusName)

constexpr int kM = 6, kN = 5, kK = 7;
int faults = 0;

void expect(bool right, const char* what) {
  if (right) return;
  ++faults;
  std::printf("wrong: %s\n", what);
}

__global__ void add_one(float* x, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] += 1;
}

std::vector<float> whole(size_t count, unsigned seed) {
  std::vector<float> made(count);
  for (size_t i = 0; i < count; ++i)
    made[i] = std::floor(any_float(seed + static_cast<unsigned>(i)) * 9) - 4;
  return made;
}

/// alpha A B, columns first.
std::vector<float> product(const std::vector<float>& a, const std::vector<float>& b, float alpha) {
  std::vector<float> c(kM * kN);
  for (int j = 0; j < kN; ++j)
    for (int i = 0; i < kM; ++i)
      for (int l = 0; l < kK; ++l) c[j * kM + i] += alpha * a[l * kM + i] * b[j * kK + l];
  return c;
}

int main() {
  cublasHandle_t handle;
  BLAS(cublasCreate(&handle));
  int version = 0;
  BLAS(cublasGetVersion(handle, &version));
  expect(version >= 130000, "version");
  const std::vector<float> a = whole(kM * kK, 1), b = whole(kK * kN, 100);
  const std::vector<float> ab = product(a, b, 2);
  float *da = to_device(a), *db = to_device(b), *dc = to_device(std::vector<float>(kM * kN));
  const float two = 2, zero = 0, one = 1;

  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, da, kM, db, kK, &zero, dc, kM));
  expect(to_host(dc, ab.size()) == ab, "sgemm");
  // C^T = B^T A^T, and a kernel between.
  add_one<<<1, 32>>>(dc, kM * kN);
  BLAS(cublasSgemm(handle, CUBLAS_OP_T, CUBLAS_OP_T, kN, kM, kK, &two, db, kK, da, kM, &zero, dc, kN));
  const std::vector<float> turned = to_host(dc, ab.size());
  for (int i = 0; i < kM; ++i)
    for (int j = 0; j < kN; ++j) expect(turned[i * kN + j] == ab[j * kM + i], "transposes");

  // Scalars and results on the device.
  float* scalars = to_device(std::vector<float>{2, 0, 0});
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, scalars, da, kM, db, kK, scalars + 1, dc, kM));
  BLAS(cublasSdot(handle, kM * kN, dc, 1, dc, 1, scalars + 2));
  BLAS(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  float squares = 0, norm = 0;
  for (const float one_of : ab) squares += one_of * one_of;
  expect(to_host(scalars, 3)[2] == squares, "dot on the device");
  BLAS(cublasSnrm2(handle, kM * kN, dc, 1, &norm));
  expect(std::fabs(norm - std::sqrt(squares)) < 1e-4f * norm, "nrm2");
  int largest = 0;
  BLAS(cublasIsamax(handle, kM * kN, dc, 1, &largest));
  for (const float one_of : ab) expect(std::fabs(one_of) <= std::fabs(ab[largest - 1]), "isamax");

  // Half, summed in float; batches at a stride and by pointers.
  std::vector<__half> ha, hb;
  for (const float one_of : a) ha.push_back(__float2half(one_of));
  for (const float one_of : b) hb.push_back(__float2half(one_of));
  __half *dha = to_device(ha), *dhb = to_device(hb);
  BLAS(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, dha, CUDA_R_16F, kM, dhb, CUDA_R_16F, kK,
                    &zero, dc, CUDA_R_32F, kM, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT));
  expect(to_host(dc, ab.size()) == ab, "gemm of halves");
  float* many = to_device(std::vector<float>(3 * kM * kN));
  BLAS(cublasSgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, da, kM, 0, db, kK, 0, &zero,
                                 many, kM, kM * kN, 3));
  const float** lists = to_device(std::vector<const float*>{da, da, db, db, dc, many});
  BLAS(cublasSgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &one, lists, kM, lists + 2, kK, &one,
                          const_cast<float**>(lists) + 4, kM, 2));
  const std::vector<float> strided = to_host(many, 3 * ab.size()), listed = to_host(dc, ab.size());
  for (size_t i = 0; i < ab.size(); ++i) {
    expect(strided[2 * ab.size() + i] == ab[i] && strided[i] == 1.5f * ab[i], "strided batch");
    expect(listed[i] == 1.5f * ab[i], "batch of pointers");
  }

  // In a graph it is computed at each launch, in order with kernels, and takes time.
  cudaStream_t stream;
  CHECK(cudaStreamCreate(&stream));
  BLAS(cublasSetStream(handle, stream));
  CHECK(cudaMemset(dc, 0, ab.size() * sizeof(float)));
  CHECK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal));
  BLAS(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, da, kM, db, kK, &one, dc, kM));
  add_one<<<1, 32, 0, stream>>>(dc, kM * kN);
  cudaGraph_t graph;
  CHECK(cudaStreamEndCapture(stream, &graph));
  expect(to_host(dc, 1)[0] == 0, "captured work does not run");
  cudaGraphExec_t exec;
  CHECK(cudaGraphInstantiate(&exec, graph, 0));
  cudaEvent_t begin, end;
  CHECK(cudaEventCreate(&begin));
  CHECK(cudaEventCreate(&end));
  CHECK(cudaEventRecord(begin, stream));
  for (int i = 0; i < 2; ++i) CHECK(cudaGraphLaunch(exec, stream));
  CHECK(cudaEventRecord(end, stream));
  CHECK(cudaStreamSynchronize(stream));
  float milliseconds = 0;
  CHECK(cudaEventElapsedTime(&milliseconds, begin, end));
  const std::vector<float> twice = to_host(dc, ab.size());
  for (size_t i = 0; i < ab.size(); ++i) expect(twice[i] == 2 * ab[i] + 2, "graph");
  expect(milliseconds > 0, "time");

  // What BLAS forbids, what we do not have, and what is not the device's.
  expect(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, da, kM - 1, db, kK, &zero, dc, kM) ==
             CUBLAS_STATUS_INVALID_VALUE, "short leading dimension");
  expect(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, da, kM, db, kK, &zero, dc, kM) ==
             CUBLAS_STATUS_NOT_INITIALIZED, "no handle");
  expect(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, kM, kN, kK, &two, a.data(), kM, db, kK, &zero, dc, kM) ==
             CUBLAS_STATUS_EXECUTION_FAILED, "a host's matrix");
  expect(cublasSspr(handle, CUBLAS_FILL_MODE_LOWER, 2, &two, da, 1, dc) == CUBLAS_STATUS_NOT_SUPPORTED, "sspr");
  BLAS(cublasDestroy(handle));
  std::puts(faults == 0 ? "PASSED" : "FAILED");
  return faults != 0;
}
