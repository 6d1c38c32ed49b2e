"""A real language model: SmolLM2-135M behind llama.cpp's OpenAI-compatible server."""
