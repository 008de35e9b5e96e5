"""What a kernel reads, writes, waits for and costs."""
