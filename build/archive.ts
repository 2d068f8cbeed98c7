// Writes .tar.gz archives whose bytes depend on nothing but the content: sorted entries, one date, one owner, two modes.
import { pack } from "tar-stream";

export interface Entry {
  /** A path with `/`, from the folder into which the archive is unpacked. */
  name: string;
  content: Uint8Array | string;
  executable?: boolean;
}

/** @param date of all entries. */
export async function writeArchive(path: string, entries: readonly Entry[], date: Date): Promise<void> {
  const archive = pack();
  const sorted = [...entries].sort((a, b) => (a.name < b.name ? -1 : 1));
  for (const { name, content, executable = false } of sorted) {
    const owner = { uid: 0, gid: 0, uname: "root", gname: "root" };
    archive.entry({ name, mode: executable ? 0o755 : 0o644, mtime: date, ...owner }, Buffer.from(content));
  }
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  await Bun.write(path, Bun.gzipSync(Buffer.concat(chunks), { level: 6, library: "libdeflate" }));
}
