// Data keys are cached in memory until one of them changes.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const dataKeys: Migration = {
  version: 7,
  name: "data keys",
  statements: [generations("data_keys")],
};
