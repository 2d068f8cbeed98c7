// `better-auth` with its plugin for MCP, as a process: bun better-auth.js PORT. It prints a line when it listens.
import { betterAuth } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { mcp } from "better-auth/plugins";

const port = Number(process.argv[2]);
const origin = `http://127.0.0.1:${port}`;
const tables = [
  "user",
  "session",
  "account",
  "verification",
  "oauthApplication",
  "oauthAccessToken",
  "oauthConsent",
];
const rows = Object.fromEntries(tables.map((name) => [name, []]));
const auth = betterAuth({
  baseURL: origin,
  secret: "only for tests, and long enough for it",
  database: memoryAdapter(rows),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
  telemetry: { enabled: false },
  plugins: [mcp({ loginPage: "/login" })],
});

async function answer(request) {
  const { pathname } = new URL(request.url);
  if (pathname === "/.well-known/oauth-authorization-server")
    return Response.json(await auth.api.getMcpOAuthConfig());
  if (pathname !== "/whoami") return auth.handler(request);
  // The person of a token, for the worker.
  const session = await auth.api.getMcpSession({ headers: request.headers });
  const person = rows.user.find(({ id }) => id === session?.userId);
  return Response.json({ name: person?.name ?? null, client: session?.clientId ?? null });
}

Bun.serve({ hostname: "127.0.0.1", port, fetch: answer });
console.log("listening");
