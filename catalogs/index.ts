// All catalogs and presets that the runtime ships.
import type { Extensions } from "../src/tools";
import { chatCatalog } from "./chat";
import { presets } from "./presets";
import { recordsCatalog } from "./records";
import { sheetsCatalog } from "./sheets";

export const extensions: Extensions = { catalogs: [chatCatalog, recordsCatalog, sheetsCatalog], presets };
