// Attention of few queries, as in decoding token by token.
#pragma once

#include "attention/problem.hpp"

namespace posenc {

/// Whether `decode` can do the work of `attention`, and does it faster: at most four queries, and
/// nothing that is made for panels of queries (content terms, mixed heads, several regimes of a
/// rotation, added masks, taps).
bool decodes(const AttentionProblem& problem);

/// The same as `attention`, of a checked problem that it `decodes`. Keys and values are read once
/// for all queries and heads that share them.
Status decode(const AttentionProblem& problem);

}  // namespace posenc
