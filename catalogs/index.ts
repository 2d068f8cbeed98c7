// Every catalog that the runtime ships.
import type { Catalog } from "../src/tools";
import { chatCatalog } from "./chat";
import { presets } from "./presets";
import { recordsCatalog } from "./records";
import { sheetsCatalog } from "./sheets";

/** Presets are listed once, since a provider may have none of our tools. Lists of toolkits skip a catalog without. */
const presetCatalog: Catalog = {
  toolkit: { name: "Presets", description: "Well-known auth providers.", version: "1.0.0" },
  bases: {},
  presets,
  tools: [],
};

export const catalogs: readonly Catalog[] = [chatCatalog, recordsCatalog, sheetsCatalog, presetCatalog];
