// The settings of catalogs. They are separate from the tools because every command loads them.
import type { SettingDeclarations } from "../src/config";

const address = {
  type: "string",
  pattern: "^https?://[^\\s]+$",
  description: "an absolute http(s) address",
} as const;

export const catalogSettings: SettingDeclarations = {
  "chat.api_url": { schema: address, meaning: "replaces the address of the team-chat platform's API" },
  "sheets.api_url": { schema: address, meaning: "replaces the address of the spreadsheet platform's API" },
  "sheets.picker": {
    schema: { enum: ["script", "redirect"], description: "script or redirect" },
    default: "script",
    meaning: "how users pick files: by the platform's scripts on our page, or on the platform's own page",
  },
  "sheets.picker_code": {
    schema: { enum: ["exchange", "ignore"], description: "exchange or ignore" },
    default: "exchange",
    meaning:
      "whether the code that comes back from the platform's own page is exchanged (its tokens are dropped) or ignored",
  },
  "sheets.picker_script_url": {
    schema: address,
    meaning: "replaces the address of the spreadsheet platform's script for picking files",
  },
  "sheets.identity_script_url": {
    schema: address,
    meaning: "replaces the address of the spreadsheet platform's script for signing in on the picker page",
  },
  "drive.api_url": {
    schema: address,
    meaning: "replaces the address of the spreadsheet platform's file API",
  },
  "userinfo.url": {
    schema: address,
    meaning: "replaces the address of the spreadsheet platform's user info",
  },
  "records.accounts_hosts": {
    schema: { type: "array", items: address, description: "a list of http(s) addresses" },
    default: [],
    meaning: "further accounts servers of the records platform that a callback may name",
  },
  "records.server_urls": {
    schema: { type: "array", items: address, description: "a list of http(s) addresses" },
    default: [],
    meaning:
      "further API servers of the records platform, besides its data centers, that a project may name in VENDOR_SERVER_URL",
  },
};
