"""kidctl leave: columns of kid's types get core types, so that kid can be dropped."""
