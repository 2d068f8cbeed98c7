// A data folder for the server under test: a key, a provider, connections of many users. Filled with the product's own
// services, so that it is valid for any schema.
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { extensions } from "../../catalogs";
import { Redacted, silentLog } from "../../src/base";
import { loadConfig } from "../support/config";
import { createRuntime, type Runtime } from "../../src/runtime";
import { touch } from "../../src/store";

export const PROJECT = "default";
export const PROVIDER = "bench";
export const SCOPES = ["bench.read", "bench.write"];

export interface User {
  userId: string;
  connectionId: string;
}

export interface Deployment {
  folder: string;
  /** The database of the server. */
  database: string;
  environment: Readonly<Record<string, string>>;
  /** An API key with the role `admin`. */
  key: string;
  /** Users with a connection: all of them, or a sample from the whole history. */
  users: readonly User[];
}

const BATCH = 500;
const SAMPLE = 5000;

/** Changes a deployment with the product's own services. */
export async function inDeployment<T>(
  { environment }: Deployment,
  work: (runtime: Runtime) => Promise<T>,
): Promise<T> {
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  try {
    return await work(runtime);
  } finally {
    await runtime.close();
  }
}

/** `settings`: more of the server's environment, such as another database. */
export async function createDeployment(
  folder: string,
  connections: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<Deployment> {
  mkdirSync(folder, { recursive: true });
  const data = join(folder, "data");
  const environment = { HOME: folder, RUNTIME_DATA_DIR: data, RUNTIME_EGRESS_ALLOW: "loopback", ...settings };
  const runtime = await createRuntime(loadConfig({ environment }), extensions, { log: silentLog });
  try {
    const operator = await runtime.identity.operator(PROJECT);
    const { key = "" } = await runtime.identity.createKey(operator, { name: "bench", role: "admin" });
    await runtime.providers.create(operator, providerRecord());
    const users = await addConnections(runtime, connections);
    return { folder, database: join(data, "runtime.db"), environment, key, users };
  } finally {
    await runtime.close();
  }
}

function providerRecord() {
  return {
    id: PROVIDER,
    description: "Provider of the bench",
    oauth2: {
      client_id: "bench-client",
      client_secret: "bench-client-secret",
      authorize_request: { endpoint: "https://provider.example/oauth2/authorize" },
      token_request: { endpoint: "https://provider.example/oauth2/token" },
    },
  };
}

async function addConnections(runtime: Runtime, count: number): Promise<User[]> {
  const every = Math.max(1, Math.floor(count / SAMPLE));
  const users: User[] = [];
  for (let first = 0; first < count; first += BATCH) {
    const numbers = Array.from({ length: Math.min(BATCH, count - first) }, (_, index) => first + index);
    const added = await Promise.all(numbers.map((number) => addConnection(runtime, number)));
    users.push(...added.filter((_user, index) => (first + index) % every === 0));
  }
  return users;
}

async function addConnection(runtime: Runtime, number: number): Promise<User> {
  const userId = `user-${String(number).padStart(7, "0")}@example.test`;
  const provider = await runtime.providers.find(PROJECT, PROVIDER);
  if (provider === undefined) throw new Error("the provider of the bench is gone");
  const grant = {
    accessToken: new Redacted(`access-token-of-${userId}-${"x".repeat(40)}`),
    refreshToken: new Redacted(`refresh-token-of-${userId}-${"x".repeat(40)}`),
    // Nothing is refreshed while the bench runs.
    expiresIn: undefined,
    scopes: SCOPES,
    facts: {},
  };
  let connectionId = "";
  await runtime.connections.store(PROJECT, userId, provider, grant, SCOPES, (id) => {
    connectionId = id;
    return touch("connections");
  });
  return { userId, connectionId };
}
