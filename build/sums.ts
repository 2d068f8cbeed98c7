// SHA256SUMS: the hash of each file of a release, as `sha256sum -c` reads it.
import { createReadStream, readdirSync } from "node:fs";
import { join } from "node:path";

export const SUMS = "SHA256SUMS";

/** Writes the hashes of all files in the folder. */
export async function writeSums(folder: string): Promise<void> {
  const names = readdirSync(folder)
    .filter((name) => name !== SUMS)
    .sort();
  const lines: string[] = [];
  for (const name of names) lines.push(`${await digestOf(join(folder, name))}  ${name}\n`);
  await Bun.write(join(folder, SUMS), lines.join(""));
}

async function digestOf(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of createReadStream(file)) hasher.update(chunk as Uint8Array);
  return hasher.digest("hex");
}
