// Half an hour of mixed load over every entry point: memory, files and processes do not grow, and nothing fails.
// RUNTIME_SOAK_MINUTES=120 makes it longer.
import { expect, test } from "bun:test";
import { soak } from "../soak/soak";
import { scaled } from "../support/long";

/** In less time, the rarest kind of work is not reached. */
const LEAST_MINUTES = 3;
const MINUTES = Number(process.env["RUNTIME_SOAK_MINUTES"] ?? Math.max(LEAST_MINUTES, scaled(300) / 10));

test(
  `${MINUTES} minutes of mixed load`,
  async () => {
    const result = await soak(MINUTES * 60);
    process.stdout.write(result.sentences.join("\n"));

    expect(result.faults).toEqual([]);
    expect(result.unusedKinds).toEqual([]);
    expect(result.grown).toEqual([]);
  },
  (MINUTES + 10) * 60_000,
);
