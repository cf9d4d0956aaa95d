// A stand-in for the server, for targets that call functions of src/pg: errors, memory and encodings, in one process.
//
// The order of includes matters. First come the headers of C++ and of src/core, which PostgreSQL's macros would break,
// then this file, and then the files of src/pg, which find here what is otherwise the server's.
//
// An error leaves the function that raised it by longjmp, as in PostgreSQL, and succeeds() catches it. A `run` frees
// what was allocated. Each allocation is one of malloc(), so that AddressSanitizer sees who reads beyond its end.
#pragma once

#include <csetjmp>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace fuzz {

inline void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Returns what printf() would print. PostgreSQL's headers, which follow, give vsnprintf() another name.
inline std::string printed(char const *form, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  auto const length = static_cast<std::size_t>(std::vsnprintf(nullptr, 0, form, again));
  va_end(again);
  std::string text(length + 1, '\0');
  std::vsnprintf(text.data(), length + 1, form, arguments);
  text.resize(length);
  return text;
}

} // namespace fuzz

#include "../../src/pg/base/compat.hpp"

namespace fuzz {

/// The last error that was raised.
struct raised_error {
  int level;
  int sqlstate;
  std::vector<std::string> texts; ///< message, detail and hint, as far as there are any
};
inline raised_error error;

inline std::jmp_buf *handler = nullptr;
inline void (*before_error)() = nullptr; ///< what a target requires whenever an error is raised
inline bool is_utf8 = false;             ///< whether the encoding is UTF-8, otherwise SQL_ASCII
inline std::vector<void *> allocated;

/// The time of one input, at whose end all allocated memory is freed.
struct run {
  run() = default;
  run(run const &) = delete;
  ~run() {
    for (void *memory : allocated)
      std::free(memory);
    allocated.clear();
  }
};

/// Calls a function, and returns whether it returned without an error.
template <class Call> bool succeeds(Call const &call) {
  std::jmp_buf here;
  if (setjmp(here) == 0) {
    handler = &here;
    call();
    handler = nullptr;
    return true;
  }
  handler = nullptr;
  return false;
}

/// Returns how many bytes the first character of `text` has, by its first byte.
inline int character_length(char const *text) {
  auto const first = static_cast<unsigned char>(*text);
  return !is_utf8 || first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

/// Returns whether a text could be one in the database: it has no byte 0, and consists of whole characters of the
/// encoding. PostgreSQL verifies this before any function gets the text.
inline bool is_valid(std::string_view text) {
  auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.find('\0') != text.npos)
    return false;
  for (std::size_t i = 0; is_utf8 && i < text.size();) {
    auto const length = static_cast<std::size_t>(character_length(&text[i]));
    if ((byte(i) >= 0x80 && byte(i) < 0xc2) || byte(i) > 0xf4 || i + length > text.size())
      return false;
    for (std::size_t next = i + 1; next < i + length; next++)
      if ((byte(next) & 0xc0) != 0x80)
        return false;
    // Forms that are longer than needed, surrogates, and what is above the greatest character.
    if ((byte(i) == 0xe0 && byte(i + 1) < 0xa0) || (byte(i) == 0xed && byte(i + 1) > 0x9f) ||
        (byte(i) == 0xf0 && byte(i + 1) < 0x90) || (byte(i) == 0xf4 && byte(i + 1) > 0x8f))
      return false;
    i += length;
  }
  return true;
}

inline int add_text(char const *form, va_list arguments) {
  error.texts.push_back(printed(form, arguments));
  return 0;
}

} // namespace fuzz

#define KID_FUZZ_TEXT(function)                                                                                        \
  int function(char const *form, ...) {                                                                                \
    va_list arguments;                                                                                                 \
    va_start(arguments, form);                                                                                         \
    fuzz::add_text(form, arguments);                                                                                   \
    va_end(arguments);                                                                                                 \
    return 0;                                                                                                          \
  }

// What PostgreSQL declares.
extern "C" {

bool errstart(int level, char const *) {
  fuzz::error.level = level;
  fuzz::error.sqlstate = 0;
  fuzz::error.texts.clear();
  return level >= WARNING;
}

bool errstart_cold(int level, char const *domain) {
  return errstart(level, domain);
}

int errcode(int sqlstate) {
  fuzz::error.sqlstate = sqlstate;
  return 0;
}

int errcode_for_file_access() {
  return errcode(ERRCODE_IO_ERROR);
}

KID_FUZZ_TEXT(errmsg)
KID_FUZZ_TEXT(errmsg_internal)
KID_FUZZ_TEXT(errdetail)
KID_FUZZ_TEXT(errdetail_internal)
KID_FUZZ_TEXT(errhint)

void errfinish(char const *, int, char const *) {
  // A client could not read a message with a part of a character.
  for (std::string const &text : fuzz::error.texts)
    fuzz::require(fuzz::is_valid(text));
  if (fuzz::error.level < ERROR)
    return;
  fuzz::require(fuzz::handler != nullptr && fuzz::error.sqlstate != 0 &&
                fuzz::error.sqlstate != ERRCODE_INTERNAL_ERROR);
  if (fuzz::before_error != nullptr)
    fuzz::before_error();
  std::longjmp(*fuzz::handler, 1);
}

#if PG_VERSION_NUM >= 160000
bool errsave_start(Node *, char const *domain) {
  return errstart(ERROR, domain);
}

void errsave_finish(Node *, char const *file, int line, char const *function) {
  errfinish(file, line, function);
}
#endif

void *palloc(Size size) {
  void *const memory = std::malloc(size);
  fuzz::allocated.push_back(memory);
  return memory;
}

char *pnstrdup(char const *text, Size size) {
  auto *const copy = static_cast<char *>(palloc(size + 1));
  std::memcpy(copy, text, size);
  copy[size] = '\0';
  return copy;
}

char *psprintf(char const *form, ...) {
  va_list arguments;
  va_start(arguments, form);
  char *result = nullptr;
  {
    std::string const text = fuzz::printed(form, arguments);
    result = pnstrdup(text.data(), text.size());
  }
  va_end(arguments);
  return result;
}

int pg_snprintf(char *text, size_t size, char const *form, ...) {
  va_list arguments;
  va_start(arguments, form);
  std::string const whole = fuzz::printed(form, arguments);
  va_end(arguments);
  fuzz::require(whole.size() < size);
  std::memcpy(text, whole.c_str(), whole.size() + 1);
  return static_cast<int>(whole.size());
}

int GetDatabaseEncoding() {
  return fuzz::is_utf8 ? PG_UTF8 : PG_SQL_ASCII;
}

int pg_mblen(char const *text) {
  return fuzz::character_length(text);
}

int pg_mbstrlen(char const *text) {
  int length = 0;
  for (; *text != '\0'; text += pg_mblen(text))
    length++;
  return length;
}

} // extern "C"
