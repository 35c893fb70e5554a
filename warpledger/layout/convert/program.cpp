#include "warpledger/layout/convert/program.h"

#include <map>

#include "warpledger/base/check.h"
#include "warpledger/layout/banks/banks.h"

namespace warpledger::convert {
namespace {

constexpr size_t kLanes = 32;

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

int shared_wavefronts(const LinearMap& address, int bytes) {
  return wavefronts_by_rank(address, bytes) * static_cast<int>(kLanes) / lanes_per_phase(bytes);
}

/// One phase per matrix, eight rows of 16 bytes each.
int matrix_wavefronts(const LinearMap& address, size_t matrices) {
  return static_cast<int>(matrices) * wavefronts_by_rank(address, 16);
}

}  // namespace

Price price_of(const Program& program) {
  Price price;
  price.shared_bytes = program.shared_bytes;
  for (const Operation& operation : program.operations) {
    price.instructions += 1;
    std::visit(Overloaded{[&](const ShuffleXor&) { price.shuffles += 1, price.wavefronts += 1; },
                          [&](const Shuffle&) { price.shuffles += 1, price.wavefronts += 1; },
                          [&](const Transpose&) { price.wavefronts += 1; },
                          [&](const StoreShared& s) {
                            price.wavefronts += shared_wavefronts(s.address, s.bytes);
                          },
                          [&](const LoadShared& l) {
                            price.wavefronts += shared_wavefronts(l.address, l.bytes);
                          },
                          [&](const StoreMatrix& o) {
                            price.wavefronts += matrix_wavefronts(o.address, o.from.size());
                          },
                          [&](const LoadMatrix& o) {
                            price.wavefronts += matrix_wavefronts(o.address, o.to.size());
                          },
                          [&](const WarpBarrier&) { price.barriers += 1; }, [](const auto&) {}},
               operation);
  }
  return price;
}

namespace {

/// The variable an operation writes, or -1, and those it reads.
struct Uses {
  Variable writes = -1;
  std::vector<Variable> reads;
};

Uses uses_of(const Operation& operation) {
  return std::visit(Overloaded{[](const ShuffleXor& o) {
                                 return Uses{o.to, {o.from}};
                               },
                               [](const Shuffle& o) {
                                 return Uses{o.to, {o.from}};
                               },
                               [](const Select& o) {
                                 return Uses{o.to, {o.if_odd, o.if_even}};
                               },
                               [](const Transpose& o) {
                                 return Uses{o.to, {o.from}};
                               },
                               [](const PickBytes& o) {
                                 return Uses{o.to, {o.low, o.high}};
                               },
                               [](const Combine& o) {
                                 return Uses{o.to, {o.a, o.b}};
                               },
                               [](const StoreShared& o) {
                                 return Uses{-1, o.from};
                               },
                               [](const auto&) { return Uses{}; }},
                    operation);
}

}  // namespace

Program without_dead_operations(Program program) {
  std::vector<bool> live(static_cast<size_t>(program.variables), false);
  for (const Variable output : program.outputs) live[static_cast<size_t>(output)] = true;
  std::vector<Operation> kept;
  for (size_t o = program.operations.size(); o-- > 0;) {
    const Uses uses = uses_of(program.operations[o]);
    if (uses.writes >= 0 && !live[static_cast<size_t>(uses.writes)]) continue;
    for (const Variable read : uses.reads) live[static_cast<size_t>(read)] = true;
    kept.push_back(program.operations[o]);
  }
  program.operations.assign(kept.rbegin(), kept.rend());
  return program;
}

namespace {

bool is_odd(size_t lane, int mask) {
  return __builtin_parity(static_cast<unsigned>(lane) & static_cast<unsigned>(mask)) != 0;
}

size_t at(Variable variable) { return static_cast<size_t>(variable); }

/// Lanes of variables of any value type; reads all lanes before it writes any.
template <class Value>
class Warp {
 public:
  explicit Warp(const Program& program, std::vector<std::vector<Value>> input)
      : lanes_(std::move(input)) {
    WL_CHECK(lanes_.size() == kLanes);
    for (auto& lane : lanes_) lane.resize(static_cast<size_t>(program.variables));
  }
  void shuffle(Variable to, Variable from, const auto& source) {
    const auto before = lanes_;
    for (size_t lane = 0; lane < kLanes; ++lane)
      lanes_[lane][at(to)] = before[source(lane)][at(from)];
  }
  void select(const Select& s) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      lanes_[lane][at(s.to)] = lanes_[lane][at(is_odd(lane, s.mask) ? s.if_odd : s.if_even)];
    }
  }
  Value& cell(size_t lane, Variable variable) { return lanes_[lane][at(variable)]; }
  [[nodiscard]] std::vector<std::vector<Value>> outputs(const Program& program) const {
    std::vector<std::vector<Value>> result(kLanes);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      for (const Variable variable : program.outputs)
        result[lane].push_back(lanes_[lane][at(variable)]);
    }
    return result;
  }

 private:
  std::vector<std::vector<Value>> lanes_;
};

/// movmatrix: half h of lane l is (l>>2, 2*(l&3)+h); afterwards it holds what was at the transpose.
template <class Get>
std::vector<int64_t> transposed(size_t lane, const Get& get) {
  std::vector<int64_t> bytes;
  for (size_t h = 0; h < 2; ++h) {
    const size_t row = 2 * (lane % 4) + h, col = lane / 4;
    const std::vector<int64_t>& source = get(row * 4 + col / 2);
    bytes.push_back(source[2 * (col % 2)]);
    bytes.push_back(source[2 * (col % 2) + 1]);
  }
  return bytes;
}

