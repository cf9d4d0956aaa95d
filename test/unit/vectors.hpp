// The rows of a file in test/vectors: tab-separated, with names in the header row. The original library made
// each of them. Lines that begin with # are comments.
#pragma once

#include "../../src/core/bits.hpp"
#include "../../src/core/text.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

class vector_row {
public:
  explicit vector_row(std::map<std::string, std::string> fields) : fields_(std::move(fields)) {}

  std::string const &text(char const *column) const { return fields_.at(column); }
  std::int64_t number(char const *column) const { return std::stoll(text(column)); }
  std::uint64_t unsigned_number(char const *column) const { return std::stoull(text(column)); }
  std::uint64_t hex(char const *column) const { return std::stoull(text(column), nullptr, 16); }

  std::vector<unsigned char> bytes(char const *column) const {
    std::vector<unsigned char> result;
    for (std::size_t i = 0; i < text(column).size(); i += 2)
      result.push_back(static_cast<unsigned char>(std::stoul(text(column).substr(i, 2), nullptr, 16)));
    return result;
  }

private:
  std::map<std::string, std::string> fields_;
};

inline std::vector<std::string> split_tabs(std::string const &line) {
  std::vector<std::string> cells;
  std::istringstream stream(line);
  for (std::string cell; std::getline(stream, cell, '\t');)
    cells.push_back(cell);
  return cells;
}

inline std::vector<vector_row> read_vectors(char const *file) {
  std::ifstream stream(std::string(KID_VECTORS) + "/" + file);
  std::vector<vector_row> rows;
  std::string line;
  while (std::getline(stream, line) && line[0] == '#')
    ;
  auto const header = split_tabs(line);
  while (std::getline(stream, line)) {
    std::map<std::string, std::string> fields;
    auto const cells = split_tabs(line);
    for (std::size_t i = 0; i < header.size() && i < cells.size(); i++)
      fields[header[i]] = cells[i];
    rows.emplace_back(std::move(fields));
  }
  EXPECT_GE(rows.size(), 1U) << file;
  return rows;
}

template <class Id> std::string encode(typename Id::word id) {
  char text[Id::text::max_length];
  return {text, Id::text::encode(id, text)};
}

/// Returns the ID in a row's column `hex`.
template <class Id> typename Id::word id_of(vector_row const &row) {
  auto const bytes = row.bytes("hex");
  EXPECT_EQ(bytes.size(), Id::size);
  return kid::load_big<Id::size, typename Id::word>(bytes.data());
}

/// Tests that text and bytes of `id` equal those of the row, and that both are decoded to `id`.
template <class Id> void expect_forms(vector_row const &row, char const *column, typename Id::word id) {
  auto const &text = row.text(column);
  auto const bytes = row.bytes("hex");
  unsigned char stored[Id::size];
  typename Id::word decoded = 0;

  kid::store_big<Id::size>(id, stored);
  EXPECT_EQ(std::vector<unsigned char>(stored, stored + sizeof stored), bytes);
  EXPECT_TRUE(id_of<Id>(row) == id);
  EXPECT_EQ(encode<Id>(id), text);
  EXPECT_EQ(Id::text::decode(text.data(), text.size(), decoded).error, kid::text_error::none);
  EXPECT_TRUE(decoded == id) << text;
}

/// Tests that rows sorted by ID are also sorted by text, in ASCII order.
template <class Id> void expect_same_order(std::vector<vector_row> rows, char const *column) {
  std::sort(rows.begin(), rows.end(), [](auto const &x, auto const &y) { return id_of<Id>(x) < id_of<Id>(y); });
  EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end(),
                             [&](auto const &x, auto const &y) { return x.text(column) < y.text(column); }));
}
