// Starts programs as the product does, for tests in one process.
import { join } from "node:path";
import { createLog, systemClock } from "../../../src/base";
import { ProcessHost } from "../../../src/processes";

const EXECUTABLE = [process.execPath, join(import.meta.dir, "..", "..", "..", "cli", "main.ts")];
const silent = createLog({ level: "error", clock: systemClock, write: () => undefined });

export function testPrograms(): ProcessHost {
  return new ProcessHost({ executable: EXECUTABLE, hidden: [], log: silent, path: process.env["PATH"] });
}
