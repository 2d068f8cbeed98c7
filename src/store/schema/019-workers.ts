// Workers: tools from outside, and their stored catalogs.
import type { Migration } from "../migrate";
import { generations } from "./generations";

export const workers: Migration = {
  version: 19,
  name: "workers",
  statements: [generations("workers")],
};
