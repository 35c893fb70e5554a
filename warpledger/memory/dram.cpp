#include "warpledger/memory/dram.h"

namespace warpledger::memory {

Dram::Dram(bool inline_ecc, RowsConfig rows) : rows_(rows) {
  if (!inline_ecc) return;
  ecc_read_.assign(kEccBlocks, 0xFFFFFFFF);
  ecc_written_ = ecc_read_;
}

bool Dram::touch_ecc(std::vector<uint32_t>& kept, uint32_t line) {
  if (kept.empty()) return false;
  const uint32_t block = line / 2;  // 256 B
  uint32_t& place = kept[(block ^ block >> 12) % kEccBlocks];
  if (place == block) return false;
  place = block;
  return true;
}

void Dram::read(uint32_t line, uint8_t sectors) {
  counters_.unique_read_sectors += sector_count(footprint_.add_read(line, sectors));
  counters_.read_sectors += sector_count(sectors);
  counters_.opened_rows += rows_.touch(line);
  if (!touch_ecc(ecc_read_, line)) return;
  ++counters_.read_sectors;
  ++counters_.ecc_read_sectors;
}

void Dram::write(uint32_t line, uint8_t sectors) {
  counters_.unique_written_sectors += sector_count(footprint_.add_written(line, sectors));
  counters_.write_sectors += sector_count(sectors);
  counters_.opened_rows += rows_.touch(line);
  if (!touch_ecc(ecc_written_, line)) return;
  ++counters_.write_sectors;
  ++counters_.ecc_write_sectors;
}

void Dram::leave_dirty(uint32_t line, uint8_t sectors) {
  counters_.unique_written_sectors += sector_count(footprint_.add_written(line, sectors));
  counters_.dirty_left_sectors += sector_count(sectors);
}

}  // namespace warpledger::memory
