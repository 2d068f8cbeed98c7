// Tar archives of a system's files: modes, folders and links. Their bytes depend on nothing but the entries and the date.
import { type Header, pack } from "tar-stream";

export interface TarEntry {
  /** With `/`, without one at the beginning. */
  path: string;
  /** A folder, or the target of a symbolic link, or the content of a file. */
  content: { folder: true } | { link: string } | Uint8Array | string;
  /** Default: 0755 of folders, 0644 of files. */
  mode?: number;
  /** Number of the owner and the group. Default: 0. */
  owner?: number;
}

/** The archive, not compressed. Entries are sorted and have the date, and the folders above them are added. */
export async function tarOf(entries: readonly TarEntry[], date: Date): Promise<Uint8Array> {
  const archive = pack();
  const chunks: Uint8Array[] = [];
  const read = (async () => {
    for await (const chunk of archive) chunks.push(chunk as Uint8Array);
  })();
  for (const entry of withFolders(entries)) {
    const { header, bytes } = headerOf(entry);
    const owner = { uid: entry.owner ?? 0, gid: entry.owner ?? 0, uname: "", gname: "" };
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    archive.entry({ ...header, ...owner, mtime: date }, Buffer.from(bytes), (error) => {
      if (error) reject(error);
      else resolve();
    });
    await promise;
  }
  archive.finalize();
  await read;
  return Buffer.concat(chunks);
}

function headerOf({ path: name, content, mode }: TarEntry): {
  header: Partial<Header> & { name: string };
  bytes: Uint8Array;
} {
  const empty = new Uint8Array();
  if (content instanceof Uint8Array || typeof content === "string") {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    return { header: { name, type: "file", mode: mode ?? 0o644, size: bytes.length }, bytes };
  }
  if ("link" in content)
    return { header: { name, type: "symlink", linkname: content.link, mode: 0o777 }, bytes: empty };
  return { header: { name: `${name}/`, type: "directory", mode: mode ?? 0o755 }, bytes: empty };
}

/** In the order in which they can be unpacked. A path that occurs twice is an error of the caller. */
export function withFolders(entries: readonly TarEntry[]): TarEntry[] {
  const byPath = new Map(entries.map((entry) => [entry.path, entry]));
  if (byPath.size < entries.length) throw new Error("Two entries of an archive have the same path.");
  for (const { path } of entries) {
    const names = path.split("/").slice(0, -1);
    for (const [index] of names.entries()) {
      const folder = names.slice(0, index + 1).join("/");
      if (!byPath.has(folder)) byPath.set(folder, { path: folder, content: { folder: true } });
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
