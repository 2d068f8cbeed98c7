// Every catalog that the runtime ships.
import type { Catalog } from "../src/tools";
import { chatCatalog } from "./chat";
import { recordsCatalog } from "./records";
import { sheetsCatalog } from "./sheets";

export const catalogs: readonly Catalog[] = [chatCatalog, recordsCatalog, sheetsCatalog];
