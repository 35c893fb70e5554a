// Conversion by shuffles. With the gather map S, (r', l') is filled from (r, l) = S(r', l'). In
// round t lane l' receives its register r' = t ^ A(l'); A is chosen so that in every round each
// source lane sends exactly one register, namely G(t) ^ F(l). So: exchange registers by the lane's
// bits (F), one shuffle a round, exchange again (A). When S is not a bijection every register is
// gathered on its own.
#include <fmt/core.h>

#include <bit>

#include "warpledger/layout/convert/granules.h"
#include "warpledger/layout/convert/routes.h"
#include "warpledger/layout/elimination.h"

namespace warpledger::convert {
namespace {

const Space& lane_space() {
  static const Space space({{"lane", 32}});
  return space;
}

/// The four blocks of a gather map: register and lane parts of register and lane bits.
struct Blocks {
  int in = 0, out = 0;  // register bits
  std::vector<uint64_t> register_to_register, register_to_lane, lane_to_register, lane_to_lane;
};

Blocks blocks_of(const LinearMap& gather) {
  Blocks blocks;
  blocks.in = gather.to().bits_of(0);
  blocks.out = gather.from().bits_of(0);
  const uint64_t low = (uint64_t{1} << blocks.in) - 1;
  for (int b = 0; b < gather.from().bits(); ++b) {
    const uint64_t base = gather.bases()[static_cast<size_t>(b)];
    auto& registers = b < blocks.out ? blocks.register_to_register : blocks.lane_to_register;
    auto& lanes = b < blocks.out ? blocks.register_to_lane : blocks.lane_to_lane;
    registers.push_back(base & low);
    lanes.push_back(base >> blocks.in);
  }
  return blocks;
}

uint64_t image_of(const std::vector<uint64_t>& bases, uint64_t x) {
  uint64_t y = 0;
  for (size_t b = 0; b < bases.size(); ++b) y ^= x >> b & 1 ? bases[b] : 0;
  return y;
}

/// A(lane bit) in registers, with lane_to_lane + register_to_lane o A invertible.
std::vector<uint64_t> choose_rounds(const Blocks& blocks) {
  Elimination span;
  std::vector<uint64_t> rounds(blocks.lane_to_lane.size(), 0);
  std::vector<size_t> dependent;
  for (size_t b = 0; b < blocks.lane_to_lane.size(); ++b) {
    if (!span.add(blocks.lane_to_lane[b])) dependent.push_back(b);
  }
  size_t next = 0;
  for (size_t r = 0; r < blocks.register_to_lane.size() && next < dependent.size(); ++r) {
    if (span.contains(blocks.register_to_lane[r])) continue;
    span.add(blocks.register_to_lane[r]);
    rounds[dependent[next++]] = uint64_t{1} << r;
  }
  return rounds;
}

/// variables[t] becomes variables[t ^ X(lane)] where X(lane bit b) = by[b]: a conditional exchange
/// per independent direction of X, on the parity of the lane bits that lead there.
void exchange(Program& program, std::vector<Variable>& variables, const std::vector<uint64_t>& by) {
  // Write X(lane) as a sum of directions, each with the mask of lane bits that switch it.
  std::vector<std::pair<uint64_t, int>> directions;
  Elimination span;
  std::vector<uint64_t> independent;
  for (const uint64_t vector : by) {
    if (span.add(vector)) independent.push_back(vector);
  }
  for (const uint64_t direction : independent) directions.emplace_back(direction, 0);
  const Elimination basis(independent);
  for (size_t b = 0; b < by.size(); ++b) {
    const uint64_t sources = *basis.combination(by[b]);
    for (size_t d = 0; d < directions.size(); ++d) {
      if (sources >> d & 1) directions[d].second |= 1 << b;
    }
  }
  for (const auto& [direction, mask] : directions) {
    std::vector<Variable> swapped(variables.size());
    for (size_t t = 0; t < variables.size(); ++t) {
      swapped[t] = program.fresh();
      program.operations.emplace_back(
          Select{swapped[t], variables[t ^ direction], variables[t], mask});
    }
    variables = swapped;
  }
}

std::vector<uint64_t> inverse_of(const std::vector<uint64_t>& bases, int64_t size) {
  const Space space({{"lane", size}});
  return inverse(LinearMap(space, space, bases))->bases();
}

std::vector<Variable> exchange_all(Program& program, std::vector<Variable> inputs,
                                   const Blocks& blocks) {
  const size_t count = size_t{1} << blocks.out;
  const std::vector<uint64_t> rounds = choose_rounds(blocks);
  // Source lane of reader l' in round t: M(l') ^ register_to_lane(t).
  std::vector<uint64_t> m, n;
  for (size_t b = 0; b < rounds.size(); ++b) {
    m.push_back(blocks.lane_to_lane[b] ^ image_of(blocks.register_to_lane, rounds[b]));
    n.push_back(blocks.lane_to_register[b] ^ image_of(blocks.register_to_register, rounds[b]));
  }
  const std::vector<uint64_t> back = inverse_of(m, 32);
  // What source lane l sends in round t: register_to_register(t) ^ n(M^-1(l ^
  // register_to_lane(t))).
  std::vector<uint64_t> sends_round, sends_lane;
  for (size_t r = 0; r < blocks.register_to_register.size(); ++r) {
    sends_round.push_back(blocks.register_to_register[r] ^
                          image_of(n, image_of(back, blocks.register_to_lane[r])));
  }
  for (size_t b = 0; b < back.size(); ++b) sends_lane.push_back(image_of(n, back[b]));
  exchange(program, inputs, sends_lane);
  std::vector<Variable> sent(count);
  for (size_t t = 0; t < count; ++t) sent[t] = inputs[image_of(sends_round, t)];
  const LinearMap source(lane_space(), lane_space(), m);
  for (size_t t = 0; t < count; ++t) {
    const int flip = static_cast<int>(image_of(blocks.register_to_lane, t));
    if (source == identity(lane_space()) && flip == 0) continue;
    const Variable to = program.fresh();
    if (source == identity(lane_space())) {
      program.operations.emplace_back(ShuffleXor{to, sent[t], flip});
    } else {
      program.operations.emplace_back(Shuffle{to, sent[t], source, flip});
    }
    sent[t] = to;
  }
  exchange(program, sent, rounds);
  return sent;
}

/// One register at a time: a shuffle for every register it may come from, then selects by lane.
std::vector<Variable> gather_each(Program& program, const std::vector<Variable>& inputs,
                                  const Blocks& blocks) {
  std::vector<Variable> outputs;
  const LinearMap source(lane_space(), lane_space(), blocks.lane_to_lane);
  for (uint64_t r = 0; r < uint64_t{1} << blocks.out; ++r) {
    const uint64_t first = image_of(blocks.register_to_register, r);
    const int flip = static_cast<int>(image_of(blocks.register_to_lane, r));
    std::vector<Variable> arrived(size_t{1} << blocks.in, -1);
    Elimination reach(blocks.lane_to_register);
    for (uint64_t x = 0; x < arrived.size(); ++x) {
      if (!reach.contains(x)) continue;
      const Variable to = program.fresh();
      program.operations.emplace_back(Shuffle{to, inputs[first ^ x], source, flip});
      arrived[x] = to;
    }
    std::vector<Variable> whole;
    for (uint64_t x = 0; x < arrived.size(); ++x) {
      whole.push_back(arrived[x] >= 0 ? arrived[x] : arrived[0]);
    }
    exchange(program, whole, blocks.lane_to_register);
    outputs.push_back(whole[0]);
  }
  return outputs;
}

}  // namespace

std::optional<Route> shuffle_route(const LinearMap& gather, int element_bits) {
  if (element_bits < 8 || element_bits > 32) return std::nullopt;
  const int64_t input_bits = gather.to().size_of("register") * element_bits;
  if (input_bits < 32 || gather.from().size_of("register") * element_bits < 32) return std::nullopt;
  int granule_bits = 32;
  auto granules = granule_gather(gather, element_bits, granule_bits);
  while (!granules) granules = granule_gather(gather, element_bits, granule_bits /= 2);
  const Blocks blocks = blocks_of(*granules);
  const bool bijective = granules->is_injective() && granules->is_surjective();
  Program program;
  program.inputs = program.variables = static_cast<int>(input_bits / 32);
  std::vector<Variable> registers(static_cast<size_t>(program.inputs));
  for (size_t r = 0; r < registers.size(); ++r) registers[r] = static_cast<Variable>(r);
  const std::vector<Variable> parts = unpack(program, registers, granule_bits);
  const std::vector<Variable> moved =
      bijective ? exchange_all(program, parts, blocks) : gather_each(program, parts, blocks);
  program.outputs = pack(program, moved, granule_bits);
  program = without_dead_operations(std::move(program));
  const Price price = price_of(program);
  if (price.shuffles == 0) return std::nullopt;
  return Route{"shuffles",
               fmt::format("{} shuffles and {} selects or byte permutes, no memory", price.shuffles,
                           price.instructions - price.shuffles),
               program, price, 70};
}

}  // namespace warpledger::convert
