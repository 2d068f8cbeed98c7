// The root key comes from the environment, from a file, from a source outside (`root-key-source.ts`), or from a file that
// the first start creates next to the configuration. It is never in the data folder, so a backup of the data does not contain the key.
import { existsSync, linkSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, relative } from "node:path";
import { Redacted } from "../base";
import { configurationError } from "../errors";
import { derive } from "./cipher";
import { resolvedFile, syncFolder } from "./durable-file";
import { hashOf, type Random } from "./ids";
import type { RootKeySource, RootKeySources } from "./root-key-source";

const KEY_BYTES = 32;

export interface RootKey {
  readonly key: Redacted;
  /** Identifies the key without revealing it; stored with every wrapped data key. */
  readonly id: string;
  /** The setting or file that it came from, for messages. */
  readonly source: string;
}

export interface RootKeySettings {
  /** `RUNTIME_ROOT_KEY`: 32 bytes as base64, base64url or hex. */
  value: Redacted | undefined;
  /** `RUNTIME_ROOT_KEY_FILE`: a file that contains the same text. */
  file: string | undefined;
  /** A command or a systemd credential; replaces the file. */
  sources?: RootKeySources | undefined;
  /** Used if none of them is set. */
  defaultFile: string;
}

/** Reads the configured key. Returns undefined if none is configured and the default file does not exist. */
export function findRootKey({ value, file, sources, defaultFile }: RootKeySettings): RootKey | undefined {
  if (sources !== undefined) return readSource(sources.current);
  if (value !== undefined) return rootKey(value.reveal(), "RUNTIME_ROOT_KEY");
  if (file !== undefined) return rootKey(read(file), file);
  return existsSync(defaultFile) ? rootKey(read(defaultFile), defaultFile) : undefined;
}

/** Creates a key in the default file (0600). If another process was faster, returns the key of that process. */
export function makeRootKey({ defaultFile }: RootKeySettings, random: Random): RootKey {
  const { text } = newRootKey(random);
  const target = resolvedFile(defaultFile);
  const draft = `${target}.${process.pid}.new`;
  try {
    mkdirSync(dirname(target), { recursive: true, mode: 0o700 });
    // Flushed to disk before the database relies on it: a power loss must not leave data without its key.
    writeFileSync(draft, `${text}\n`, { mode: 0o600, flush: true });
    // `link` is atomic and fails if the file exists, so no process reads half a key.
    linkSync(draft, target);
    syncFolder(dirname(target));
  } catch (error) {
    if (!existsSync(defaultFile)) {
      throw configurationError(
        `Cannot write the root key to ${defaultFile}. Set RUNTIME_ROOT_KEY or RUNTIME_ROOT_KEY_FILE.`,
        { cause: error },
      );
    }
  } finally {
    if (existsSync(draft)) rmSync(draft, { force: true });
  }
  return rootKey(read(defaultFile), defaultFile);
}

/** The key in a file. Throws `configuration`. */
export function readRootKey(file: string): RootKey {
  return rootKey(read(file), file);
}

/** The key of a source outside. Throws `configuration`. */
export function readSource({ name, read: readBytes }: RootKeySource): RootKey {
  const bytes = readBytes();
  const text =
    bytes.length === KEY_BYTES
      ? Buffer.from(bytes).toString("base64")
      : Buffer.from(bytes).toString("latin1");
  return rootKey(text, name);
}

/** A new random key as base64, and its id. */
export function newRootKey(random: Random): { text: string; id: string } {
  const bytes = random(32);
  return { text: Buffer.from(bytes).toString("base64"), id: idOf(bytes) };
}

function read(file: string): string {
  try {
    if (statSync(file).isFile()) return readFileSync(file, "utf8");
  } catch (error) {
    // If the setting contains the key itself in place of a path, neither the message nor the cause may repeat it.
    if ([file, relative("", file)].some((text) => decode(text) !== undefined)) {
      throw configurationError(
        "RUNTIME_ROOT_KEY_FILE cannot be read and looks like the key itself. Set it to the path of a file that " +
          "contains the key, or set RUNTIME_ROOT_KEY.",
      );
    }
    throw configurationError(
      `The root key file ${file} cannot be read. Check its path and its permissions.`,
      {
        cause: error,
      },
    );
  }
  throw configurationError(
    `The root key file ${file} is not a regular file. Put the root key into a file that only you can read.`,
  );
}

function rootKey(text: string, source: string): RootKey {
  const bytes = decode(text.trim());
  if (bytes === undefined) {
    throw configurationError(
      `${source} is not a root key. A root key is 32 random bytes as base64 or hex; create one with: openssl rand -base64 32`,
    );
  }
  return { key: new Redacted(Buffer.from(bytes).toString("base64")), id: idOf(bytes), source };
}

// A digest of a derived key reveals nothing about the key itself.
function idOf(bytes: Uint8Array): string {
  return hashOf(Buffer.from(derive(bytes, "root key id")).toString("hex")).slice(0, 16);
}

function decode(text: string): Uint8Array | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, "hex");
  if (!/^[A-Za-z0-9+/_-]{43}=?$/.test(text)) return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.length === 32 ? bytes : undefined;
}
