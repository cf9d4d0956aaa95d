// The rows of a file in test/vectors: tab-separated, named by its header row. Each was produced by the original
// library.
#pragma once

#include <gtest/gtest.h>

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
  std::getline(stream, line);
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
