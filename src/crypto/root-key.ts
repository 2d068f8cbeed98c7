// Where the root key comes from: the environment, a file, or a file made at first start beside the configuration
// (never in the data folder, so that a backup of the data holds no key).
import {
  closeSync,
  existsSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, relative } from "node:path";
import { Redacted } from "../base";
import { configurationError } from "../errors";
import { derive } from "./cipher";
import { hashOf, type Random } from "./ids";

export interface RootKey {
  readonly key: Redacted;
  /** Names the key without giving it away; stands in every wrapped data key. */
  readonly id: string;
  /** For messages: which setting or file it came from. */
  readonly source: string;
}

export interface RootKeySettings {
  /** `RUNTIME_ROOT_KEY`: 32 bytes as base64, base64url or hex. */
  value: Redacted | undefined;
  /** `RUNTIME_ROOT_KEY_FILE`: a file that holds the same text. */
  file: string | undefined;
  /** Used when neither is set. */
  defaultFile: string;
}

/** Reads the configured key. `undefined` when none is configured and the default file is not there yet. */
export function findRootKey({ value, file, defaultFile }: RootKeySettings): RootKey | undefined {
  if (value !== undefined) return rootKey(value.reveal(), "RUNTIME_ROOT_KEY");
  if (file !== undefined) return rootKey(read(file), file);
  return existsSync(defaultFile) ? rootKey(read(defaultFile), defaultFile) : undefined;
}

/** Makes a key in the default file (0600). When another process was faster, its key is the one. */
export function makeRootKey({ defaultFile }: RootKeySettings, random: Random): RootKey {
  const text = Buffer.from(random(32)).toString("base64");
  const draft = `${defaultFile}.${process.pid}.new`;
  try {
    mkdirSync(dirname(defaultFile), { recursive: true, mode: 0o700 });
    // Durable before the database relies on it: a power loss must not leave data without its key.
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
    // A link is made whole or not at all, and fails when the file exists: nobody reads half a key.
    linkSync(draft, defaultFile);
  } catch (error) {
    if (!existsSync(defaultFile)) {
      throw configurationError(
        `Cannot write the root key to ${defaultFile}. Set RUNTIME_ROOT_KEY or RUNTIME_ROOT_KEY_FILE.`,
        { cause: error },
      );
    }
  } finally {
    if (existsSync(draft)) unlinkSync(draft);
  }
  return rootKey(read(defaultFile), defaultFile);
}

/** The key in a file. Throws `configuration`. */
export function readRootKey(file: string): RootKey {
  return rootKey(read(file), file);
}

/** Where a rotation puts the new key until it counts; undefined when the key does not come from a file. */
export function nextFileOf({ value, file, defaultFile }: RootKeySettings): string | undefined {
  return value === undefined ? `${file ?? defaultFile}.next` : undefined;
}

/** The key of a rotation that is not over; undefined when there is none, or its file has just taken its place. */
export function findNextRootKey(settings: RootKeySettings): RootKey | undefined {
  const file = nextFileOf(settings);
  if (file === undefined || !existsSync(file)) return undefined;
  try {
    return readRootKey(file);
  } catch (error) {
    if (existsSync(file)) throw error;
    return undefined;
  }
}

/** Makes the key of a rotation, durable before anything relies on it. */
export function makeNextRootKey(nextFile: string, random: Random): RootKey {
  const text = Buffer.from(random(32)).toString("base64");
  writeFileSync(nextFile, `${text}\n`, { mode: 0o600, flush: true });
  syncFolder(dirname(nextFile));
  return readRootKey(nextFile);
}

/** The new key becomes the key: the old one is gone with this. */
export function promoteNextRootKey(nextFile: string): void {
  const file = nextFile.replace(/\.next$/, "");
  try {
    renameSync(nextFile, file);
  } catch (error) {
    // Another process that finishes the same rotation was faster. The file may exist again by now: of the next rotation.
    if (!(error instanceof Error && "code" in error && error.code === "ENOENT")) throw error;
  }
  syncFolder(dirname(file));
}

function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

function read(file: string): string {
  try {
    if (statSync(file).isFile()) return readFileSync(file, "utf8");
  } catch (error) {
    // A key put where its file's path belongs must not be repeated, neither here nor in the cause.
    if ([file, relative("", file)].some((text) => decode(text) !== undefined)) {
      throw configurationError(
        "RUNTIME_ROOT_KEY_FILE cannot be read and looks like the key itself. Set it to the path of a file that " +
          "holds the key, or set RUNTIME_ROOT_KEY.",
      );
    }
    throw configurationError(`The root key file ${file} cannot be read.`, {
      cause: error,
    });
  }
  throw configurationError(`The root key file ${file} is no file.`);
}

function rootKey(text: string, source: string): RootKey {
  const bytes = decode(text.trim());
  if (bytes === undefined) {
    throw configurationError(
      `${source}: a root key is 32 random bytes as base64 or hex, for example of: openssl rand -base64 32`,
    );
  }
  // The id is made from a derived key, so that it says nothing about the key itself.
  const id = hashOf(Buffer.from(derive(bytes, "root key id")).toString("hex")).slice(0, 16);
  return {
    key: new Redacted(Buffer.from(bytes).toString("base64")),
    id,
    source,
  };
}

function decode(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 ? bytes : undefined;
}
