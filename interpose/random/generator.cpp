// interpose/random/: our libcurand.so.10, the host interface. It knows cuRAND's ABI, declared here
// by ourselves; it must not know how numbers are made (interpose/math/random.h). The device
// interface is in CUDA's headers and runs with the kernels that use it.
#include <cmath>
#include <memory>

#include "interpose/library_call.h"
#include "interpose/math/random.h"

using namespace warpledger::cuda;
using warpledger::math::Random;
using warpledger::math::RandomType;

namespace {

/// The numbers of curandStatus_t.
enum Status : int {
  kSuccess = 0,
  kNotInitialized = 101,
  kTypeError = 103,
  kOutOfRange = 104,
  kLengthNotMultiple = 105,
  kLaunchFailure = 201,
};
constexpr int kVersion = 10400, kMajor = 10, kMinor = 4;

struct Generator {
  RandomType type = RandomType::kDefault;
  bool of_host = false;  // results go to the program's memory
  uint64_t seed = 0, offset = 0;
  void* stream = nullptr;
  std::shared_ptr<Random> random = {};  // made when it is first used
};

Status create(Generator** made, int type, bool of_host) {
  if (made == nullptr) return kNotInitialized;
  if (!warpledger::math::is_known(RandomType(type))) {
    refuse_library_call(("cuRAND's generator of type " + std::to_string(type)).c_str());
    return kTypeError;
  }
  if (!warpledger::math::has_sequence_of_curand(RandomType(type)) && Core::get().settings().verbose)
    Core::say("this cuRAND generator has the right distributions, but not NVIDIA's sequence");
  *made = new Generator{.type = RandomType(type), .of_host = of_host};
  return kSuccess;
}

/// `fill` draws `count` numbers from the generator.
template <class T, class Fill>
Status generate(const char* name, Generator* generator, T* to, size_t count, Fill fill) {
  if (generator == nullptr) return kNotInitialized;
  if (generator->random == nullptr)
    generator->random =
        std::make_shared<Random>(generator->type, generator->seed, generator->offset);
  const auto compute = [random = generator->random, to, count, fill] { fill(*random, to, count); };
  if (generator->of_host) return compute(), kSuccess;
  const Error error =
      run_library_call(generator->stream, {.library = "cuRAND",
                                           .name = name,
                                           .operands = {{"the output", to, count * sizeof(T)}},
                                           .flops = static_cast<double>(count),
                                           .compute = compute});
  return error == Error::kNone ? kSuccess : kLaunchFailure;
}

/// Normal numbers come in pairs, so `count` is even.
template <class T>
Status generate_normal(const char* name, Generator* generator, T* to, size_t count, T mean,
                       T deviation, bool takes_exponential) {
  if (count % 2 != 0) return kLengthNotMultiple;
  return generate(name, generator, to, count, [=](Random& random, T* at, size_t n) {
    for (size_t i = 0; i < n; i += 2) {
      const std::array<double, 2> pair = random.normals(sizeof(T) == 8);
      for (size_t j = 0; j < 2; ++j) {
        const double value = mean + deviation * pair[j];
        at[i + j] = static_cast<T>(takes_exponential ? std::exp(value) : value);
      }
    }
  });
}

template <class T, class One>
Status generate_each(const char* name, Generator* generator, T* to, size_t count, One one) {
  return generate(name, generator, to, count, [=](Random& random, T* at, size_t n) {
    for (size_t i = 0; i < n; ++i) at[i] = one(random);
  });
}

}  // namespace

extern "C" {

int curandCreateGenerator(Generator** made, int type) { return create(made, type, false); }
int curandCreateGeneratorHost(Generator** made, int type) { return create(made, type, true); }
int curandDestroyGenerator(Generator* generator) {
  if (generator == nullptr) return kNotInitialized;
  return delete generator, kSuccess;
}
int curandGetVersion(int* version) {
  if (version == nullptr) return kOutOfRange;
  return *version = kVersion, kSuccess;
}
int curandGetProperty(int property, int* value) {
  if (value == nullptr || property < 0 || property > 2) return kOutOfRange;
  return *value = property == 0 ? kMajor : property == 1 ? kMinor : 0, kSuccess;
}
int curandSetStream(Generator* generator, void* stream) {
  if (generator == nullptr) return kNotInitialized;
  return generator->stream = stream, kSuccess;
}
// A new seed or offset begins the sequence again.
int curandSetPseudoRandomGeneratorSeed(Generator* generator, unsigned long long seed) {
  if (generator == nullptr) return kNotInitialized;
  generator->seed = seed;
  return generator->random = nullptr, kSuccess;
}
int curandSetGeneratorOffset(Generator* generator, unsigned long long offset) {
  if (generator == nullptr) return kNotInitialized;
  generator->offset = offset;
  return generator->random = nullptr, kSuccess;
}
// All orders are the legacy one here.
int curandSetGeneratorOrdering(Generator* generator, int order) {
  if (generator == nullptr) return kNotInitialized;
  return order >= 100 && order <= 104 ? kSuccess : kOutOfRange;
}
int curandGenerateSeeds(Generator* generator) {
  return generator == nullptr ? kNotInitialized : kSuccess;
}

int curandGenerate(Generator* generator, uint32_t* to, size_t count) {
  return generate_each("curandGenerate", generator, to, count,
                       [](Random& random) { return random.bits(); });
}
int curandGenerateUniform(Generator* generator, float* to, size_t count) {
  return generate_each("curandGenerateUniform", generator, to, count,
                       [](Random& random) { return random.uniform(); });
}
int curandGenerateUniformDouble(Generator* generator, double* to, size_t count) {
  return generate_each("curandGenerateUniformDouble", generator, to, count,
                       [](Random& random) { return random.uniform_double(); });
}
int curandGeneratePoisson(Generator* generator, uint32_t* to, size_t count, double mean) {
  if (!(mean > 0)) return kOutOfRange;
  return generate_each("curandGeneratePoisson", generator, to, count,
                       [mean](Random& random) { return random.poisson(mean); });
}
int curandGenerateNormal(Generator* generator, float* to, size_t count, float mean,
                         float deviation) {
  return generate_normal("curandGenerateNormal", generator, to, count, mean, deviation, false);
}
int curandGenerateNormalDouble(Generator* generator, double* to, size_t count, double mean,
                               double deviation) {
  return generate_normal("curandGenerateNormalDouble", generator, to, count, mean, deviation,
                         false);
}
int curandGenerateLogNormal(Generator* generator, float* to, size_t count, float mean,
                            float deviation) {
  return generate_normal("curandGenerateLogNormal", generator, to, count, mean, deviation, true);
}
int curandGenerateLogNormalDouble(Generator* generator, double* to, size_t count, double mean,
                                  double deviation) {
  return generate_normal("curandGenerateLogNormalDouble", generator, to, count, mean, deviation,
                         true);
}

int wl_random_not_here(const char* name) {
  refuse_library_call(name);
  return kTypeError;
}
}
