/* The fields of results; go test ./internal/options -run TestR$ -update writes this file. */
static const field result_fields[] = {
	FIELD(nmu_result, rank, WHOLE),
	FIELD(nmu_result, iterations, WHOLE),
	FIELD(nmu_result, relative_error, NUMBER),
	FIELD(nmu_result, relative_l1, NUMBER),
	FIELD(nmu_result, relative_divergence, NUMBER),
	FIELD(nmu_result, relative_violation, NUMBER),
	FIELD(nmu_result, max_violation, NUMBER),
	FIELD(nmu_result, violation_bound, YES),
	FIELD(nmu_result, largest_entry, NUMBER),
	FIELD(nmu_result, stop, WORD),
	FIELD(nmu_result, seed, WHOLE),
	FIELD(nmu_result, best_restart, WHOLE),
	FIELD(nmu_result, restarts_begun, WHOLE),
	FIELD(nmu_result, restarts_finished, WHOLE),
	FIELD(nmu_result, revived, WHOLE),
	FIELD(nmu_result, missing_solver, WORD),
	FIELD(nmu_result, level, WORD),
	FIELD(nmu_result, notes, WORD),
};
static const field block_fields[] = {
	FIELD(nmu_block, rank, WHOLE),
	FIELD(nmu_block, iterations, WHOLE),
	FIELD(nmu_block, relative_error, NUMBER),
	FIELD(nmu_block, relative_l1, NUMBER),
	FIELD(nmu_block, relative_divergence, NUMBER),
	FIELD(nmu_block, lowered, YES),
	FIELD(nmu_block, stop, WORD),
	FIELD(nmu_block, history_length, WHOLE),
};
static const field transform_fields[] = {
	FIELD(nmu_transform_result, relative_error, NUMBER),
	FIELD(nmu_transform_result, relative_divergence, NUMBER),
	FIELD(nmu_transform_result, max_violation, NUMBER),
	FIELD(nmu_transform_result, violation_bound, YES),
	FIELD(nmu_transform_result, iterations, WHOLE),
	FIELD(nmu_transform_result, kkt, NUMBER),
	FIELD(nmu_transform_result, stop, WORD),
	FIELD(nmu_transform_result, finished, WHOLE),
};
static const field rank_fields[] = {
	FIELD(nmu_rank_result, rank, WHOLE),
	FIELD(nmu_rank_result, least, WHOLE),
	FIELD(nmu_rank_result, one_standard_error, WHOLE),
	FIELD(nmu_rank_result, elbow, WHOLE),
	FIELD(nmu_rank_result, at_end, YES),
	FIELD(nmu_rank_result, reason, WORD),
	FIELD(nmu_rank_result, compared, WORD),
	FIELD(nmu_rank_result, runs, WHOLE),
	FIELD(nmu_rank_result, runs_finished, WHOLE),
	FIELD(nmu_rank_result, stop, WORD),
	FIELD(nmu_rank_result, notes, WORD),
};
static const field point_fields[] = {
	FIELD(nmu_rank_point, rank, WHOLE),
	FIELD(nmu_rank_point, training_error, NUMBER),
	FIELD(nmu_rank_point, held_out_error, NUMBER),
	FIELD(nmu_rank_point, standard_error, NUMBER),
	FIELD(nmu_rank_point, agreeing_runs, WHOLE),
	FIELD(nmu_rank_point, stability, NUMBER),
	FIELD(nmu_rank_point, cophenetic, NUMBER),
	FIELD(nmu_rank_point, dispersion, NUMBER),
};
static const field consensus_fields[] = {
	FIELD(nmu_consensus_result, rank, WHOLE),
	FIELD(nmu_consensus_result, reason, WORD),
	FIELD(nmu_consensus_result, measure, WORD),
	FIELD(nmu_consensus_result, observed, WHOLE),
	FIELD(nmu_consensus_result, weighted, YES),
	FIELD(nmu_consensus_result, resample, WORD),
	FIELD(nmu_consensus_result, level, NUMBER),
	FIELD(nmu_consensus_result, seed, WHOLE),
	FIELD(nmu_consensus_result, runs_per_rank, WHOLE),
	FIELD(nmu_consensus_result, runs, WHOLE),
	FIELD(nmu_consensus_result, runs_finished, WHOLE),
	FIELD(nmu_consensus_result, stop, WORD),
	FIELD(nmu_consensus_result, notes, WORD),
};
static const field consensus_point_fields[] = {
	FIELD(nmu_consensus_point, rank, WHOLE),
	FIELD(nmu_consensus_point, runs, WHOLE),
	FIELD(nmu_consensus_point, stability, NUMBER),
	FIELD(nmu_consensus_point, error, NUMBER),
	FIELD(nmu_consensus_point, run_error, NUMBER),
	FIELD(nmu_consensus_point, cophenetic, NUMBER),
	FIELD(nmu_consensus_point, dispersion, NUMBER),
	FIELD(nmu_consensus_point, q, NUMBER),
	FIELD(nmu_consensus_point, run_q, NUMBER),
	FIELD(nmu_consensus_point, expected_q, NUMBER),
};
static const field part_fields[] = {
	FIELD(nmu_part, silhouette, NUMBER),
	FIELD(nmu_part, kept, WHOLE),
};
static const field estimate_fields[] = {
	FIELD(nmu_estimate_result, memory, WHOLE),
	FIELD(nmu_estimate_result, scratch, WHOLE),
	FIELD(nmu_estimate_result, reads, WHOLE),
	FIELD(nmu_estimate_result, writes, WHOLE),
};
static const field measures_fields[] = {
	FIELD(nmu_measures, relative_error, NUMBER),
	FIELD(nmu_measures, max_violation, NUMBER),
	FIELD(nmu_measures, scale, NUMBER),
	FIELD(nmu_measures, scaled_error, NUMBER),
	FIELD(nmu_measures, basis_zeros, NUMBER),
	FIELD(nmu_measures, weight_zeros, NUMBER),
	FIELD(nmu_measures, basis_hoyer, NUMBER),
	FIELD(nmu_measures, weight_hoyer, NUMBER),
};
static const field biclique_fields[] = {
	FIELD(nmu_biclique_result, rows, WHOLE),
	FIELD(nmu_biclique_result, cols, WHOLE),
	FIELD(nmu_biclique_result, edges, WHOLE),
	FIELD(nmu_biclique_result, bound, WHOLE),
	FIELD(nmu_biclique_result, start, WHOLE),
};
static const field progress_fields[] = {
	FIELD(nmu_progress, restart, WHOLE),
	FIELD(nmu_progress, restarts, WHOLE),
	FIELD(nmu_progress, factor, WHOLE),
	FIELD(nmu_progress, rank, WHOLE),
	FIELD(nmu_progress, iteration, WHOLE),
	FIELD(nmu_progress, iterations, WHOLE),
	FIELD(nmu_progress, relative_error, NUMBER),
	FIELD(nmu_progress, elapsed, NUMBER),
	FIELD(nmu_progress, remaining, NUMBER),
};
