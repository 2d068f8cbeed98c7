// What the tools are called together, and what they do to the world, for listings and hints.
import type { ToolMetadata } from "../../src/tools";

/** The first part of the tools' names. */
export const TOOLKIT = "Chat";

const classification = { service_domains: ["messaging"] };

export const READS: ToolMetadata = {
  classification,
  behavior: {
    operations: ["read"],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: true,
  },
};

/** Writes something new each time. */
export const CREATES: ToolMetadata = {
  classification,
  behavior: {
    operations: ["create"],
    read_only: false,
    destructive: false,
    idempotent: false,
    open_world: true,
  },
};
