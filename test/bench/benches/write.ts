// One durable write with its audit row: a secret is created or replaced.
import { join } from "node:path";
import type { Bench } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { createDeployment } from "../deployment";
import type { HttpRequest } from "../load/job";
import { startServer } from "../server-under-test";

/** Keys that are written repeatedly, so that the table does not grow with the rate. */
const KEYS = 200;

export const write: Bench = {
  name: "write",
  about:
    "one durable write with its audit row (secret upsert), against a bare Bun program that writes the same rows",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "write"), 10);
    const ours = await startServer(context, deployment);
    const requests = secretUpserts(deployment.key);
    const floor = await startBaseline(context, "write-floor", [
      join(context.folder, "floor.db"),
      deployment.key,
    ]);
    const sides = {
      ours: { ...ours, requests, contains: '"updated_at"' },
      baseline: { ...floor, requests, contains: '"updated_at"' },
    };
    const row = await compareRates(context, "write", atLeast(0.6), sides, { work: "waits for the disk" });
    await Promise.all([ours.stop(), floor.stop()]);
    return [row];
  },
};

/** Creates and replaces secrets. */
export function secretUpserts(key: string): HttpRequest[] {
  return Array.from({ length: KEYS }, (_, number) => ({
    method: "POST",
    path: `/v1/admin/secrets/BENCH_${number}`,
    key,
    body: { value: `value-${number}-${"x".repeat(60)}`, description: "written by the bench" },
  }));
}
