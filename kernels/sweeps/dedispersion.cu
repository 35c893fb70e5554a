// Dedispersion: sums 1,536 channels of bytes into 25,000 samples for each of 2,048 measures; a channel is shifted by the measure. A sweep
// sets the block, the samples and measures a thread (TILE_SIZE_X, TILE_SIZE_Y), and whether they lie a block apart (TILE_STRIDE_X,
// TILE_STRIDE_Y). The measured launches have a grid without the tile in it: blocks beyond the end leave at once
// (tools/validation/sweep_list.py leaves them out).
#ifndef BLOCK_SIZE_X
#define BLOCK_SIZE_X 4
#define BLOCK_SIZE_Y 64
#define TILE_SIZE_X 1
#define TILE_SIZE_Y 3
#define TILE_STRIDE_X 0
#define TILE_STRIDE_Y 1
#endif

constexpr int kSamples = 25000, kMeasures = 2048, kChannels = 1536, kPitch = kSamples + 650;
constexpr float kFirst = 0.0f, kStep = 0.02f;
constexpr int kStepX = TILE_STRIDE_X ? BLOCK_SIZE_X : 1, kStepY = TILE_STRIDE_Y ? BLOCK_SIZE_Y : 1;

extern "C" __global__ void dedispersion(const unsigned char* in, float* out, const float* shifts) {
  const int sample = blockIdx.x * BLOCK_SIZE_X * TILE_SIZE_X + threadIdx.x * (TILE_STRIDE_X ? 1 : TILE_SIZE_X);
  const int measure = blockIdx.y * BLOCK_SIZE_Y * TILE_SIZE_Y + threadIdx.y * (TILE_STRIDE_Y ? 1 : TILE_SIZE_Y);
  if (sample >= kSamples || measure >= kMeasures) return;
  float sum[TILE_SIZE_Y][TILE_SIZE_X] = {};
  for (int channel = 0; channel < kChannels; ++channel) {
    const float shift = shifts[channel];
#pragma unroll
    for (int j = 0; j < TILE_SIZE_Y; ++j) {
      const int delay = static_cast<int>((kFirst + (measure + j * kStepY) * kStep) * shift);
#pragma unroll
      for (int i = 0; i < TILE_SIZE_X; ++i) {
        if (measure + j * kStepY < kMeasures && sample + i * kStepX < kSamples) sum[j][i] += in[channel * kPitch + sample + i * kStepX + delay];
      }
    }
  }
#pragma unroll
  for (int j = 0; j < TILE_SIZE_Y; ++j) {
#pragma unroll
    for (int i = 0; i < TILE_SIZE_X; ++i) {
      if (measure + j * kStepY < kMeasures && sample + i * kStepX < kSamples) out[(measure + j * kStepY) * kSamples + sample + i * kStepX] = sum[j][i];
    }
  }
}
