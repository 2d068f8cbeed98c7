// Counts commits in a write-ahead log: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
import { readFileSync } from "node:fs";

const HEADER_BYTES = 32;
const FRAME_HEADER_BYTES = 24;

/** The number of transactions in the log of a database. Exact until the log is reset. */
export function commitsIn(databaseFile: string): number {
  const log = readFileSync(`${databaseFile}-wal`);
  if (log.length < HEADER_BYTES) return 0;
  const frameBytes = FRAME_HEADER_BYTES + log.readUInt32BE(8);
  let commits = 0;
  for (let frame = HEADER_BYTES; frame + frameBytes <= log.length; frame += frameBytes) {
    // Only the last frame of a transaction contains the size of the database.
    if (log.readUInt32BE(frame + 4) !== 0) commits++;
  }
  return commits;
}
