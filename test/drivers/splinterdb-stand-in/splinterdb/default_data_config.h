// See splinterdb.h beside it.
#pragma once

struct data_config {};

inline void default_data_config_init(data_config*) {}
