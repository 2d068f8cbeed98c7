// `runtime auth`: consents without a tool.
import type { Authorization } from "../../src/authorization";
import { consentStatus, startConsent } from "../client/authorization";
import { type Client, isServed, withClient } from "../client/client";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printRecord, type Shape } from "../output";
import { userOf } from "../user";

export const auth: Noun = {
  name: "auth",
  summary: "consents: start one, see how it stands",
  verbs: [
    verb({
      usage: "start <provider>",
      summary: "Start a user's consent at a provider and print the address to open.",
      examples: ["runtime auth start slack --user alice --scope chat:write --scope users:read"],
      flags: [
        { flag: "--user <user>", meaning: "who shall consent" },
        { flag: "--scope <scope>", meaning: "a scope to ask for; repeat for several", repeat: true },
        { flag: "--next-uri <address>", meaning: "where the browser goes at the end" },
      ],
      read: (line) => ({
        provider: line.word(0),
        user: line.text("user"),
        scopes: line.texts("scope") ?? [],
        nextUri: line.text("next-uri"),
      }),
      run: start,
    }),
    verb({
      usage: "status <id>",
      summary: "Show how a consent stands.",
      examples: ["runtime auth status ar_0123456789 --wait 59"],
      flags: [{ flag: "--wait <seconds>", meaning: "wait for its end, at most 59 seconds" }],
      read: (line) => ({ id: line.word(0), wait: line.integer("wait", 0) }),
      run: status,
    }),
  ],
};

interface StartAuth {
  provider: string;
  user: string | undefined;
  scopes: string[];
  nextUri: string | undefined;
}

async function start(io: Io, common: Common, { provider, user, scopes, nextUri }: StartAuth): Promise<void> {
  await withClient(io, common, async (client) => {
    const auth_requirement = { provider_id: provider, oauth2: { scopes } };
    const optional = given({ user_id: userOf(client, user), next_uri: nextUri });
    await printAuthorization(
      io,
      common,
      client,
      await startConsent(client, { auth_requirement, ...optional }),
    );
  });
}

interface AuthStatus {
  id: string;
  wait: number | undefined;
}

async function status(io: Io, common: Common, { id, wait }: AuthStatus): Promise<void> {
  await withClient(io, common, async (client) => {
    await printAuthorization(io, common, client, await consentStatus(client, id, wait));
  });
}

const SHAPE: Shape<Authorization> = {
  name: ({ id }) => id,
  optional: ["status_reason", "url", "provider_id", "context"],
  columns: [
    { title: "id", value: ({ id }) => id },
    { title: "status", value: (authorization) => authorization.status },
    { title: "reason", value: ({ status_reason }) => status_reason },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "provider", value: ({ provider_id }) => provider_id },
    { title: "scopes", value: ({ scopes }) => scopes.join(" ") },
    { title: "open", value: ({ url }) => url },
  ],
};

/** The record; for people with the address to open, and a word when nobody listens there. */
export async function printAuthorization(
  io: Io,
  common: Common,
  client: Client,
  authorization: Authorization,
): Promise<void> {
  printRecord(io, common, authorization, SHAPE);
  if (authorization.url !== undefined && !(await isServed(client)))
    io.note("No server is running here. Start it before the address is opened: runtime serve");
}
