"""nbgrader's joints: our steps among its own, so that its commands and pages run the hidden checks unchanged."""
