// What runs next to the commands of a page: the sandbox of the executable, a database, and servers of others.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startCluster } from "../../support/postgres/cluster";
import { Upstream } from "../../support/mcp-upstream";
import type { Page } from "./pages";

export interface Stage extends AsyncDisposable {
  environment: Readonly<Record<string, string>>;
  /** Addresses in the page, and where they are here. */
  replace: readonly (readonly [string, string])[];
}

export async function startStage(page: Page, executable: string): Promise<Stage> {
  const peer = startPeer();
  const host = `127.0.0.1:${peer.port}`;
  const started = await startOf(page, executable);
  const peers = (page.peers ?? []).map(
    (address) => [address, address.includes("://") ? `http://${host}` : host] as const,
  );
  return {
    environment: started?.environment ?? {},
    replace: [...peers, ...(started?.replace ?? [])],
    [Symbol.asyncDispose]: async () => {
      await started?.[Symbol.asyncDispose]();
      await peer[Symbol.asyncDispose]();
    },
  };
}

async function startOf({ stage }: Page, executable: string): Promise<Stage | undefined> {
  if (stage === undefined) return undefined;
  return stage === "sandbox" ? startSandbox(executable) : startDatabase();
}

/** Roles need their passwords; the administrator is the one of the socket. */
async function startDatabase(): Promise<Stage> {
  const cluster = await startCluster({ hba: ["host all all 127.0.0.1/32 scram-sha-256"] });
  return {
    environment: { PGHOST: cluster.socketFolder, PGPORT: String(cluster.port), PGUSER: "postgres" },
    replace: [["127.0.0.1:5432", `127.0.0.1:${cluster.port}`]],
    [Symbol.asyncDispose]: () => cluster[Symbol.asyncDispose](),
  };
}

/** `runtime sandbox`, with what SKILL.md says about the environment of an agent. */
async function startSandbox(executable: string): Promise<Stage> {
  const folder = mkdtempSync(join(tmpdir(), "runtime-page-sandbox-"));
  const child = Bun.spawn([executable, "sandbox", "--port", "0", "-o", "json"], {
    cwd: folder,
    env: { HOME: folder, PATH: process.env["PATH"] ?? "" },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "ignore",
  });
  let printed = "";
  const decoder = new TextDecoder();
  for await (const bytes of child.stdout) {
    printed += decoder.decode(bytes, { stream: true });
    if (printed.endsWith("}\n")) break;
  }
  const { address, run_key } = JSON.parse(printed) as { address: string; run_key: string };
  return {
    environment: { RUNTIME_SERVER: address, RUNTIME_API_KEY: run_key, RUNTIME_USER: "bob" },
    replace: [],
    [Symbol.asyncDispose]: async () => {
      child.kill("SIGKILL");
      await child.exited;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** An MCP server whose tools are others each time they are listed, and a webhook that allows everything. */
function startPeer(): Upstream {
  let lists = 0;
  const tool = (name: string) => ({
    name,
    description: `Says it again, in version ${lists}.`,
    inputSchema: { type: "object", properties: { message: { type: "string" } } },
  });
  return new Upstream({
    before: ({ url }) => (url.endsWith("/mcp") ? undefined : Response.json({ code: "OK" })),
    methods: {
      "tools/list": () => ({ tools: ++lists > 1 ? [tool("echo"), tool("shout")] : [tool("echo")] }),
      "tools/call": ({ params }) => ({
        content: [{ type: "text", text: JSON.stringify(params["arguments"]) }],
      }),
    },
  });
}
