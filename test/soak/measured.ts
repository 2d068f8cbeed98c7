// Loaded into the measured server: on SIGUSR2 it collects garbage and adds a line with what is left to the file in SOAK_FILE.
import { heapStats } from "bun:jsc";
import { appendFileSync } from "node:fs";

const file = process.env["SOAK_FILE"];

// The first collection runs finalizers, which free more.
async function measure(into: string): Promise<void> {
  for (let round = 0; round < 3; round++) {
    Bun.gc(true);
    await Bun.sleep(50);
  }
  const { heapSize, objectTypeCounts } = heapStats();
  appendFileSync(into, `${JSON.stringify({ heapSize, objects: objectTypeCounts })}\n`);
}

if (file !== undefined && process.argv.includes("serve")) process.on("SIGUSR2", () => void measure(file));