void move_bytes(Warp<std::vector<int64_t>>& warp, std::map<uint64_t, int64_t>& shared,
                const Operation& operation) {
  if (const auto* store = std::get_if<StoreShared>(&operation)) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t base = store->address(lane) ^ store->flip;
      for (size_t b = 0; b < static_cast<size_t>(store->bytes); ++b)
        shared[base + b] = warp.cell(lane, store->from[b / 4])[b % 4];
    }
  } else if (const auto* load = std::get_if<LoadShared>(&operation)) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      const uint64_t base = load->address(lane) ^ load->flip;
      for (size_t v = 0; v < load->to.size(); ++v) {
        std::vector<int64_t> word;
        for (size_t b = 0; b < 4; ++b) {
          const bool read =
              4 * v + b < static_cast<size_t>(load->bytes) && shared.count(base + 4 * v + b) != 0;
          word.push_back(read ? shared[base + 4 * v + b] : -1);
        }
        warp.cell(lane, load->to[v]) = word;
      }
    }
  } else if (const auto* pick = std::get_if<PickBytes>(&operation)) {
    for (size_t lane = 0; lane < kLanes; ++lane) {
      std::vector<int64_t> word;
      for (size_t b = 0; b < 4; ++b) {
        const size_t source = static_cast<size_t>(pick->selector) >> 4 * b & 7;
        word.push_back(warp.cell(lane, source < 4 ? pick->low : pick->high)[source % 4]);
      }
      warp.cell(lane, pick->to) = word;
    }
  } else if (const auto* turn = std::get_if<Transpose>(&operation)) {
    std::vector<std::vector<int64_t>> words;
    for (size_t lane = 0; lane < kLanes; ++lane) {
      words.push_back(transposed(lane, [&](size_t source) -> const std::vector<int64_t>& {
        return warp.cell(source, turn->from);
      }));
    }
    for (size_t lane = 0; lane < kLanes; ++lane) warp.cell(lane, turn->to) = words[lane];
  }
}

/// Where (row r, column c) of an 8 x 8 matrix lies: the lane, and the first byte within its
/// register.
std::pair<size_t, size_t> matrix_cell(size_t r, size_t c, bool transposed) {
  if (transposed) std::swap(r, c);
  return {r * 4 + c / 2, 2 * (c % 2)};
}

void move_matrices(Warp<std::vector<int64_t>>& warp, std::map<uint64_t, int64_t>& shared,
                   const Operation& operation) {
  const auto each = [](const auto& o, size_t matrices, const auto& visit) {
    for (size_t m = 0; m < matrices; ++m) {
      for (size_t r = 0; r < 8; ++r) {
        const uint64_t row = o.address(8 * m + r) ^ o.flip;
        for (size_t c = 0; c < 8; ++c) {
          const auto [lane, byte] = matrix_cell(r, c, o.transposed);
          for (size_t b = 0; b < 2; ++b) visit(m, lane, byte + b, row + 2 * c + b);
        }
      }
    }
  };
  if (const auto* store = std::get_if<StoreMatrix>(&operation)) {
    each(*store, store->from.size(), [&](size_t m, size_t lane, size_t byte, uint64_t at_byte) {
      shared[at_byte] = warp.cell(lane, store->from[m])[byte];
    });
  } else if (const auto* load = std::get_if<LoadMatrix>(&operation)) {
    each(*load, load->to.size(), [&](size_t m, size_t lane, size_t byte, uint64_t at_byte) {
      auto& word = warp.cell(lane, load->to[m]);
      word.resize(4, -1);
      word[byte] = shared.count(at_byte) != 0 ? shared[at_byte] : -1;
    });
  }
}

/// The operations that do not care what a variable holds. False when `operation` is none of them.
template <class Value>
bool move_lanes(Warp<Value>& warp, const Operation& operation) {
  if (const auto* exchange = std::get_if<ShuffleXor>(&operation)) {
    warp.shuffle(exchange->to, exchange->from,
                 [&](size_t lane) { return lane ^ static_cast<size_t>(exchange->mask); });
  } else if (const auto* shuffle = std::get_if<Shuffle>(&operation)) {
    warp.shuffle(shuffle->to, shuffle->from, [&](size_t lane) {
      return shuffle->source(lane) ^ static_cast<size_t>(shuffle->flip);
    });
  } else if (const auto* select = std::get_if<Select>(&operation)) {
    warp.select(*select);
  } else {
    return std::holds_alternative<WarpBarrier>(operation);
  }
  return true;
}

}  // namespace

Tokens emulate(const Program& program, const Tokens& input) {
  Warp<std::vector<int64_t>> warp(program, input);
  std::map<uint64_t, int64_t> shared;
  for (const Operation& operation : program.operations) {
    WL_CHECK(!std::holds_alternative<Combine>(operation));
    if (move_lanes(warp, operation)) continue;
    move_bytes(warp, shared, operation);
    move_matrices(warp, shared, operation);
  }
  return warp.outputs(program);
}

Values emulate_reduction(const Program& program, const Values& input,
                         double (*combine)(double, double)) {
  Warp<double> warp(program, input);
  for (const Operation& operation : program.operations) {
    if (move_lanes(warp, operation)) continue;
    const auto* step = std::get_if<Combine>(&operation);
    WL_CHECK(step != nullptr);
    for (size_t lane = 0; lane < kLanes; ++lane) {
      warp.cell(lane, step->to) = combine(warp.cell(lane, step->a), warp.cell(lane, step->b));
    }
  }
  return warp.outputs(program);
}

}  // namespace warpledger::convert
