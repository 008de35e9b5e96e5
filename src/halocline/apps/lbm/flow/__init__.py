"""The fields and the steps of a flow."""
