// Compares what a step of a logical clock returned with its kind and its state.
#pragma once

#include <gtest/gtest.h>

#define EXPECT_STEP(result, expected_kind, expected_state)                                                             \
  do {                                                                                                                 \
    step_result const r = (result);                                                                                    \
    EXPECT_EQ(r.kind, expected_kind);                                                                                  \
    EXPECT_EQ(r.state, expected_state);                                                                                \
  } while (false)
