// auth.test, auth.revoke, users.info, users.list, users.lookupByEmail, users.profile.get.
import { optional, required } from "../arguments";
import { teamInstead } from "../behaviour/organization";
import { record, text, without, type JsonRecord } from "../json";
import { cursorField, pageOf } from "../paging";
import { checkTeam, type Method, type MethodCall } from "./context";
import { withoutEmail } from "../directory";

const EMAIL = "users:read.email";

export const userMethods: Readonly<Record<string, Method>> = {
  "auth.test": { accepts: [], needs: [], run: test },
  "auth.teams.list": { accepts: [], needs: [], run: teams },
  "auth.revoke": { accepts: [], needs: [], run: revoke },
  "users.info": { accepts: ["users:read"], needs: ["users:read"], run: info },
  "users.list": { accepts: ["users:read"], needs: ["users:read"], run: list },
  "users.lookupByEmail": { accepts: [EMAIL], needs: [EMAIL], run: lookupByEmail },
  "users.profile.get": { accepts: ["users.profile:read"], needs: ["users.profile:read"], run: profile },
};

async function test({ caller, workspace }: MethodCall): Promise<JsonRecord> {
  const answer = await workspace.backend.must(caller.userId, "auth.test", {});
  const { organization } = workspace;
  return {
    url: answer["url"],
    team: answer["team"],
    user: answer["user"],
    team_id: organization === null ? answer["team_id"] : teamInstead("team of auth.test", organization.id),
    user_id: answer["user_id"],
    ...(caller.holder === "bot" ? { bot_id: answer["bot_id"] } : {}),
    ...(organization === null ? {} : { enterprise_id: organization.id, enterprise_name: organization.name }),
    is_enterprise_install: organization !== null,
  };
}

/** The workspaces that an org-wide token may use; the only one for others. */
async function teams({ workspace }: MethodCall): Promise<JsonRecord> {
  return { teams: [workspace.team], ...cursorField({ nextCursor: "" }) };
}

async function revoke({ params, token, tokens }: MethodCall): Promise<JsonRecord> {
  const isTest = ["1", "true"].includes(params["test"] ?? "");
  if (!isTest) tokens.revoke(token);
  return { revoked: !isTest };
}

async function info(call: MethodCall): Promise<JsonRecord> {
  const person = await call.workspace.directory.find(call.caller.userId, required(call.params, "user"));
  return { user: forCaller(call, person) };
}

async function list(call: MethodCall): Promise<JsonRecord> {
  checkTeam(call);
  const page = pageOf(call.params, {
    method: "users.list",
    items: await call.workspace.directory.list(call.caller.userId),
    keyOf: (person) => text(person, "id"),
    maximum: 1000,
    default: null,
    fault: call.fault,
  });
  return { members: page.items.map((person) => forCaller(call, person)), ...cursorField(page) };
}

async function lookupByEmail(call: MethodCall): Promise<JsonRecord> {
  const email = required(call.params, "email");
  return { user: await call.workspace.directory.findByEmail(call.caller.userId, email) };
}

async function profile(call: MethodCall): Promise<JsonRecord> {
  const userId = optional(call.params, "user") ?? call.caller.userId;
  const found = record(await call.workspace.directory.find(call.caller.userId, userId), "profile");
  return { profile: call.caller.scopes.includes(EMAIL) ? found : without(found, "email") };
}

function forCaller(call: MethodCall, person: JsonRecord): JsonRecord {
  return call.caller.scopes.includes(EMAIL) ? person : withoutEmail(person);
}
