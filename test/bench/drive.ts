import { mkdtempSync } from "node:fs";
import { join } from "node:path";
import { tmpdir } from "node:os";
import { Children, LOAD_CORE } from "./children";
import { createDeployment } from "./deployment";
import { startBaseline } from "./compare";
import { startServer } from "./server-under-test";
import { startLoader } from "./load/loader";
import { rawRequest } from "./load/job";
import { calls, createGateway } from "./benches/mcp";
import { executions } from "./benches/execute";
import { NOTHING, TOOL } from "./catalog";
import { readOptions } from "./options";
const [what = "nothing", secs = "12"] = process.argv.slice(2);
const children = new Children();
process.on("exit", () => children.kill());
const context: any = {
  options: readOptions([], process.env),
  children,
  folder: mkdtempSync(join(tmpdir(), "drive-")),
};
const deployment = await createDeployment(join(context.folder, "mcp"), 50);
const upstream = await startBaseline(context, "upstream", [], LOAD_CORE);
if (process.env["XENV"])
  (deployment as any).environment = { ...deployment.environment, ...JSON.parse(process.env["XENV"]) };
const server = await startServer(context, deployment, { upstream: `http://127.0.0.1:${upstream.port}` });
await createGateway(server, deployment);
const table: any = {
  nothing: [() => calls(server, deployment, NOTHING, {}), "done"],
  loopback: [() => calls(server, deployment, TOOL, { text: "hello" }), '"structuredContent"'],
  execute: [async () => executions(deployment.users, deployment.key), '"success":true'],
};
const [make, contains] = table[what];
const requests = (await make()).map(rawRequest);
const loader = await startLoader(children);
const job = {
  port: server.port,
  pid: server.pid,
  polls: what !== "execute",
  connections: what === "execute" ? 32 : 50,
  requests,
  status: 200,
  contains,
};
await loader.run({ ...job, warmupMs: 2500, measureMs: 500 } as any);
const out = [];
for (let i = 0; i < Number(secs); i++)
  out.push(await loader.run({ ...job, warmupMs: 100, measureMs: 900 } as any));
const us = out.map((m: any) => m.serverMicros);
console.log(
  what,
  "micros per answer",
  us.map((x: number) => x.toFixed(1)).join(" "),
  "min",
  Math.min(...us).toFixed(1),
);
await server.stop();
await loader.stop();
await upstream.stop();
process.exit(0);
