// Who the token is for, what its answers tell about it, and people.
import { judged, kindOf, observed, type PlatformCheck, withoutExample, wordOf } from "../../../src/tools";
import { objectIn, objectsIn, textIn } from "../../upstream/json";
import { type ChatProbe, cursorIn, idsIn, ofTeam, people, SCOPE_HEADERS, self } from "./probe";
import { codeSeen } from "./seen";

const WHO = "WhoAmI";
const USER_ID = /^[UW][A-Z0-9]{6,}$/;
const TEAM_ID = /^[TE][A-Z0-9]{6,}$/;

export const IDENTITY: readonly PlatformCheck<ChatProbe>[] = [
  {
    name: "own-identity",
    expects: "auth.test has the ids of the user (U or W) and of the workspace (T) or the organization (E)",
    tool: WHO,
    async run(probe) {
      const asked = await self(probe);
      const user = textIn(asked.body, "user_id") ?? "";
      const team = textIn(asked.body, "team_id") ?? "";
      const fits = USER_ID.test(user) && TEAM_ID.test(team);
      const first = wordOf(team.slice(0, 1), ["T", "E"]);
      return judged(asked.ok && fits, {
        ...codeSeen(asked),
        user_id_fits: USER_ID.test(user),
        team_id: first,
      });
    },
  },
  {
    name: "grant-facts",
    expects: "auth.test names the user whom the token answer named",
    tool: WHO,
    async run(probe) {
      const told = probe.context.grant?.facts["user_id"];
      if (typeof told !== "string") return withoutExample();
      const isSame = (await self(probe)).body["user_id"] === told;
      return judged(isSame, { same_user: isSame });
    },
  },
  {
    name: "scopes-header",
    expects: "answers have the scopes of the token in x-oauth-scopes, all of the grant's among them",
    tool: WHO,
    async run(probe) {
      const { headers } = await self(probe);
      const text = headers.get(SCOPE_HEADERS[0]);
      const told = (text ?? "").split(/[\s,]+/).filter((scope) => scope !== "");
      const granted = probe.context.grant?.scopes ?? [];
      const untold = granted.filter((scope) => !told.includes(scope)).length;
      return judged(text !== null && untold === 0, {
        header: text !== null,
        told: told.length,
        granted: granted.length,
        granted_but_not_told: untold,
      });
    },
  },
  {
    name: "organization-workspaces",
    expects: "Not settled: auth.teams.list needs no scope",
    tool: WHO,
    async run(probe) {
      const isOrganization = (await self(probe)).body["is_enterprise_install"] === true;
      const asked = await probe.ask("auth.teams.list");
      const seen = { ...codeSeen(asked), organization: isOrganization, teams: idsIn(asked, "teams").length };
      return asked.code === "missing_scope" ? judged(false, seen) : observed(seen);
    },
  },
  {
    name: "person-fields",
    expects: "a person has id and profile, and deleted and is_bot are booleans where they are sent",
    tool: WHO,
    async run(probe) {
      const asked = await probe.ask("users.info", { user: textIn((await self(probe)).body, "user_id") });
      const user = objectIn(asked.body, "user");
      const flags = [kindOf(user["deleted"]), kindOf(user["is_bot"])] as const;
      const fits =
        kindOf(user["id"]) === "text" &&
        kindOf(user["profile"]) === "object" &&
        flags.every((kind) => kind === "boolean" || kind === "absent");
      return judged(asked.ok && fits, {
        ...codeSeen(asked),
        id: kindOf(user["id"]),
        profile: kindOf(user["profile"]),
        deleted: flags[0],
        is_bot: flags[1],
      });
    },
  },
  {
    name: "unknown-person",
    expects: "an unknown id is refused with user_not_found and HTTP 200",
    tool: "GetUsersInfo",
    async run(probe) {
      const asked = await probe.ask("users.info", { user: "U00000000" });
      return judged(asked.status === 200 && asked.code === "user_not_found", codeSeen(asked));
    },
  },
  {
    name: "unknown-email",
    expects: "an unknown e-mail address is refused with users_not_found",
    tool: "GetUsersInfo",
    async run(probe) {
      const asked = await probe.ask("users.lookupByEmail", { email: "runtime-self-check@example.invalid" });
      return judged(asked.status === 200 && asked.code === "users_not_found", codeSeen(asked));
    },
  },
  {
    name: "email-with-scope",
    expects: "with users:read.email the user's own profile has an e-mail address",
    tool: "GetUsersInfo",
    async run(probe) {
      const asked = await probe.ask("users.info", { user: textIn((await self(probe)).body, "user_id") });
      const profile = objectIn(objectIn(asked.body, "user"), "profile");
      return judged(asked.ok && kindOf(profile["email"]) === "text", { email: kindOf(profile["email"]) });
    },
  },
  {
    name: "email-lookup",
    expects: "users.lookupByEmail finds the user by the address of their own profile",
    tool: "GetUsersInfo",
    async run(probe) {
      const user = textIn((await self(probe)).body, "user_id");
      const asked = await probe.ask("users.info", { user });
      const email = textIn(objectIn(objectIn(asked.body, "user"), "profile"), "email");
      if (email === undefined) return withoutExample();
      const found = await probe.ask("users.lookupByEmail", { email });
      const isSame = textIn(objectIn(found.body, "user"), "id") === user;
      return judged(found.ok && isSame, { ...codeSeen(found), same_person: isSame });
    },
  },
  {
    name: "people-pages",
    expects: "users.list keeps to its limit, and the next page has other people",
    tool: "ListUsers",
    async run(probe) {
      const team = await ofTeam(probe);
      const first = await probe.ask("users.list", { limit: 2, ...team });
      const cursor = cursorIn(first);
      const ids = idsIn(first, "members");
      if (cursor === undefined)
        return first.ok ? withoutExample({ page: ids.length }) : judged(false, codeSeen(first));
      const next = await probe.ask("users.list", { limit: 2, cursor, ...team });
      const repeated = idsIn(next, "members").filter((id) => ids.includes(id)).length;
      return judged(next.ok && ids.length <= 2 && repeated === 0 && cursorIn(next) !== cursor, {
        ...codeSeen(next),
        page: ids.length,
        repeated,
        same_cursor: cursorIn(next) === cursor,
      });
    },
  },
  {
    name: "invalid-cursor",
    expects: "a cursor that was never given is refused with invalid_cursor",
    tool: "ListUsers",
    async run(probe) {
      const asked = await probe.ask("users.list", {
        limit: 2,
        cursor: "bm90LWEtY3Vyc29y",
        ...(await ofTeam(probe)),
      });
      return judged(asked.code === "invalid_cursor", codeSeen(asked));
    },
  },
  {
    name: "deactivated-people",
    expects: "users.list contains deactivated people with deleted: true, where there are any",
    tool: "ListUsers",
    async run(probe) {
      const members = objectsIn((await people(probe)).body, "members");
      const marked = members.filter(({ deleted }) => deleted === true).length;
      return observed({ people: members.length, deactivated: marked });
    },
  },
];
