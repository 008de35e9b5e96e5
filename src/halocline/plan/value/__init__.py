"""The plan as a value: messages, operations and how kernels run."""
