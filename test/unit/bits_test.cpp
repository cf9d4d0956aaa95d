// Binary forms compare as memcmp() compares their bytes, whichever comparison is asked for.
#include "../../src/core/bits.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <functional>
#include <random>

namespace kid {
namespace {

template <unsigned Size> void compares_as_memcmp() {
  std::mt19937_64 random(Size);
  for (int i = 0; i < 200'000; i++) {
    std::array<unsigned char, Size> a;
    for (auto &byte : a)
      byte = static_cast<unsigned char>(random());
    auto b = a;
    // They differ in two bits, in one, or in none, anywhere: also in the last byte, and in the sign of a char.
    for (auto times = random() % 4; times > 1; times--)
      b[random() % Size] ^= static_cast<unsigned char>(1U << random() % 8);
    int const expected = std::memcmp(a.data(), b.data(), Size);
    auto const compare = [&](auto how) { return compare_big<Size>(a.data(), b.data(), how); };
    ASSERT_EQ(compare(three_way()), expected < 0 ? -1 : expected > 0);
    ASSERT_EQ(compare(std::less<>()), expected < 0);
    ASSERT_EQ(compare(std::less_equal<>()), expected <= 0);
    ASSERT_EQ(compare(std::equal_to<>()), expected == 0);
    ASSERT_EQ(compare(std::not_equal_to<>()), expected != 0);
    ASSERT_EQ(compare(std::greater_equal<>()), expected >= 0);
    ASSERT_EQ(compare(std::greater<>()), expected > 0);
  }
}

TEST(Layout, ComparesBinaryFormsAsMemcmp) {
  compares_as_memcmp<10>();
  compares_as_memcmp<12>();
}

} // namespace
} // namespace kid
