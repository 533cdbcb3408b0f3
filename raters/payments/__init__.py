"""What people are paid, and what the platforms say of them."""
