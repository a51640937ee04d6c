"""Whether optimal decisions are best for a stream of jobs."""
