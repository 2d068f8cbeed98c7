// The file of a backup: a tar archive (POSIX ustar) with five files in a fixed order. Everything in its headers follows from
// the manifest, so that making the archive again from its contents gives the same bytes. That is how every changed byte is found.
import { createReadStream, createWriteStream, readFileSync, rmSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { extract, type Header, pack, type Pack } from "tar-stream";
import { isObject } from "../base";
import { BackupFault } from "./fault";
import { type BackupManifest, parseManifest } from "./manifest";

export const MANIFEST = "manifest.json";
export const SUMS = "SHA256SUMS";
export const SETTINGS = "settings.json";
/** The files of a backup between its manifest and its sums. */
export const CONTENTS = [SETTINGS, "executions.db", "runtime.db"] as const;
const ORDER = [MANIFEST, ...CONTENTS, SUMS];
const MOST_TEXT = 64 * 1024 * 1024;

/** The SHA-256 of a file, as hex. */
export async function digestOf(file: string): Promise<string> {
  const hasher = new Bun.CryptoHasher("sha256");
  for await (const chunk of createReadStream(file)) hasher.update(chunk as Uint8Array);
  return hasher.digest("hex");
}

/** The lines that `sha256sum -c` reads. */
export async function sumsOf(folder: string): Promise<string> {
  const names = [MANIFEST, ...CONTENTS];
  const lines = await Promise.all(
    names.map(async (name) => `${await digestOf(join(folder, name))}  ${name}\n`),
  );
  return lines.join("");
}

/** The archive of the files in a folder. */
export function archiveOf(folder: string, createdAt: string): AsyncIterable<Uint8Array> {
  const archive = pack();
  void addAll(archive, folder, new Date(createdAt)).then(
    () => archive.finalize(),
    (error: unknown) => archive.destroy(error instanceof Error ? error : new Error(String(error))),
  );
  return archive as AsyncIterable<Uint8Array>;
}

async function addAll(archive: Pack, folder: string, mtime: Date): Promise<void> {
  for (const name of ORDER) {
    const file = join(folder, name);
    const entry = archive.entry({ ...headerOf(mtime), name, size: statSync(file).size });
    await pipeline(createReadStream(file), entry);
  }
}

function headerOf(mtime: Date): Partial<Header> {
  return { mode: 0o600, uid: 0, gid: 0, uname: "", gname: "", mtime, type: "file" };
}

/**
 * Unpacks an archive into an empty folder and checks every byte of it. Throws `BackupFault`.
 */
export async function unpack(source: AsyncIterable<Uint8Array>, folder: string): Promise<BackupManifest> {
  const whole = new Bun.CryptoHasher("sha256");
  const names = await extractInto(folder, source, whole);
  const missing = ORDER.find((name) => !names.includes(name));
  if (missing !== undefined)
    throw new BackupFault(`It is not a backup, or was cut off: ${missing} is missing.`);
  const manifest = parseManifest(readText(join(folder, MANIFEST)));
  await compareSums(folder, manifest);
  const again = new Bun.CryptoHasher("sha256");
  for await (const chunk of archiveOf(folder, manifest.created_at)) again.update(chunk);
  if (again.digest("hex") !== whole.digest("hex"))
    throw new BackupFault("It was changed between its files: a header or its end differs.");
  return manifest;
}

async function extractInto(
  folder: string,
  source: AsyncIterable<Uint8Array>,
  whole: Bun.CryptoHasher,
): Promise<string[]> {
  const names: string[] = [];
  const reader = extract();
  reader.on("entry", (header, stream, next) => {
    const expected = ORDER[names.length];
    if (header.name !== expected || header.type !== "file") {
      next(new BackupFault("It is not a backup, or was changed: it contains another file than expected."));
      return;
    }
    names.push(expected);
    const target = createWriteStream(join(folder, expected), { flags: "wx", mode: 0o600 });
    pipeline(stream, target).then(
      () => next(),
      (error: unknown) => next(error instanceof Error ? error : new Error(String(error))),
    );
  });
  const hashed = async function* (): AsyncGenerator<Uint8Array> {
    for await (const chunk of source) {
      whole.update(chunk);
      yield chunk;
    }
  };
  try {
    await pipeline(Readable.from(hashed()), reader);
  } catch (error) {
    throw error instanceof BackupFault || isOfSystem(error)
      ? error
      : new BackupFault(`It is not a backup, or was changed or cut off: ${reasonOf(error)}.`);
  }
  return names;
}

/** Such as a full disk: says nothing about the backup. */
function isOfSystem(error: unknown): boolean {
  return error instanceof Error && "syscall" in error;
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message.replace(/\.$/, "") : "unknown reason";
}

async function compareSums(folder: string, manifest: BackupManifest): Promise<void> {
  const [actual, kept] = [await sumsOf(folder), readText(join(folder, SUMS))];
  const lines = kept.split("\n");
  actual.split("\n").forEach((line, index) => {
    if (line !== lines[index])
      throw new BackupFault(`${ORDER[index] ?? SUMS} was changed, or its sum in ${SUMS} was.`);
  });
  if (actual !== kept) throw new BackupFault(`${SUMS} was changed.`);
  const named = manifest.files.map(({ name, size, sha256 }) => `${sha256} ${size} ${name}`);
  const found = CONTENTS.map((name, index) => {
    const digest = actual.split("\n")[index + 1]?.split(" ")[0] ?? "";
    return `${digest} ${statSync(join(folder, name)).size} ${name}`;
  });
  if (named.join("\n") !== found.join("\n")) throw new BackupFault("Its manifest names other files.");
}

function readText(file: string): string {
  if (statSync(file).size > MOST_TEXT) throw new BackupFault(`${basename(file)} is too large.`);
  return readFileSync(file, "utf8");
}

/** What an archive that is not encrypted says about itself. */
export interface Description {
  manifest: BackupManifest;
  /** Those that differed from the defaults; undefined: the archive has none where they belong. */
  settings: Readonly<Record<string, unknown>> | undefined;
}

/** The first files of an archive, without a check; undefined for another file. Throws what the file system throws. */
export async function descriptionIn(source: AsyncIterable<Uint8Array>): Promise<Description | undefined> {
  const reader = extract();
  const feeding = pipeline(Readable.from(source), reader).catch(() => undefined);
  let manifest: BackupManifest | undefined;
  try {
    for await (const entry of reader) {
      const { name, size = 0 } = entry.header;
      const isExpected = name === (manifest === undefined ? MANIFEST : SETTINGS) && size <= MOST_TEXT;
      if (!isExpected) break;
      const text = await textOf(entry);
      if (manifest !== undefined) return { manifest, settings: settingsIn(text) };
      manifest = parseManifest(text);
    }
  } catch (error) {
    if (isOfSystem(error)) throw error;
  } finally {
    reader.destroy();
    await feeding;
  }
  return manifest === undefined ? undefined : { manifest, settings: undefined };
}

async function textOf(entry: AsyncIterable<unknown>): Promise<string> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of entry) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks).toString("utf8");
}

function settingsIn(text: string): Description["settings"] {
  const value: unknown = JSON.parse(text);
  return isObject(value) ? value : undefined;
}

/** Writes a stream to a new file (0600) and syncs it. */
export async function writeDurably(file: string, source: AsyncIterable<Uint8Array>): Promise<void> {
  try {
    const target = createWriteStream(file, { flags: "wx", mode: 0o600 });
    await pipeline(Readable.from(source), target);
    const handle = await open(file, "r");
    await handle.sync().finally(() => handle.close());
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}
