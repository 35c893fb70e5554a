"""DataLoader workers, which are forked after CUDA was used, and a spawned process that uses CUDA itself."""
import multiprocessing

import torch
from torch.utils.data import DataLoader, TensorDataset


def on_the_device(queue):
    queue.put(float((torch.ones(10, device="cuda") * 2).sum()))


if __name__ == "__main__":
    weight = torch.full((8, 1), 2.0, device="cuda")
    data = DataLoader(TensorDataset(torch.ones(32, 8)), batch_size=8, num_workers=2, pin_memory=True)
    assert sum(float((x.cuda(non_blocking=True) @ weight).sum()) for (x,) in data) == 32 * 8 * 2
    context = multiprocessing.get_context("spawn")
    queue = context.Queue()
    process = context.Process(target=on_the_device, args=(queue,))
    process.start()
    assert queue.get(timeout=600) == 20.0
    process.join()
    print("PASSED")
