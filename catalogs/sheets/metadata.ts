// What the tools do to the world, for listings and hints.
import type { ToolMetadata } from "../../src/tools";

const classification = { service_domains: ["spreadsheets"] };

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

/** Makes a new file each time. */
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

/** Puts given content in place of what is there: the same call twice leaves the same sheet. */
export const OVERWRITES: ToolMetadata = {
  classification,
  behavior: {
    operations: ["update"],
    read_only: false,
    destructive: true,
    idempotent: true,
    open_world: true,
  },
};

/** Asks nobody. */
export const ANSWERS: ToolMetadata = {
  classification,
  behavior: {
    operations: ["read"],
    read_only: true,
    destructive: false,
    idempotent: true,
    open_world: false,
  },
};
