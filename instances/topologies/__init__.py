"""Networks: where processors are, and how many hops lie between them."""
