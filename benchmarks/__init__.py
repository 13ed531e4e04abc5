"""What is measured of the kit and of its subject; nothing here is needed to grade."""
