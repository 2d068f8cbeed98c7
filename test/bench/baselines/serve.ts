// A bare server for a baseline: prints its port on standard output and exits when its standard input closes.

export type Handler = (request: Request) => Response | Promise<Response>;

export function serve(fetch: Handler): Promise<never> {
  return stay(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch }));
}

export async function stay(server: Pick<Bun.Server<undefined>, "port">): Promise<never> {
  process.stdout.write(`${server.port}\n`);
  for await (const _ of console) void _;
  process.exit();
}
