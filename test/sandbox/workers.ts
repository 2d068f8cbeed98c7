// A worker with an adjustable catalog, and kinds of workers that ask it over HTTP: for tests of records and catalogs, which do
// not depend on a protocol.
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { type Egress, EgressError } from "../../src/egress";
import { type ReadCatalog, WorkerFailure, type WorkerKind, type WorkerTool } from "../../src/workers";

export interface PlainWorker extends AsyncDisposable {
  readonly uri: string;
  /** What it answers; undefined: an error. */
  catalog: ReadCatalog | undefined;
  /** Requests for its catalog, and their headers. */
  readonly asked: IncomingMessage["headers"][];
  /** Called before each answer. */
  before: (() => Promise<void>) | undefined;
}

export function plainTool(name: string, description = `Does ${name}.`): WorkerTool {
  return {
    upstream: name,
    name,
    description,
    input: { type: "object", properties: { text: { type: "string", description: "A text." } } },
    metadata: {
      behavior: {
        operations: ["opaque"],
        read_only: false,
        destructive: true,
        idempotent: false,
        open_world: true,
      },
    },
  };
}

/** Listens on loopback. */
export async function startPlainWorker(
  tools: readonly WorkerTool[] = [plainTool("echo")],
): Promise<PlainWorker> {
  const worker = {
    uri: "",
    catalog: { tools: [...tools], skipped: [] } as ReadCatalog | undefined,
    asked: [] as IncomingMessage["headers"][],
    before: undefined as (() => Promise<void>) | undefined,
    [Symbol.asyncDispose]: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  const server = createServer((request, response) => {
    const answer = (): void => {
      response.statusCode = worker.catalog === undefined ? 500 : 200;
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(worker.catalog ?? { error: "down" }));
    };
    worker.asked.push(request.headers);
    if (worker.before === undefined) answer();
    else void worker.before().then(answer);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  worker.uri = `http://127.0.0.1:${port}/mcp`;
  return worker;
}

/** Kinds of workers whose protocol is one GET with the record's secrets. `egress`: that of the runtime, once it exists. */
export function plainKinds(egress: () => Egress): Record<"http" | "mcp", WorkerKind> {
  const ask: WorkerKind["read"] = async (worker, { signal }) => {
    const headers =
      worker.type === "http" ? { "x-secret": await worker.secret() } : { ...(await worker.headers()) };
    try {
      const response = await egress().fetch(worker.uri, {
        headers,
        project: worker.projectId,
        secretsFor: [new URL(worker.uri).origin],
        signal,
      });
      if (!response.ok) throw new WorkerFailure("refused", `It answered with the status ${response.status}.`);
      return (await response.json()) as ReadCatalog;
    } catch (error) {
      if (!(error instanceof EgressError)) throw error;
      const reason = error.reason === "address_refused" ? "address_refused" : "unreachable";
      throw new WorkerFailure(reason, error.message, { cause: error });
    }
  };
  const kind: WorkerKind = {
    read: ask,
    probe: async (worker, options) => {
      const { server } = await ask(worker, options);
      return server === undefined ? {} : { server };
    },
    bases: ({ uri }) => ({ worker: { url: uri } }),
    run: (worker, tool) => async (input) => {
      await ask(worker, {});
      return { worker: worker.id, tool: tool.upstream, input };
    },
  };
  return { http: kind, mcp: kind };
}
