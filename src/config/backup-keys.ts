// The settings of backups.
import { path } from "./types";

export const BACKUP_KEYS = {
  "backup.folder": {
    schema: path,
    meaning:
      "folder of the server's own backups, and of those before an upgrade; default for those: backups in the data folder",
  },
  "backup.hours": {
    schema: { type: "integer", minimum: 0, maximum: 8760, description: "hours, 0 to 8760" },
    default: 0,
    meaning: "hours between two backups that a server makes by itself into backup.folder; 0: none",
  },
  "backup.keep": {
    schema: { type: "integer", minimum: 1, maximum: 10_000, description: "a number, 1 to 10000" },
    default: 14,
    meaning: "how many of its own backups a server keeps; older ones are deleted",
  },
  "backup.recipients": {
    schema: {
      type: "array",
      items: { type: "string", pattern: "^age1[0-9a-z]+$" },
      description: "a list of public keys of age (age1…)",
    },
    default: [],
    meaning: "public keys of age for which backups are encrypted; empty: they are not encrypted",
  },
  "backup.before_upgrade": {
    schema: { type: "boolean", description: "true or false" },
    default: true,
    meaning: "a newer version makes a backup before it changes the databases of an older one",
  },
} as const;
