// base32.tsv is by crockford-base32, typeid.tsv and typeid_invalid.tsv by typeid-js, two libraries for Node.
#include "../../src/core/base32.hpp"
#include "../../src/core/range.hpp"

#include "types.hpp"
#include "vectors.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <memory>
#include <random>
#include <string>

namespace kid {
namespace {

constexpr char alphabet[] = "0123456789abcdefghjkmnpqrstvwxyz";

/// The same form, written plainly: by division.
template <class Id> std::string plain_base32(typename Id::word id) {
  std::string text;
  for (unsigned i = 0; i < base32_of<Id>::length; i++, id /= 32)
    text.insert(text.begin(), alphabet[static_cast<unsigned>(id % 32)]);
  EXPECT_TRUE(id == 0);
  return text;
}

template <class Id> class Base32 : public testing::Test {
public:
  using word = typename Id::word;
  using form = base32_of<Id>;
  static constexpr word not_set = 42;

  word random() {
    unsigned char bytes[Id::size];
    for (auto &byte : bytes)
      byte = static_cast<unsigned char>(engine_());
    return load_big<Id::size, word>(bytes) & greatest<Id>;
  }

  static std::string encode(word id) {
    std::unique_ptr<char[]> const text(new char[form::length]);
    form::encode(id, text.get());
    return {text.get(), form::length};
  }

  /// The text is copied to a buffer of exactly its size, so that AddressSanitizer detects a read past its end.
  static text_status decode(std::string const &text, word &id) {
    std::unique_ptr<char[]> const copy(new char[text.size()]);
    std::memcpy(copy.get(), text.data(), text.size());
    return form::decode(copy.get(), text.size(), id);
  }

  static void expect_id(std::string const &text, word expected) {
    word id = not_set;
    ASSERT_EQ(decode(text, id).error, text_error::none) << text;
    ASSERT_TRUE(id == expected) << text;
  }

  static void expect_error(std::string const &text, text_error error, std::size_t position) {
    word id = not_set;
    auto const status = decode(text, id);
    ASSERT_EQ(status.error, error) << text;
    ASSERT_EQ(status.position, position) << text;
    ASSERT_TRUE(id == not_set) << text;
  }

private:
  std::mt19937_64 engine_{20260101};
};

template <class Tuple> struct test_types;
template <class... Ids> struct test_types<std::tuple<Ids...>> { using type = testing::Types<Ids...>; };
TYPED_TEST_SUITE(Base32, test_types<every_type>::type);

std::string upper(std::string text) {
  for (char &character : text)
    if (character >= 'a' && character <= 'z')
      character = static_cast<char>(character - 'a' + 'A');
  return text;
}

TYPED_TEST(Base32, RandomIds) {
  for (unsigned i = 0; i < 20'000; i++) {
    auto const id = this->random();
    auto const text = this->encode(id);
    ASSERT_EQ(text, plain_base32<TypeParam>(id));
    this->expect_id(text, id);
    this->expect_id(upper(text), id);
  }
}

// Each bit alone, and all bits except one.
TYPED_TEST(Base32, EveryBit) {
  using id_word = typename TypeParam::word;
  for (unsigned bit = 0; bit < bits_of<TypeParam>; bit++)
    for (id_word const id : {id_word{1} << bit, greatest<TypeParam> ^ (id_word{1} << bit)}) {
      auto const text = this->encode(id);
      ASSERT_EQ(text, plain_base32<TypeParam>(id));
      this->expect_id(text, id);
    }
}

TYPED_TEST(Base32, WritesNoByteMore) {
  constexpr char untouched = '*';
  char text[48];
  std::memset(text, untouched, sizeof text);
  TestFixture::form::encode(this->random(), text + 8);
  for (unsigned i = 0; i < sizeof text; i++)
    EXPECT_EQ(text[i] == untouched, i < 8 || i >= 8 + TestFixture::form::length) << i;
}

TYPED_TEST(Base32, SortsAsTheIds) {
  auto id = this->random();
  for (unsigned i = 0; i < 20'000; i++) {
    // Near each other and far apart.
    auto const other = i % 2 == 0
                           ? this->random()
                           : static_cast<decltype(id)>(id ^ (decltype(id){1} << i % std::min(64U, bits_of<TypeParam>)));
    ASSERT_EQ(id < other, this->encode(id) < this->encode(other));
    id = other;
  }
}

// Every byte in every position.
TYPED_TEST(Base32, EveryByte) {
  auto const valid = this->encode(this->random());
  for (unsigned position = 0; position < valid.size(); position++)
    for (unsigned byte = 0; byte < 256; byte++) {
      auto text = valid;
      text[position] = static_cast<char>(byte);
      auto lower = byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte - 'A' + 'a') : static_cast<char>(byte);
      auto const *const found = byte == 0 ? nullptr : std::strchr(alphabet, lower);
      constexpr unsigned first_bits = bits_of<TypeParam> - 5 * (TestFixture::form::length - 1);
      if (found == nullptr) {
        this->expect_error(text, text_error::character, position);
      } else if (position == 0 && (found - alphabet) >> first_bits != 0) {
        this->expect_error(text, text_error::overflow, 0);
      } else {
        auto canonical = valid;
        canonical[position] = lower;
        typename TypeParam::word id = 0;
        ASSERT_EQ(this->decode(text, id).error, text_error::none);
        ASSERT_EQ(this->encode(id), canonical);
      }
    }
}

// The first error counts, in the order of characters.
TYPED_TEST(Base32, EveryLength) {
  constexpr unsigned length = TestFixture::form::length;
  for (unsigned size = 0; size <= 40; size++) {
    std::string const zeros(size, '0');
    if (size == length)
      this->expect_id(zeros, 0);
    else
      this->expect_error(zeros, text_error::length, std::min(size, length));
    for (unsigned position = 0; position < size; position++) {
      auto text = zeros;
      text[position] = 'u';
      if (position < length)
        this->expect_error(text, text_error::character, position);
      else
        this->expect_error(text, text_error::length, length);
    }
  }
}

TYPED_TEST(Base32, Vectors) {
  // The library encodes whole bytes. An ID with leading zeros has fewer digits.
  constexpr unsigned zeros = (8 * TypeParam::size + 4) / 5 - TestFixture::form::length;
  unsigned rows = 0;
  for (auto const &row : read_vectors("base32.tsv"))
    if (row.number("bits") == 8 * TypeParam::size && id_of<TypeParam>(row) <= greatest<TypeParam>) {
      auto const id = id_of<TypeParam>(row);
      auto const text = row.text("text").substr(zeros);
      EXPECT_EQ(this->encode(id), text);
      this->expect_id(text, id);
      rows++;
    }
  EXPECT_GT(rows, zeros > 0 ? 10U : 40U);
}

TEST(TypeId, Valid) {
  for (auto const &row : read_vectors("typeid.tsv")) {
    auto const &prefix = row.text("prefix");
    auto const &text = row.text("typeid");
    std::string digits = row.text("uuid");
    digits.erase(std::remove(digits.begin(), digits.end(), '-'), digits.end());
    auto const id = uuidv7::word{std::stoull(digits.substr(0, 16), nullptr, 16)} << 64 |
                    std::stoull(digits.substr(16), nullptr, 16);

    EXPECT_TRUE(is_prefix(prefix)) << prefix;
    EXPECT_EQ((prefix.empty() ? "" : prefix + "_") + Base32<uuidv7>::encode(id), text);
    Base32<uuidv7>::expect_id(text.substr(prefix.empty() ? 0 : prefix.size() + 1), id);
  }
}

TEST(TypeId, Invalid) {
  for (auto const &row : read_vectors("typeid_invalid.tsv")) {
    std::string const text = row.text("typeid");
    auto const begin = text.rfind('_') + 1;
    uuidv7::word id = 0;
    EXPECT_TRUE(begin == 1 || !is_prefix(text.substr(0, begin == 0 ? 0 : begin - 1)) ||
                Base32<uuidv7>::decode(text.substr(begin), id).error != text_error::none)
        << row.text("what");
  }
}

TEST(Prefix, Rules) {
  for (auto const *valid : {"", "a", "z", "ord", "pre_fix", "a_b", "a__b"})
    EXPECT_TRUE(is_prefix(valid)) << valid;
  EXPECT_TRUE(is_prefix(std::string(63, 'a')));
  EXPECT_FALSE(is_prefix(std::string(64, 'a')));
  EXPECT_FALSE(is_prefix(std::string(1000, 'a')));
  for (auto const *invalid : {"_", "_a", "ab_", "_A"})
    EXPECT_FALSE(is_prefix(invalid)) << invalid;
  for (unsigned byte = 0; byte < 256; byte++)
    EXPECT_EQ(is_prefix(std::string{'a', static_cast<char>(byte), 'a'}), byte == '_' || (byte >= 'a' && byte <= 'z'))
        << byte;
}

// The form can be computed at compile time.
constexpr bool survives(std::uint64_t id) {
  char text[base32_of<kid64>::length] = {};
  std::uint64_t decoded = 0;
  base32_of<kid64>::encode(id, text);
  return base32_of<kid64>::decode(text, sizeof text, decoded).error == text_error::none && decoded == id;
}
static_assert(survives(0) && survives(UINT64_MAX) && survives(0x0123456789abcdef));
static_assert(is_prefix("ord"));

} // namespace
} // namespace kid
