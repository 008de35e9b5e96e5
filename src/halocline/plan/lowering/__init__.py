"""From the schedule to the operations of one rank."""
