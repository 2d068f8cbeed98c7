// One record, read with an API key.
import { join } from "node:path";
import type { Bench } from "../bench";
import { atLeast } from "../bound";
import { compareRates, startBaseline } from "../compare";
import { createDeployment, PROVIDER } from "../deployment";
import { startServer } from "../server-under-test";

export const get: Bench = {
  name: "get",
  about: "get one record, authenticated, against a bare Bun.serve that says hello",
  run: async (context) => {
    const deployment = await createDeployment(join(context.folder, "get"), 10);
    const ours = await startServer(context, deployment);
    const hello = await startBaseline(context, "hello");
    const requests = [{ path: `/v1/admin/auth_providers/${PROVIDER}`, key: deployment.key }];
    const row = await compareRates(context, "get", atLeast(0.6), {
      ours: { ...ours, requests, contains: '"redirect_uri"' },
      baseline: { ...hello, requests },
    });
    await Promise.all([ours.stop(), hello.stop()]);
    return [row];
  },
};
