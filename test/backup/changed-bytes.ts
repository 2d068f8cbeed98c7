// Backups in which one bit was changed.
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { verifyBackup } from "../../src/backup";
import { randomOf } from "../support/long";
import { temporaryFolder } from "../support/temporary";

/** One bit of a byte is changed. */
export function flipped(bytes: Buffer, index: number, random: () => number): Buffer {
  const changed = Buffer.from(bytes);
  changed[index] = (changed[index] ?? 0) ^ (1 << Math.floor(random() * 8));
  return changed;
}

/** The places of changed bytes that a check of the backup does not find, of so many tries. */
export async function missedChanges(file: string, tries: number, seed: number): Promise<number[]> {
  const bytes = readFileSync(file);
  const random = randomOf(seed);
  // Headers and the end of the archive are a small part of it, so half of the tries are there.
  const databases = bytes.indexOf("SQLite format 3");
  const places = Array.from({ length: tries }, (_, index) =>
    index % 2 === 0
      ? Math.floor(random() * bytes.length)
      : index % 4 === 1
        ? Math.floor(random() * databases)
        : bytes.length - 1 - Math.floor(random() * 3000),
  );
  const changed = join(temporaryFolder(), "changed.backup");
  const missed: number[] = [];
  for (const index of places) {
    writeFileSync(changed, flipped(bytes, index, random));
    const isGood = await verifyBackup({ file: changed, identities: [], open: async () => undefined }).then(
      ({ problems }) => problems.length === 0,
      () => false,
    );
    if (isGood) missed.push(index);
  }
  return missed;
}
