// The latency that one pre and one post hook on this machine add to a run, compared with two bare `fetch` calls to the
// same server.
import { join } from "node:path";
import type { Bench, Row } from "../bench";
import { atMost } from "../bound";
import { LOAD_CORE } from "../children";
import { detailsOf, load, type Side, startBaseline } from "../compare";
import { createDeployment, type Deployment, inDeployment, PROJECT } from "../deployment";
import { median, ratios, spread } from "../figures";
import type { Measured } from "../load/job";
import { startServer } from "../server-under-test";
import { executions } from "./execute";

const BOUND = atMost(2);

type Sides = Record<"none" | "twice" | "plain" | "hooked", Side>;

export const hooks: Bench = {
  name: "hooks",
  about: "latency that a pre and a post hook add to execute, against two bare fetch calls to their server",
  run: async (context) => {
    const webhook = await startBaseline(context, "webhook", [], LOAD_CORE);
    const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
    const address = `http://127.0.0.1:${upstream.port}`;
    const hooked = await createDeployment(join(context.folder, "hooked"), 10);
    const plain = await createDeployment(join(context.folder, "plain"), 10);
    await addHooks(hooked, `http://127.0.0.1:${webhook.port}`);
    const servers = {
      hooked: await startServer(context, hooked, { upstream: address }),
      plain: await startServer(context, plain, { upstream: address }),
    };
    const bare = await startBaseline(context, "two-fetches", [String(webhook.port)]);
    const contains = '"success":true';
    const rounds = await load(
      context,
      {
        none: { ...bare, requests: [{ path: "/none" }] },
        twice: { ...bare, requests: [{ path: "/twice" }], contains: '"code":"OK"' },
        plain: { ...servers.plain, requests: executions(plain.users, plain.key), contains },
        hooked: { ...servers.hooked, requests: executions(hooked.users, hooked.key), contains },
      } satisfies Sides,
      { connections: 1, polls: false },
    );
    const running = [bare, servers.hooked, servers.plain, upstream, webhook];
    await Promise.all(running.map((one) => one.stop()));
    return [rowOf(rounds)];
  },
};

async function addHooks(deployment: Deployment, address: string): Promise<void> {
  const endpoint = (point: string) => ({
    url: `${address}/${point}`,
    phase: "before" as const,
    failure_mode: "fail_closed" as const,
  });
  await inDeployment(deployment, async ({ identity, plugins }) =>
    plugins.create(await identity.operator(PROJECT), {
      name: "bench",
      plugin_type: "webhook",
      status: "active",
      webhook_config: {
        endpoints: { pre: endpoint("pre"), post: endpoint("post") },
        auth: { type: "bearer", token: "the-token-of-the-bench" },
      },
    }),
  );
}

function rowOf({ none, twice, plain, hooked }: Record<keyof Sides, Measured[]>): Row {
  const less = (side: readonly Measured[], other: readonly Measured[]): number[] =>
    side.map(({ p50 }, round) => p50 - (other[round]?.p50 ?? NaN));
  const added = less(hooked, plain);
  const fetches = less(twice, none);
  const figures = ratios(added, fetches);
  const micros = (values: readonly number[]): string => `${Math.round(median(values) * 1000)} µs`;
  return {
    name: "hooks",
    measured: `+${micros(added)}`,
    baseline: micros(fetches),
    figure: median(figures),
    spread: spread(figures),
    bound: BOUND,
    note: `one caller; execute without hooks ${micros(plain.map(({ p50 }) => p50))}`,
    details: {
      ...detailsOf("none", none),
      ...detailsOf("twice", twice),
      ...detailsOf("plain", plain),
      ...detailsOf("hooked", hooked),
    },
  };
}
