"""What an operator watches, in the text form of Prometheus."""
