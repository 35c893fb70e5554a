// The fields of a profile's plain parts: writing and reading walk the same lists.
#pragma once

#include "warpledger/profile/value/profile.h"

namespace warpledger::profile {

template <class Counters, class Visit>
void each_site_field(Counters& c, Visit visit) {
  visit("instructions", c.request.instructions);
  visit("requests", c.request.requests);
  visit("lanes", c.request.lanes);
  visit("sectors", c.request.sectors);
  visit("theoretical_sectors", c.request.theoretical_sectors);
  visit("ideal_sectors", c.request.ideal_sectors);
  visit("tags", c.request.tags);
  visit("data_wavefronts", c.request.data_wavefronts);
  visit("ideal_wavefronts", c.request.ideal_wavefronts);
  visit("words", c.request.words);
  visit("tag_wavefronts", c.tag_wavefronts);
  visit("l1_hit_sectors", c.l1_hit_sectors);
  visit("l2_requests", c.l2_requests);
  visit("l2_partial_requests", c.l2_partial_requests);
  visit("l2_sectors", c.l2_sectors);
  visit("l2_hit_sectors", c.l2_hit_sectors);
  visit("l2_promoted_sectors", c.l2_promoted_sectors);
  visit("dram_read_sectors", c.dram_read_sectors);
}

template <class Counters, class Visit>
void each_l2_field(Counters& c, Visit visit) {
  visit("read_sectors", c.read_sectors);
  visit("read_hits", c.read_hits);
  visit("write_sectors", c.write_sectors);
  visit("write_hits", c.write_hits);
  visit("atomic_sectors", c.atomic_sectors);
  visit("atomic_hits", c.atomic_hits);
  visit("hottest_atomics", c.hottest_atomics);
  visit("fabric_sectors", c.fabric_sectors);
  visit("fabric_hits", c.fabric_hits);
  visit("promoted_sectors", c.promoted_sectors);
  visit("ecc_sectors", c.ecc_sectors);
}

template <class Counters, class Visit>
void each_dram_field(Counters& c, Visit visit) {
  visit("read_sectors", c.read_sectors);
  visit("write_sectors", c.write_sectors);
  visit("ecc_read_sectors", c.ecc_read_sectors);
  visit("ecc_write_sectors", c.ecc_write_sectors);
  visit("dirty_left_sectors", c.dirty_left_sectors);
  visit("unique_read_sectors", c.unique_read_sectors);
  visit("unique_written_sectors", c.unique_written_sectors);
}

/// Not in files from before.
template <class Counters, class Visit>
void each_later_dram_field(Counters& c, Visit visit) {
  visit("opened_rows", c.opened_rows);
}

template <class Run, class Visit>
void each_execution_field(Run& e, Visit visit) {
  visit("ctas", e.ctas);
  visit("warps", e.warps);
  visit("warp_instructions", e.warp_instructions);
  visit("thread_instructions", e.thread_instructions);
  visit("shuffles", e.shuffles);
  visit("thread_index_reads", e.thread_index_reads);
  visit("branches", e.branches);
  visit("divergent_branches", e.divergent_branches);
  visit("barriers", e.barriers);
  visit("batches", e.batches);
}

template <class Sample, class Visit>
void each_sample_field(Sample& s, Visit visit) {
  visit("file", s.source.file);
  visit("line", s.source.line);
  visit("array", s.array);
  visit("requests", s.requests);
  visit("lanes", s.lanes);
  visit("addresses", s.addresses);
  visit("unique_addresses", s.unique_addresses);
}

template <class LaunchType, class Visit>
void each_launch_field(LaunchType& l, Visit visit) {
  visit("grid", l.grid);
  visit("block", l.block);
  visit("registers_per_thread", l.registers_per_thread);
  visit("static_smem_bytes", l.static_smem_bytes);
  visit("dynamic_smem_bytes", l.dynamic_smem_bytes);
  visit("barriers", l.barriers);
}

template <class Many, class Visit>
void each_launches_field(Many& l, Visit visit) {
  visit("count", l.count);
  visit("modeled", l.modeled);
  visit("unlike", l.unlike);
}

template <class Range, class Visit>
void each_range_field(Range& r, Visit visit) {
  visit("first", r.first);
  visit("last", r.last);
  visit("step", r.step);
}

template <class Found, class Visit>
void each_resource_field(Found& r, Visit visit) {
  visit("registers", r.registers);
  visit("static_shared_bytes", r.static_shared_bytes);
  visit("barriers", r.barriers);
  visit("local_bytes", r.local_bytes);
  visit("source", r.source);
}

template <class Rule, class Visit>
void each_policy_field(Rule& p, Visit visit) {
  visit("flush_caches", p.flush_caches);
  visit("bias", p.schedule.bias);
  visit("drift", p.schedule.drift);
  visit("rounds_per_visit", p.schedule.rounds_per_visit);
  visit("shuffle_sms", p.schedule.shuffle_sms);
  visit("seed", p.schedule.seed);
}

template <class Note, class Visit>
void each_sampled_field(Note& s, Visit visit) {
  visit("simulated_blocks", s.simulated);
  visit("counted_blocks", s.counted);
  visit("exact_seconds", s.exact_seconds);
}

template <class Note, class Visit>
void each_prefix_field(Note& p, Visit visit) {
  visit("modeled_accesses", p.modeled);
  visit("counted_accesses", p.counted);
  visit("exact_seconds", p.exact_seconds);
}

template <class Time, class Visit>
void each_timing_field(Time& t, Visit visit) {
  visit("elapsed_cycles", t.elapsed_cycles);
  visit("active_cycles", t.active_cycles);
  visit("resident_warps", t.resident_warps);
  visit("path_cycles", t.path_cycles);
  visit("path_waits", t.path_waits);
  visit("path_barriers", t.path_barriers);
  visit("dram_latency", t.dram_latency);
  visit("sm_hertz", t.sm_hertz);
  visit("l2_hertz", t.l2_hertz);
  visit("dram_hertz", t.dram_hertz);
}

template <class One, class Visit>
void each_instruction_field(One& i, Visit visit) {
  visit("number", i.site.instruction);
  visit("width", i.site.width);
  visit("floating", i.site.floating);
  visit("arrays", i.arrays);
  visit("fate", i.fate);
}

/// Since 0.2: files from before have none of these.
template <class One, class Visit>
void each_later_instruction_field(One& i, Visit visit) {
  visit("run_bytes", i.run_bytes);
}

template <class Work, class Visit>
void each_pipe_field(Work& w, Visit visit) {
  visit("alu", w.alu);
  visit("fma", w.fma);
  visit("multiply", w.multiply);
  visit("wide_multiply", w.wide_multiply);
  visit("xu", w.xu);
  visit("fp64", w.fp64);
  visit("tensor", w.tensor);
  visit("uniform", w.uniform);
  visit("barriers", w.barriers);
  visit("lsu", w.lsu);
}

template <class Work, class Visit>
void each_thread_field(Work& w, Visit visit) {
  visit("active", w.active);
  visit("on", w.on);
  visit("fp16", w.fp16);
  visit("fp32", w.fp32);
  visit("fp64", w.fp64);
  visit("memory", w.memory);
}

template <class Code, class Visit>
void each_machine_field(Code& m, Visit visit) {
  visit("instructions", m.instructions);
  visit("opcodes", m.opcodes);
  visit("branches", m.branches);
  visit("spill_requests", m.spill_requests);
  visit("lsu_other", m.lsu_other);
}

template <class Line, class Visit>
void each_awaited_field(Line& l, Visit visit) {
  visit("file", l.source.file);
  visit("line", l.source.line);
  visit("share", l.share);
  visit("cycles_without", l.cycles);
}

template <class One, class Visit>
void each_code_field(One& c, Visit visit) {
  visit("text", c.text);
  visit("ptx_line", c.ptx_line);
  visit("file", c.source.file);
  visit("line", c.source.line);
  visit("executions", c.executions);
  visit("lanes", c.lanes);
}

template <class Side, class Visit>
void each_side_field(Side& s, Visit visit) {
  visit("access", s.access);
  visit("file", s.source.file);
  visit("line", s.source.line);
  visit("ptx_line", s.ptx_line);
  visit("block", s.block);
  visit("thread", s.thread);
}

template <class Pair, class Visit>
void each_race_field(Pair& p, Visit visit) {
  visit("hazard", p.hazard);
  visit("name", p.name);
  visit("offset", p.offset);
  visit("count", p.count);
}

template <class Check, class Visit>
void each_race_check_field(Check& c, Visit visit) {
  visit("shared_checked", c.shared);
  visit("global_checked", c.global);
  visit("unchecked", c.unchecked);
  visit("blocks", c.blocks);
  visit("left_alone", c.left_alone);
}

/// Since 0.2, too.
template <class One, class Visit>
void each_later_code_field(One& c, Visit visit) {
  visit("inner_file", c.inner.file);
  visit("inner_line", c.inner.line);
  visit("sass", c.sass);
  visit("issued", c.issued);
  visit("guard", c.guard);
  visit("guard_is_loop", c.guard_is_loop);
}

template <class Whole, class Visit>
void each_top_field(Whole& p, Visit visit) {
  visit("version", p.version);
  visit("file", p.file);
  visit("kernel", p.kernel);
  visit("gpu", p.gpu_request);
  visit("engine", p.engine);
  visit("no_machine", p.no_machine);
}

}  // namespace warpledger::profile
