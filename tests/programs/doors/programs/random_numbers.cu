// nvcc: -lcurand
// cuRAND's host interface: XORWOW's numbers are those that its device interface gives to 4096 threads, and seeds repeat.
#include <curand.h>
#include <curand_kernel.h>

#include "check.h"

#define RANDOM(call) CHECK_STATUS(call, status_number)

constexpr int kThreads = 64, kCount = 4096 + kThreads;

__global__ void draw(float* first, float* second, unsigned long long seed) {
  const int i = threadIdx.x;
  curandState state;
  curand_init(seed, i, 0, &state);
  first[i] = curand_uniform(&state);
  second[i] = curand_uniform(&state);
}

int main() {
  float *numbers = to_device(std::vector<float>(kCount)), *first = to_device(std::vector<float>(kThreads)),
        *second = to_device(std::vector<float>(kThreads));
  curandGenerator_t generator;
  RANDOM(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
  RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  RANDOM(curandGenerateUniform(generator, numbers, kCount));
  draw<<<1, kThreads>>>(first, second, 1234);
  const std::vector<float> made = to_host(numbers, kCount), one = to_host(first, kThreads),
                           two = to_host(second, kThreads);
  bool right = true;
  for (int i = 0; i < kThreads; ++i) right = right && made[i] == one[i] && made[4096 + i] == two[i];

  RANDOM(curandSetPseudoRandomGeneratorSeed(generator, 1234));
  RANDOM(curandSetGeneratorOffset(generator, 4096));
  RANDOM(curandGenerateUniform(generator, numbers, kThreads));
  right = right && to_host(numbers, kThreads) == two;

  RANDOM(curandGenerateNormal(generator, numbers, 4096, 10, 2));
  double mean = 0, square = 0;
  for (const float value : to_host(numbers, 4096)) {
    mean += value / 4096;
    square += value * value / 4096;
  }
  right = right && std::fabs(mean - 10) < 0.2 && std::fabs(square - mean * mean - 4) < 0.5;
  right = right && curandGenerateNormal(generator, numbers, 5, 0, 1) == CURAND_STATUS_LENGTH_NOT_MULTIPLE;
  curandGenerator_t quasi;
  right = right && curandCreateGenerator(&quasi, CURAND_RNG_QUASI_SOBOL32) == CURAND_STATUS_TYPE_ERROR;
  RANDOM(curandDestroyGenerator(generator));
  std::puts(right ? "PASSED" : "FAILED");
  return right ? 0 : 1;
}
