// Textures and surfaces: read and printed, refused when they would run.
extern "C" __global__ void textures(cudaTextureObject_t image, cudaSurfaceObject_t surface, float4* out) {
  float4 r = tex2D<float4>(image, threadIdx.x + 0.5f, blockIdx.x + 0.5f);
  r.x += tex1Dfetch<float>(image, threadIdx.x);
  r.y += tex2DLod<float>(image, 0.25f, 0.5f, 1.0f);
  r.z += tex2Dgather<float4>(image, 0.1f, 0.2f, 1).x;
  int stored;
  surf2Dread(&stored, surface, threadIdx.x * 4, 0);
  surf2Dwrite(stored + 1, surface, threadIdx.x * 4, 1);
  r.w += stored;
  out[threadIdx.x] = r;
}
