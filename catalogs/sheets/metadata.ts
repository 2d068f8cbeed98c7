// Which grant the tools need and what they do, for listings and hints.
import { metadataOf } from "../../src/tools";
import { googlePreset } from "../presets/google";
import { DRIVE_FILE } from "./platform";

/** The user's grant with access to single files, and more scopes if a tool needs them. */
export const fileGrant = (...more: string[]) => ({
  provider: googlePreset.id,
  scopes: [DRIVE_FILE, ...more],
});

const kind = metadataOf("spreadsheets");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Makes a new file each time. */
export const CREATES = kind("create");
/** Puts given content in place of what is there: the same call twice leaves the same sheet. */
export const OVERWRITES = kind("update", { destructive: true, idempotent: true });
