// nvcc: -gencode arch=compute_80,code=sm_80 -no-lineinfo
// Built without PTX and without line information: its machine code itself runs.
#include "machine_code_only.cu"
