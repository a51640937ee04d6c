"""What every search shares: settings, results, limits, clocks, machine code."""
