// Caches of keys and values. JavaScript owns them by handle, the address of the object, and frees
// them. A layer or sequence of −1 stands for all.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

/// Makes a cache from the fields of CacheField and writes its handle, a double.
int cache_make(Address fields, Address out);
/// Writes the handle of a copy.
int cache_clone(Address cache, Address out);
void cache_free(Address cache);

/// Fields of AttentionField: `queries` new tokens and their keys and values; `query_positions`
/// (0 = go on) and `key_mask` are theirs, `keys` is the width of taps.
int cache_append(Address cache, double layer, double sequence, Address call_block);
int cache_attend(Address cache, double layer, double sequence, Address call_block);

/// `encodings`: 32-bit addresses of blocks.
int cache_evict(Address cache, double layer, double sequence, Address slots, double count,
                Address encodings, double encoding_count);
int cache_truncate(Address cache, double layer, double sequence, double count);
int cache_shift(Address cache, double layer, double sequence, double from, double to, double delta,
                Address encodings, double encoding_count);
int cache_copy_sequence(Address cache, double from, double to);
int cache_clear(Address cache, double sequence);

double cache_count(Address cache, double layer, double sequence);
double cache_next(Address cache, double layer, double sequence);
/// Writes the positions of the tokens that are stored, (count, axes).
void cache_positions(Address cache, double layer, double sequence, Address out);

/// Bytes of a save.
double cache_size(Address cache);
void cache_save(Address cache, double tag, Address out);
int cache_restore(Address cache, double tag, Address bytes, double count);

}  // namespace posenc::bindings
