"""The search port on OpenSearch 2.19 or newer with k-NN: a domain of AWS, or any other endpoint."""
