// A stand-in for the public header of SplinterDB, made for tests by hand: the functions that drivers/engines uses, with
// the parameters that they have there in 2026-06, over a map in memory. It shows that the driver compiles and keeps to
// the order of calls; it shows nothing of SplinterDB.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

#include "default_data_config.h"

#ifndef SPLINTERDB_PLATFORM_DIR
#error SPLINTERDB_PLATFORM_DIR is to be defined, as the real headers demand
#endif

typedef uint64_t uint64;

struct slice {
  uint64 length;
  const void* data;
};

inline slice slice_create(uint64 length, const void* data) {
  return {length, data};
}
inline uint64 slice_length(const slice from) {
  return from.length;
}
inline const void* slice_data(const slice from) {
  return from.data;
}

struct splinterdb_config {
  const char* filename;
  uint64 cache_size;
  uint64 disk_size;
  data_config* data_cfg;
  uint64 num_memtable_bg_threads;
  uint64 num_normal_bg_threads;
  bool use_log;
  uint64 memtable_capacity;
};

struct splinterdb {
  std::map<std::string, std::string> records;
  int in_use = 0;  // lookups and iterators: none may be left when it is closed
};

struct splinterdb_lookup_result {
  splinterdb* database;
  const std::string* value;
};

struct splinterdb_iterator {
  splinterdb* database;
  std::map<std::string, std::string>::const_iterator at;
};

typedef uint64 splinterdb_lookup_flags;
#define SPLINTERDB_LOOKUP_VALUE ((splinterdb_lookup_flags)0)

enum comparison { less_than, less_than_or_equal, greater_than, greater_than_or_equal };

// The map outlives closing: it plays the file.
inline splinterdb& stand_in() {
  static splinterdb instance;
  return instance;
}

inline std::string stand_in_text(slice from) {
  return std::string(static_cast<const char*>(from.data == nullptr ? "" : from.data), from.length);
}

inline const char* splinterdb_get_version() {
  return "stand-in";
}
inline int splinterdb_create(const splinterdb_config* configuration, splinterdb** database) {
  FILE* const file = fopen(configuration->filename, "wx");
  if (file == nullptr || configuration->disk_size == 0 || configuration->cache_size == 0) return 22;
  fclose(file);
  *database = &stand_in();
  return 0;
}
inline int splinterdb_open(const splinterdb_config* configuration, splinterdb** database) {
  FILE* const file = fopen(configuration->filename, "r");
  if (file == nullptr) return 2;
  fclose(file);
  *database = &stand_in();
  return 0;
}
inline void splinterdb_close(splinterdb** database) {
  if ((*database)->in_use != 0) abort();
  *database = nullptr;
}

inline void splinterdb_lookup_result_init(const splinterdb*, splinterdb_lookup_result* result, splinterdb_lookup_flags,
                                          uint64, char*) {
  *result = {&stand_in(), nullptr};
  result->database->in_use++;
}
inline void splinterdb_lookup_result_deinit(splinterdb_lookup_result* result) {
  result->database->in_use--;
}
inline bool splinterdb_lookup_found(const splinterdb_lookup_result* result) {
  return result->value != nullptr;
}
inline int splinterdb_lookup_result_value(const splinterdb_lookup_result* result, slice* value) {
  if (result->value == nullptr) return 2;
  *value = slice_create(result->value->size(), result->value->data());
  return 0;
}
inline int splinterdb_lookup(splinterdb* database, slice key, splinterdb_lookup_result* result) {
  const auto found = database->records.find(stand_in_text(key));
  result->value = found == database->records.end() ? nullptr : &found->second;
  return 0;
}

inline int splinterdb_insert(splinterdb* database, slice key, slice value, splinterdb_lookup_result*) {
  database->records[stand_in_text(key)] = stand_in_text(value);
  return 0;
}

inline int splinterdb_iterator_init(splinterdb* database, splinterdb_iterator** iterator, comparison, slice from) {
  database->in_use++;
  *iterator = new splinterdb_iterator{database, database->records.lower_bound(stand_in_text(from))};
  return 0;
}
inline void splinterdb_iterator_deinit(splinterdb_iterator* iterator) {
  iterator->database->in_use--;
  delete iterator;
}
inline bool splinterdb_iterator_valid(splinterdb_iterator* iterator) {
  return iterator->at != iterator->database->records.end();
}
inline void splinterdb_iterator_next(splinterdb_iterator* iterator) {
  ++iterator->at;
}
inline void splinterdb_iterator_get_current(splinterdb_iterator* iterator, slice* key, slice* value) {
  *key = slice_create(iterator->at->first.size(), iterator->at->first.data());
  *value = slice_create(iterator->at->second.size(), iterator->at->second.data());
}
inline int splinterdb_iterator_status(const splinterdb_iterator*) {
  return 0;
}
