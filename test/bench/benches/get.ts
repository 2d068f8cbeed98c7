// One record, read with an API key.
import { join } from "node:path";
import type { Bench } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { createDeployment, PROVIDER } from "../deployment";
import { answerOf, startServer } from "../server-under-test";

export const get: Bench = {
  name: "get",
  about:
    "get one record, authenticated, against a bare Bun program that hashes the key, reads one row and sends the same bytes",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "get"), 10);
    const ours = await startServer(context, deployment);
    const path = `/v1/admin/auth_providers/${PROVIDER}`;
    const record = await answerOf(ours, path, deployment.key);
    const floor = await startBaseline(context, "get-floor", [
      deployment.database,
      deployment.key,
      PROVIDER,
      record,
    ]);
    const requests = [{ path, key: deployment.key }];
    const row = await compareRates(context, "get", atLeast(0.8), {
      ours: { ...ours, requests, contains: '"redirect_uri"' },
      baseline: { ...floor, requests, contains: '"redirect_uri"' },
    });
    await Promise.all([ours.stop(), floor.stop()]);
    return [row];
  },
};
