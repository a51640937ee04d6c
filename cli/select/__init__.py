"""`closeknit select`: choose processors for a job."""
