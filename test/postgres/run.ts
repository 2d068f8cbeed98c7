// `bun run test:postgres [path …]`: runs tests on a PostgreSQL server of their own, Debian's, or with
// `RUNTIME_TEST_POSTGRES=18` that of the package of npm. Each data folder has its own schemas. What is not run, and why, is in
// `not-run.ts`. Options, which begin with "-", are those of `bun test`.
import { startCluster } from "../support/postgres/cluster";
import { startEmbedded } from "../support/postgres/embedded";
import { NOT_RUN } from "./not-run";

const start = process.env["RUNTIME_TEST_POSTGRES"] === "18" ? startEmbedded : startCluster;
await using cluster = await start({
  settings: { max_connections: 500, synchronous_commit: false, full_page_writes: false },
});
const environment = {
  ...process.env,
  RUNTIME_TEST_DATABASE: "postgres",
  RUNTIME_TEST_DATABASE_URL: cluster.url(),
};
const ignored = Object.keys(NOT_RUN).flatMap((path) => ["--path-ignore-patterns", `test/${path}`]);
const runner = ["--parallel=2", "--no-isolate", "--timeout", "30000"];
const child = Bun.spawn([process.execPath, "test", ...runner, ...ignored, ...process.argv.slice(2)], {
  env: environment,
  stdin: "ignore",
  stdout: "inherit",
  stderr: "inherit",
});
for (const signal of ["SIGINT", "SIGTERM"] as const) process.on(signal, () => child.kill(signal));
process.exitCode = await child.exited;
