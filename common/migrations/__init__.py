"""Documents of other versions, and of the service that was here before."""
