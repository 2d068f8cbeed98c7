// The file of a bundle: a gzipped tar archive, which only its owner may read.
import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { pack } from "tar-stream";

export interface BundlePart {
  name: string;
  text: string;
}

const FOLDER = "runtime-diagnosis";

/**
 * Writes the parts. Throws the errors of the file system: `EEXIST` for a file that exists, unless it is to be `replaced`.
 * A file that could not be written whole does not stay.
 */
export async function writeBundle(
  file: string,
  parts: readonly BundlePart[],
  { at, replaced }: { at: Date; replaced: boolean },
): Promise<number> {
  const bytes = Bun.gzipSync(await archiveOf(parts, at), { level: 9 });
  // Not followed if it is a link; a file that is replaced keeps its contents until the new one is whole.
  const target = replaced ? `${file}.${process.pid}.new` : file;
  const descriptor = openSync(target, "wx", 0o600);
  try {
    writeFileSync(descriptor, bytes);
    fsyncSync(descriptor);
    closeSync(descriptor);
    if (replaced) renameSync(target, file);
  } catch (error) {
    rmSync(target, { force: true });
    // An error about a descriptor does not name its file.
    throw error instanceof Error && !("path" in error) ? Object.assign(error, { path: file }) : error;
  }
  return bytes.length;
}

async function archiveOf(parts: readonly BundlePart[], mtime: Date): Promise<Uint8Array<ArrayBuffer>> {
  const archive = pack();
  for (const { name, text } of parts)
    archive.entry({ name: `${FOLDER}/${name}`, mode: 0o600, mtime, uid: 0, gid: 0 }, text);
  archive.finalize();
  const chunks: Uint8Array[] = [];
  for await (const chunk of archive as AsyncIterable<Uint8Array>) chunks.push(chunk);
  return Buffer.concat(chunks);
}
