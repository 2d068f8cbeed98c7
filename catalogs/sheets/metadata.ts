// What the tools do to the world, for listings and hints.
import { metadataOf } from "../../src/tools";

const kind = metadataOf("spreadsheets");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Makes a new file each time. */
export const CREATES = kind("create");
/** Puts given content in place of what is there: the same call twice leaves the same sheet. */
export const OVERWRITES = kind("update", { destructive: true, idempotent: true });
