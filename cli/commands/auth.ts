// `runtime auth`: consents without a tool.
import type { Authorization } from "../../src/authorization";
import { type Common, given, type Noun, verb } from "../command";
import type { Io } from "../io";
import { printRecord } from "../output";
import { type Session, userOf, withSession } from "../session";

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
      run: startAuth,
    }),
    verb({
      usage: "status <id>",
      summary: "Show how a consent stands.",
      examples: ["runtime auth status ar_0123456789 --wait 59"],
      flags: [{ flag: "--wait <seconds>", meaning: "wait for its end, at most 59 seconds" }],
      read: (line) => ({ id: line.word(0), wait: line.integer("wait", 0) }),
      run: authStatus,
    }),
  ],
};

interface StartAuth {
  provider: string;
  user: string | undefined;
  scopes: string[];
  nextUri: string | undefined;
}

async function startAuth(
  io: Io,
  common: Common,
  { provider, user, scopes, nextUri }: StartAuth,
): Promise<void> {
  const { checked } = await import("../../src/base");
  const { AuthorizationInitiationRequest } = await import("../../src/authorization");
  await withSession(io, common, async (session) => {
    const auth_requirement = { provider_id: provider, oauth2: { scopes } };
    const body = given({ auth_requirement, user_id: userOf(session, user), next_uri: nextUri });
    const request = checked(AuthorizationInitiationRequest, body, "flags");
    const server = await session.server();
    const authorization = await session.runtime.authorization.authorize(session.principal, request);
    printAuthorization(io, common, authorization, server !== undefined);
  });
}

interface AuthStatus {
  id: string;
  wait: number | undefined;
}

async function authStatus(io: Io, common: Common, options: AuthStatus): Promise<void> {
  const { checked } = await import("../../src/base");
  const { AuthStatusQuery } = await import("../../src/authorization");
  const { id, wait } = checked(AuthStatusQuery, given(options), "flags");
  await withSession(io, common, async (session: Session) => {
    const server = await session.server();
    const authorization = await session.runtime.authorization.status(session.principal, id, wait);
    printAuthorization(io, common, authorization, server !== undefined);
  });
}

/** The record; for people with the address to open, and a word when nobody listens there. */
export function printAuthorization(
  io: Io,
  common: Common,
  authorization: Authorization,
  served: boolean,
): void {
  const { id, status, status_reason, url, user_id, provider_id, scopes } = authorization;
  printRecord(io, common.output, authorization, [
    ["id", id],
    ["status", status],
    ["reason", status_reason],
    ["user", user_id],
    ["provider", provider_id],
    ["scopes", scopes.join(" ")],
    ["open", url],
  ]);
  if (url !== undefined && !served)
    io.note("No server is running here. Start it before the address is opened: runtime serve");
}
