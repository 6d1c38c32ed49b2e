"""The parts of the job engine on their own."""
