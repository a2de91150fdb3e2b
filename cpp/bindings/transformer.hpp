// Models, known by handles that JavaScript owns.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

/// Makes a model of the fields of ModelField and writes its handle, a double, to `out`.
int model_make(Address fields, Address out);
void model_free(Address handle);

/// Parts are those of `Part`, precisions those of `Precision`. Writes rows and columns of a tensor,
/// as doubles.
void model_expected(Address handle, int part, double layer, int tensor, Address out);
int model_add(Address handle, int part, double layer, int tensor, double rows, double columns,
              int precision);
void model_write(Address handle, int part, double layer, int tensor, double first, double count,
                 Address rows);
/// Writes part, layer and number of a tensor that is missing; returns 0 when there is none.
int model_missing(Address handle, Address out);
/// Where a tensor of float32 is; 0 when it is absent or held in fewer bits.
Address model_numbers(Address handle, int part, double layer, int tensor);
double model_bytes(Address handle);

/// Runs the fields of StepField.
int model_step(Address handle, Address fields);
/// `cross_keys` of model/step.hpp.
int model_cross(Address handle, double batch, double tokens, Address encoded, Address out);

}  // namespace posenc::bindings
