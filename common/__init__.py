"""What every function shares: jobs, queue, objects, processing, HTTP."""
