// Work that goes over its keys once, in slices: each takes the next of them.
#pragma once

#include <algorithm>

#include "database.h"
#include "verification.h"

// `Timed` works on [begin, end) of the work and leaves in its status how that went; `what` is what it does there.
// Returns how many of the `most` operations were done, in whole units but for the last.
template <auto Timed, typename Work>
uint64_t ServeRanges(assay::Trial& trial, const Database& database, Work& work, uint64_t most, uint64_t unit,
                     const char* what) {
  work.end = 0;
  assay::Slices slices;
  slices.unit = unit;
  slices.most = most;
  slices.idle = [&] { return IsIdle(database); };
  slices.work = [&](uint64_t operations) {
    work.begin = work.end;
    work.end = std::min<uint64_t>(work.begin + operations, most);
    Timed(&work);
    RequireStatus(trial, work.status, what);
  };
  return assay::ServeSlices(trial, slices);
}
