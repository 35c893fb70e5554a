// Clocks, timers and the special registers that say where a thread runs.
extern "C" __global__ void clocks(long long* out) {
  const long long start = clock64();
  unsigned smid, warpid, lanemask, gridid;
  unsigned long long timer;
  asm volatile("mov.u32 %0, %%smid; mov.u32 %1, %%warpid; mov.u32 %2, %%lanemask_lt;"
               : "=r"(smid), "=r"(warpid), "=r"(lanemask));
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(timer));
  asm volatile("mov.u32 %0, %%nsmid;" : "=r"(gridid));
  __nanosleep(100);
  asm volatile("pmevent 1;");
  out[threadIdx.x] =
      clock64() - start + clock() + smid + warpid + lanemask + timer + gridid + warpSize;
}
