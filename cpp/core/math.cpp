#include "core/math.hpp"

namespace posenc::detail {

// 2^f for |f| ≤ 1/2 by a polynomial (error 2.6e-9). Defined away from its use, so that no compiler
// turns the loads into constants.
const float kExpConstants[10] = {-88.02969193F,         // 2^-127, whose exponent field is 0
                                 1.44269504F,           // log2(e)
                                 kRoundFloat + 127.0F,  // rounds, and biases the exponent
                                 1.5594672e-4F,        1.3406643e-3F, 9.6176930e-3F, 5.5503106e-2F,
                                 2.4022653e-1F,        6.9314721e-1F, 1.0F};

}  // namespace posenc::detail
