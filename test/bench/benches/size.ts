// The executable as a file.
import { existsSync, statSync } from "node:fs";
import type { Bench } from "../bench";
import { atMost } from "../bound";
import { EXECUTABLE } from "../server-under-test";

export const size: Bench = {
  name: "size",
  about: "size of the executable",
  run: async () => {
    const row = { name: "size", measured: "", baseline: "", bound: atMost(150, "MB") };
    if (!existsSync(EXECUTABLE)) return [{ ...row, note: "no executable: bun run build" }];
    const figure = statSync(EXECUTABLE).size / 1_000_000;
    return [{ ...row, measured: `${figure.toFixed(1)} MB`, figure }];
  },
};
