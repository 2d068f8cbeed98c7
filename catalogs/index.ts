// Every catalog that the runtime ships.
import type { Catalog } from "../src/tools";
import { chatCatalog } from "./chat";

export const catalogs: readonly Catalog[] = [chatCatalog];
