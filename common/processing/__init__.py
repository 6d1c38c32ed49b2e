"""Pure work: parameters in, files and a result out. Nothing here knows MongoDB, queues or HTTP servers."""
