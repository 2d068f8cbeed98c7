// Files that survive a power loss, readable only by their owner.
import {
  chownSync,
  closeSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  openSync,
  readlinkSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { nodeCrypto } from "./node-crypto";

/** The file that a path leads to through symbolic links. It need not exist. */
export function resolvedFile(path: string, links = 40): string {
  try {
    return realpathSync(path);
  } catch {
    const target = linkTarget(path);
    if (target !== undefined && links > 0) return resolvedFile(resolve(dirname(path), target), links - 1);
    try {
      return join(realpathSync(dirname(path)), basename(path));
    } catch {
      return path;
    }
  }
}

function linkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Creates a file (0600) and syncs it and its folder. Fails if the file exists; leaves nothing behind if it fails. */
export function createDurably(file: string, text: string): void {
  const descriptor = openSync(file, "wx", 0o600);
  try {
    try {
      fchmodSync(descriptor, 0o600);
      const bytes = Buffer.from(text);
      for (let written = 0; written < bytes.length;) written += writeSync(descriptor, bytes, written);
      fsyncSync(descriptor);
    } finally {
      closeSync(descriptor);
    }
    syncFolder(dirname(file));
  } catch (error) {
    rmSync(file, { force: true });
    throw error;
  }
}

/** Creates a file (0600) with the owner of its folder, or leaves the one that another process has created meanwhile. */
export function createOnce(file: string, text: string): void {
  const target = resolvedFile(file);
  const draft = `${target}.${nodeCrypto().randomBytes(8).toString("hex")}.new`;
  createDurably(draft, text);
  try {
    keepOwner(draft, dirname(target));
    // `link` is atomic and fails if the file exists, so no process reads half of it.
    linkSync(draft, target);
  } catch (error) {
    if (!existsSync(target)) throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(target));
}

/** Replaces a file by a new one with this text, by a rename. Fails without a change if the file cannot be replaced. */
export function replaceDurably(file: string, text: string): void {
  const draft = `${file}.${nodeCrypto().randomBytes(8).toString("hex")}.new`;
  createDurably(draft, text);
  try {
    keepOwner(draft, file);
    renameSync(draft, file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  syncFolder(dirname(file));
}

/** Gives a file the owner of another one, so that a command of root does not take a key from the user of the server. */
export function keepOwner(file: string, like: string): void {
  const [mine, theirs] = [statSync(file), statSync(like, { throwIfNoEntry: false })];
  if (theirs !== undefined && mine.uid !== theirs.uid && process.getuid?.() === 0)
    chownSync(file, theirs.uid, theirs.gid);
}

export function syncFolder(folder: string): void {
  const descriptor = openSync(folder, "r");
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
