// `runtime auth`: consents without a tool.
import type { Authorization } from "../../src/authorization";
import { confirmUser, consentEnd, consentStatus, startConsent, testVerifier } from "../client/authorization";
import { type ClientCall, clientVerb, isServed, userOf } from "../client/client";
import { defined } from "../command";
import { EXIT } from "../errors";
import { printRecord, type Shape } from "../output";

const SHAPE: Shape<Authorization> = {
  name: ({ id }) => id,
  optional: ["status_reason", "url", "provider_id", "context"],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "status", keep: "whole", value: ({ status }) => status },
    { title: "reason", value: ({ status_reason }) => status_reason },
    { title: "user", value: ({ user_id }) => user_id },
    { title: "provider", value: ({ provider_id }) => provider_id },
    { title: "scopes", value: ({ scopes }) => scopes.join(" ") },
    { title: "open", value: ({ url }) => url },
  ],
};

const CONFIRMED: Shape<Awaited<ReturnType<typeof confirmUser>>> = {
  name: ({ auth_id }) => auth_id,
  optional: ["next_uri"],
  columns: [
    { title: "consent", keep: "always", value: ({ auth_id }) => auth_id },
    { title: "send the browser to", value: ({ next_uri }) => next_uri },
  ],
};

const VERIFIER_TEST: Shape<Awaited<ReturnType<typeof testVerifier>>> = {
  name: ({ flow_id }) => flow_id,
  columns: [
    { title: "flow", keep: "always", value: ({ flow_id }) => flow_id },
    { title: "open", value: ({ next_uri }) => next_uri },
  ],
};

export const verbs = [
  clientVerb({
    usage: "start <provider>",
    summary: "Start a user's consent at a provider and print the address to open.",
    examples: ["runtime auth start slack --user alice --scope chat:write --scope users:read"],
    flags: [
      { flag: "--user <user>", meaning: "user who consents" },
      { flag: "--scope <scope>", meaning: "scope to request; may be repeated", repeat: true },
      { flag: "--next-uri <address>", meaning: "address to which the browser goes at the end" },
    ],
    read: (line) => ({
      provider: line.word(0),
      user: line.text("user"),
      scopes: line.texts("scope") ?? [],
      nextUri: line.text("next-uri"),
    }),
    run: async (call, { provider, user, scopes, nextUri }) => {
      const auth_requirement = { provider_id: provider, oauth2: { scopes } };
      const optional = defined({ user_id: userOf(call.client, user), next_uri: nextUri });
      await printAuthorization(call, await startConsent(call.client, { auth_requirement, ...optional }));
    },
  }),
  clientVerb({
    usage: "status <id>",
    summary: "Show the status of a consent.",
    examples: ['runtime auth status "$(runtime tools authorize Chat.WhoAmI --user alice -o name)" --wait 59'],
    flags: [
      {
        flag: "--wait <seconds>",
        meaning: "wait at most so long until it ends; exits 8 if it is still pending",
      },
    ],
    read: (line) => ({ id: line.word(0), wait: line.integer("wait", 0) ?? 0 }),
    run: async (call, { id, wait }) => {
      const { client } = call;
      const authorization = await (wait === 0
        ? consentStatus(client, id, undefined)
        : consentEnd(client, id, wait));
      await printAuthorization(call, authorization);
      return wait > 0 && authorization.status === "pending" ? EXIT.timeout : EXIT.ok;
    },
  }),
  clientVerb({
    usage: "confirm-user <flow>",
    summary: "Confirm the user of a consent, as a custom verifier does with the flow_id that it receives.",
    examples: ["runtime auth confirm-user FLOW_ID --user alice"],
    flags: [{ flag: "--user <user>", meaning: "user who consents, as your application knows them" }],
    read: (line) => ({ flow_id: line.word(0), user: line.required("user") }),
    run: async ({ io, common, client }, { flow_id, user }) => {
      const confirmed = await confirmUser(client, { flow_id, user_id: user });
      printRecord(io, common, confirmed, CONFIRMED);
    },
  }),
  clientVerb({
    usage: "test-verifier <address>",
    summary: "Start a consent that grants nothing at a custom verifier, and print the address to open.",
    examples: ["runtime auth test-verifier https://app.example.com/verify --user alice"],
    flags: [{ flag: "--user <user>", meaning: "user whom the verifier must confirm" }],
    read: (line) => ({ verifier_url: line.word(0), user: line.text("user") }),
    run: async ({ io, common, client }, { verifier_url, user }) => {
      const test = await testVerifier(client, { verifier_url, user_id: userOf(client, user) });
      printRecord(io, common, test, VERIFIER_TEST);
      io.note("Open the address. The verifier must then confirm the user with this flow_id.");
    },
  }),
];

/** Prints the record, and for people a note if no server is running at its address. */
export async function printAuthorization(
  { io, common, client }: ClientCall,
  authorization: Authorization,
): Promise<void> {
  printRecord(io, common, authorization, SHAPE);
  if (authorization.url !== undefined && !(await isServed(client, { wait: true })))
    io.note("No server is running. Start it before you open the address: runtime serve");
}
