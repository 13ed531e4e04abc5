"""What is handed out or uploaded. Nothing here ever holds source, solutions or hidden checks."""
