import type { Extensions } from "../../src/tools";

/** For a runtime whose tests need neither tools nor presets. */
export const NO_EXTENSIONS: Extensions = { catalogs: [], presets: [] };
