"""What every command shares: parser, outputs, progress, the screen."""
