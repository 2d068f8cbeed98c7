// A bare server for a baseline: says its port on standard output and ends with whoever holds its standard input.

export type Handler = (request: Request) => Response | Promise<Response>;

export async function serve(fetch: Handler): Promise<never> {
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch });
  process.stdout.write(`${server.port}\n`);
  for await (const _ of console) void _;
  process.exit();
}
