"""What docs/torch.md says is refused, called: each raises NotImplementedError that names the operator."""
import torch
from checks import done, say

x = torch.randn(4, 8, 16, 16, device="cuda")
half = torch.randn(20, 2, 32, device="cuda").half()
lengths = torch.tensor([0, 8, 20], dtype=torch.int32, device="cuda")
packed = torch.zeros(8, 64, dtype=torch.uint8, device="cuda")
scales = torch.ones(1, 8, 2, device="cuda").bfloat16()

CALLS = {
    "sparse": lambda: torch.eye(3, device="cuda").to_sparse(),
    "sparse CSR": lambda: torch.eye(3, device="cuda").to_sparse_csr(),
    "quantized": lambda: torch.quantize_per_tensor(x, 0.1, 0, torch.qint8),
    "nested": lambda: torch.nested.nested_tensor([x[0], x[1]], device="cuda"),
    "cuDNN's convolution": lambda: torch.ops.aten.cudnn_convolution(x, x, [0, 0], [1, 1], [1, 1], 1, False, False, False),
    "variable-length flash attention": lambda: torch.ops.aten._flash_attention_forward(
        half, half, half, lengths, lengths, 12, 12, 0.0, False, False),
    "int4 packing": lambda: torch.ops.aten._convert_weight_to_int4pack(packed, 2),
    "int4 product": lambda: torch.ops.aten._weight_int4pack_mm(x[0, 0].bfloat16(), packed.int()[:, :2, None, None], 32, scales),
    "statistics of SyncBatchNorm": lambda: torch.batch_norm_stats(x, 1e-5),
    "torch.cuda._sleep": lambda: torch.cuda._sleep(1000),
}
for name, call in CALLS.items():
    try:
        result = call()
        said = f"gave {type(result).__name__}"
    except NotImplementedError as fault:
        said = str(fault)
    except Exception as fault:
        said = f"{type(fault).__name__}: {str(fault).splitlines()[0]}"
    say(name, said.startswith("warpledger: aten::"), f"({said[:100]})")
done()
