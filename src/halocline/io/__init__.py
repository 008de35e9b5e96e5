"""Results as files: fields, pictures, logs."""
