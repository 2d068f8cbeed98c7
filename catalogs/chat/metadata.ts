// What the tools are called together, which grant they need, and what they do, for listings and hints.
import { metadataOf } from "../../src/tools";
import { slackPreset } from "../presets/slack";

/** The first part of the tools' names. */
export const TOOLKIT = "Chat";

/** The user's grant with these scopes. */
export const grantWith = (scopes: readonly string[]) => ({ provider: slackPreset.id, scopes });

const kind = metadataOf("messaging");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Writes something new each time. */
export const CREATES = kind("create");
