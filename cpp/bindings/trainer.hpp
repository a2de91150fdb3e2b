// Trainers of models, known by handles that JavaScript owns.
#pragma once

#include "bindings/block.hpp"

namespace posenc::bindings {

/// Makes a trainer of a model, with room for `adopted` arrays of encodings, and writes its handle,
/// a double, to `out`. The model outlives it.
int trainer_make(Address model, double adopted, Address out);
void trainer_free(Address handle);

/// Trains an array too; returns where its gradients are added, 0 when there is no memory.
Address trainer_adopt(Address handle, Address values, double count, int decays);
/// Adds the gradients of a step of StepField that learns by LearnField; writes its loss, a double.
int trainer_learn(Address handle, Address step, Address learn, Address loss);
void trainer_clear(Address handle);
double trainer_norm(Address handle);
/// A step of the optimizer, by UpdateField.
void trainer_update(Address handle, Address fields);
/// Where the gradient by a tensor of the model is; 0 when that is absent.
Address trainer_gradient(Address handle, int part, double layer, int tensor);

double trainer_state_size(Address handle);
void trainer_save(Address handle, Address out);
void trainer_load(Address handle, Address from);

}  // namespace posenc::bindings
