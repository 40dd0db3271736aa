-- A message is stored, claimed, ended and acknowledged: four versions of its row, and each index keeps all of them until vacuum.
-- PostgreSQL's own setting lets a fifth of the table be dead: two million rows of ten million.
-- No fillfactor: each of these changes moves an indexed column, so room in the page would spare no index. Nor for the sums in
-- `tally`, which have none: of 20,000 changes of 2,000 rows 99.4 % leave the index alone in full pages, 100 % in half-full ones.
ALTER TABLE "message" SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_analyze_scale_factor = 0.02);
