#include "encodings.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <tuple>

#include "require.hpp"
#include "table.hpp"

namespace posenc::fuzz {

namespace {

using test::Sample;
using test::Tensor;

constexpr double kNotGiven = std::numeric_limits<double>::quiet_NaN();
constexpr double kMostRows = 1000.0;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Samples that act inside attention; made once for each shape.
const std::vector<Sample>& samples_of(std::int64_t head_dim, std::int64_t heads,
                                      std::int64_t value_dim) {
  static std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t>, std::vector<Sample>> all;
  auto [found, is_new] = all.try_emplace({head_dim, heads, value_dim});
  if (is_new) {
    for (Sample& sample : test::samples(head_dim, static_cast<int>(heads), value_dim)) {
      found->second.push_back(std::move(sample));
    }
  }
  return found->second;
}

const Tensor* tensor_at(const std::vector<test::TensorPointer>& tensors, double value) {
  for (const auto& tensor : tensors) {
    if (tensor->value() == value) return tensor.get();
  }
  return nullptr;
}

}  // namespace

Encodings::Encodings(Bytes& bytes, std::int64_t head_dim, std::int64_t heads,
                     std::int64_t value_dim) {
  if (head_dim < 1 || heads < 1 || value_dim < 1) return;
  const auto& all = samples_of(head_dim, heads, value_dim);
  const int count = bytes.once_in(4) ? 2 : 1;
  for (int i = 0; i < count; ++i) {
    add(bytes, all[static_cast<std::size_t>(bytes.below(static_cast<std::int64_t>(all.size())))]);
  }
}

void Encodings::add(Bytes& bytes, const Sample& sample) {
  Choice choice = {sample.description, test::complete(*sample.description, sample.values)};
  const auto& parameters = sample.description->parameters;
  // Encodings may read tensors where they lie, and gradients move them: copies.
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const Tensor* tensor = tensor_at(sample.tensors, choice.values[i]);
    if (tensor == nullptr) continue;
    tensors_.push_back(std::make_shared<Tensor>(tensor->numbers));
    choice.values[i] = tensors_.back()->value();
  }
  for (std::int64_t changes = bytes.below(4); changes > 0 && !parameters.empty(); --changes) {
    const auto i =
        static_cast<std::size_t>(bytes.below(static_cast<std::int64_t>(parameters.size())));
    if (parameters[i].kind == Parameter::Kind::tensor) has_plain_tensors_ = false;
    choice.values[i] = value(bytes, parameters[i], tensor_at(tensors_, choice.values[i]));
  }
  choices_.push_back(std::move(choice));
}

double Encodings::value(Bytes& bytes, const Parameter& p, const Tensor* before) {
  if (bytes.once_in(8)) return kNotGiven;
  if (p.kind == Parameter::Kind::tensor) {
    const auto fit = static_cast<std::int64_t>(before == nullptr ? 0 : before->numbers.size());
    const std::int64_t counts[] = {fit, fit, fit, bytes.below(256), fit + 1, fit / 2};
    tensors_.push_back(test::random_tensor(bytes.pick(counts), bytes.byte()));
    const float odd[] = {
        0.0F, -20.0F, 1e4F, 1e30F, static_cast<float>(kInfinity), static_cast<float>(kNotGiven)};
    const bool is_odd = bytes.once_in(4);
    for (float& number : tensors_.back()->numbers) {
      if (is_odd && bytes.flag()) number = bytes.pick(odd);
    }
    return tensors_.back()->value();
  }
  const double reals[] = {
      p.low,      p.high, 1.0,  0.5,       2.0,        100.0,   -1.0, p.low - 1,
      p.high + 1, 1e-30,  1e30, kInfinity, -kInfinity, 1.0 / 3, 1e5,  (p.low + p.high) / 2};
  if (p.kind == Parameter::Kind::doubles) {
    std::vector<double> numbers(static_cast<std::size_t>(bytes.below(24)));
    for (double& number : numbers) number = bytes.pick(reals);
    doubles_.push_back(std::make_unique<test::BasicTensor<double>>(std::move(numbers)));
    return doubles_.back()->value();
  }
  if (p.kind == Parameter::Kind::real) return bytes.pick(reals);
  if (bytes.once_in(8)) {
    // Tables as long as is allowed take minutes to fill.
    const double number = bytes.pick(reals);
    return number <= p.high ? std::min(number, kMostRows) : number;
  }
  return std::max(p.low, 0.0) + static_cast<double>(bytes.below(40));
}

Status Encodings::make() {
  made_.clear();
  terms_ = {};
  for (const Choice& choice : choices_) {
    std::vector<double> values = choice.values;
    const Fault fault = resolve(*choice.description, values);
    if (fault.status != Status::ok) {
      require(fault.parameter >= 0 &&
                  fault.parameter < static_cast<int>(choice.description->parameters.size()) &&
                  fault.rule[0] != '\0',
              "a refusal names the parameter and the rule");
      return fault.status;
    }
    made_.push_back(choice.description->make(values));
    if (made_.back() == nullptr) return Status::memory;
  }
  return collect(list(), terms_);
}

std::vector<const Encoding*> Encodings::list() const {
  std::vector<const Encoding*> all;
  for (const auto& encoding : made_) all.push_back(encoding.get());
  return all;
}

std::string Encodings::text() const {
  std::string all;
  for (const Choice& choice : choices_) {
    all += std::string(" ") + choice.description->name;
    for (std::size_t i = 0; i < choice.values.size(); ++i) {
      const Parameter& p = choice.description->parameters[i];
      const bool is_array = p.kind == Parameter::Kind::tensor || p.kind == Parameter::Kind::doubles;
      if (std::isnan(choice.values[i])) continue;
      all += std::string(" ") + p.name + "=" +
             (is_array ? std::to_string(numbers<float>(choice.values[i]).size()) + " numbers"
                       : std::to_string(choice.values[i]));
    }
  }
  return all;
}

std::vector<Tensor*> Encodings::trained() const {
  std::vector<Tensor*> all;
  if (choices_.size() != 1) return all;
  const Choice& choice = choices_[0];
  for (std::size_t i = 0; i < choice.values.size(); ++i) {
    if (choice.description->parameters[i].kind != Parameter::Kind::tensor) continue;
    const Tensor* tensor = tensor_at(tensors_, choice.values[i]);
    all.push_back(const_cast<Tensor*>(tensor));
  }
  return all;
}

}  // namespace posenc::fuzz
