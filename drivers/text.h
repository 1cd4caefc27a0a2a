// Text for people and for JSON.
#pragma once

#include <stdio.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace assay {

// Levenshtein's distance.
inline size_t Distance(const std::string& a, const std::string& b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); j++) row[j] = j;
  for (size_t i = 1; i <= a.size(); i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); j++) {
      const size_t replaced = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({replaced, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row[b.size()];
}

// " (did you mean …?)", or nothing where no name is near.
inline std::string DidYouMean(const std::string& name, const std::vector<std::string>& known) {
  const std::string* nearest = nullptr;
  size_t least = name.size() < 64 ? std::max<size_t>(2, name.size() / 3) + 1 : 0;
  for (const std::string& candidate : known) {
    const size_t distance = Distance(name.substr(0, 64), candidate);
    if (distance < least) {
      least = distance;
      nearest = &candidate;
    }
  }
  return nearest == nullptr ? "" : " (did you mean " + *nearest + "?)";
}

inline std::string Joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : between) + part;
  return text;
}

// The length of the UTF-8 character at `at`, 0 where there is none that is well formed (RFC 3629).
inline size_t Utf8Length(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return i < text.size() ? static_cast<unsigned char>(text[i]) : 0u; };
  const unsigned first = byte(at);
  const unsigned second = byte(at + 1);
  if (first < 0x80) return 1;
  const size_t length = first >= 0xC2 && first <= 0xDF   ? 2
                        : first >= 0xE0 && first <= 0xEF ? 3
                        : first >= 0xF0 && first <= 0xF4 ? 4
                                                         : 0;
  if (length == 0) return 0;
  const unsigned low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const unsigned high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return 0;
  for (size_t i = 2; i < length; i++) {
    if ((byte(at + i) & 0xC0) != 0x80) return 0;
  }
  return length;
}

// The inside of a JSON string (RFC 8259). What is not UTF-8 becomes U+FFFD; all control characters are escaped, those
// of one byte and those of two, so that the text may also go to a terminal.
inline std::string Escaped(std::string_view text) {
  std::string json;
  for (size_t at = 0; at < text.size();) {
    const size_t length = Utf8Length(text, at);
    const unsigned char c = static_cast<unsigned char>(text[at]);
    const unsigned second = length == 2 ? static_cast<unsigned char>(text[at + 1]) : 0u;
    const unsigned control = c < 0x20 || c == 0x7F ? c : c == 0xC2 && second < 0xA0 ? second : 0u;
    if (length == 0) {
      json += "\\ufffd";
    } else if (c == '"' || c == '\\') {
      json += {'\\', static_cast<char>(c)};
    } else if (control != 0 || c == 0) {
      char escape[16];
      snprintf(escape, sizeof escape, "\\u%04x", control);
      json += escape;
    } else {
      json += text.substr(at, length);
    }
    at += std::max<size_t>(length, 1);
  }
  return json;
}

inline std::string JsonString(std::string_view text) {
  return '"' + Escaped(text) + '"';
}

}  // namespace assay
