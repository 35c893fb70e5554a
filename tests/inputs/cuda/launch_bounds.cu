// Launch bounds, register limits, constant parameters by reference.
struct Config {
  int n;
  float scale[8];
};
extern "C" __global__ void __launch_bounds__(256, 2)
    bounded(const __grid_constant__ Config config, float* out) {
  const Config* p = &config;
  out[threadIdx.x] = p->scale[threadIdx.x % p->n];
}
extern "C" __global__ void __maxnreg__(64) limited(float* out, Config config) {
  config.scale[threadIdx.x % 8] = 1;
  out[threadIdx.x] = config.scale[(threadIdx.x + 1) % 8];
}
