// Reads and writes text forms as plain_text.hpp does, one character at a time: random IDs, every bit, every byte, every
// length, and errors.
#include "../../src/core/range.hpp"

#include "plain_text.hpp"
#include "types.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <memory>
#include <random>
#include <string>

namespace kid {
namespace {

template <class Id> class OrderedText : public testing::Test {
public:
  using word = typename Id::word;
  static constexpr unsigned length = Id::text::length;

  word random() {
    unsigned char bytes[Id::size];
    for (auto &byte : bytes)
      byte = static_cast<unsigned char>(engine_());
    return load_big<Id::size, word>(bytes);
  }

  std::string random_text(unsigned size) {
    std::string text;
    while (text.size() < size) {
      char more[length];
      text.append(more, plain<Id>::encode(random(), more));
    }
    return text.substr(0, size);
  }

  /// Decodes with both forms, which must give the same ID or the same error. The text is copied to a buffer of
  /// exactly its size, so that AddressSanitizer detects a read past its end.
  static void expect_same(std::string const &text) {
    constexpr word untouched = 42;
    std::unique_ptr<char[]> const copy(new char[text.size()]);
    std::memcpy(copy.get(), text.data(), text.size());
    word id = untouched, expected_id = untouched;

    auto const status = Id::text::decode(copy.get(), text.size(), id);
    auto const expected = plain<Id>::decode(text.data(), text.size(), expected_id);
    ASSERT_EQ(status.error, expected.error) << text;
    ASSERT_EQ(status.position, expected.position) << text;
    ASSERT_TRUE(id == expected_id) << text;
  }

private:
  std::mt19937_64 engine_{20260101};
};

template <class Tuple> struct test_types;
template <class... Ids> struct test_types<std::tuple<Ids...>> { using type = testing::Types<Ids...>; };
TYPED_TEST_SUITE(OrderedText, test_types<types_with_ordered_text>::type);

TYPED_TEST(OrderedText, RandomIds) {
  for (unsigned i = 0; i < 100'000; i++) {
    auto const id = this->random();
    char expected[TestFixture::length];
    std::unique_ptr<char[]> const text(new char[TestFixture::length]);

    ASSERT_EQ(TypeParam::text::encode(id, text.get()), plain<TypeParam>::encode(id, expected));
    ASSERT_EQ(std::memcmp(text.get(), expected, sizeof expected), 0);
    this->expect_same({expected, sizeof expected});
  }
}

// Each bit alone, and all bits except one.
TYPED_TEST(OrderedText, EveryBit) {
  using id_word = typename TypeParam::word;
  for (unsigned bit = 0; bit < 8 * TypeParam::size; bit++)
    for (id_word const id : {id_word{1} << bit, greatest<TypeParam> ^ (id_word{1} << bit)}) {
      char text[TestFixture::length], expected[TestFixture::length];
      TypeParam::text::encode(id, text);
      plain<TypeParam>::encode(id, expected);
      ASSERT_EQ(std::string(text, sizeof text), std::string(expected, sizeof expected));
      this->expect_same({text, sizeof text});
    }
}

TYPED_TEST(OrderedText, WritesNoByteMore) {
  constexpr char untouched = '*';
  char text[32];
  std::memset(text, untouched, sizeof text);
  TypeParam::text::encode(this->random(), text + 8);
  for (unsigned i = 0; i < sizeof text; i++)
    EXPECT_EQ(text[i] == untouched, i < 8 || i >= 8 + TestFixture::length) << i;
}

// Every byte in every position. For kid64 the last character also tries all padding.
TYPED_TEST(OrderedText, EveryByte) {
  for (unsigned round = 0; round < 20; round++) {
    auto const valid = this->random_text(TestFixture::length);
    for (unsigned position = 0; position < valid.size(); position++)
      for (unsigned byte = 0; byte < 256; byte++) {
        auto text = valid;
        text[position] = static_cast<char>(byte);
        this->expect_same(text);
      }
  }
}

TYPED_TEST(OrderedText, EveryPairOfWrongBytes) {
  auto const valid = this->random_text(TestFixture::length);
  for (unsigned first = 0; first < valid.size(); first++)
    for (unsigned second = first + 1; second < valid.size(); second++) {
      auto text = valid;
      text[first] = '~';
      text[second] = '\xff';
      this->expect_same(text);
    }
}

TYPED_TEST(OrderedText, EveryLength) {
  for (unsigned size = 0; size <= 20; size++) {
    auto const valid = this->random_text(size);
    this->expect_same(valid);
    for (unsigned position = 0; position < size; position++) {
      auto text = valid;
      text[position] = '/';
      this->expect_same(text);
    }
  }
}

} // namespace
} // namespace kid
