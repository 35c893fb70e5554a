"""A tutorial's own checks at sizes that fit: tutorial_calls.py TUTORIAL EXPRESSION ...

The tutorial is imported, not changed, so that its main part does not run; the expressions are evaluated in it.
"""
import importlib.util
import sys


def load(path):
    spec = importlib.util.spec_from_file_location("tutorial", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["tutorial"] = module
    spec.loader.exec_module(module)
    return module


tutorial = load(sys.argv[1])
tutorial.torch.manual_seed(0)
for expression in sys.argv[2:]:
    eval(expression, vars(tutorial))  # pylint: disable=eval-used
    print("ran", expression, flush=True)
