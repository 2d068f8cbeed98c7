// What the tools are called together, and what they do to the world, for listings and hints.
import { metadataOf } from "../../src/tools";

/** The first part of the tools' names. */
export const TOOLKIT = "Chat";

const kind = metadataOf("messaging");

export const READS = kind("read", { read_only: true, idempotent: true });
/** Writes something new each time. */
export const CREATES = kind("create");
