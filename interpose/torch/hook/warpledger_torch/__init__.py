"""PyTorch's own (aten) operators on CUDA tensors, computed by the CPU kernels of the same torch.

Torch ships its CUDA kernels as machine code; `--aten gpu` runs them (own_kernels), else the CPU computes. A device pointer of the drop-in libraries is
the same number on the host, so a CPU tensor can alias a CUDA tensor's memory: each operator of the CUDA dispatch key
is replaced by one that runs its CPU kernel on aliases. Allocation, views, streams and autograd stay torch's own, and
Triton and CUDA kernels of the program run and are profiled as ever.

    after_import  runs what follows when the program itself imports torch
    install       checks torch, and takes the operators over when CUDA is first used
    takeover      which operator is computed how: CPU kernel, formula, torch's own, refused
    own_kernels   --aten gpu: operators that torch's own CUDA kernels compute
    call          one call: aliases in, results out
    half          operators that CUDA computes in float where the CPU does not
    rng           random numbers
    copies        copies between tensors, and to the host
    formulas      operators that only CUDA has; attention: fused attention
    graphs        operators in CUDA graphs
    estimate      the time of an operator on the stream's clock
    benchmark     do_bench and autotuners: one call, for its time
    benchmarkers  puts that in the place of Triton's and Inductor's repetitions
    tuners        and of Helion's and TileLang's
    library       the C functions of the drop-in libraries
"""
