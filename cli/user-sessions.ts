// `runtime users sessions` and `runtime users sign-out`: the browsers in which a person is signed in.
import { notFound } from "../src/errors";
import type { BrowserSession, BrowserSessions, EndedSessions } from "../src/people";
import { clientVerb, operation } from "./client/client";
import { defined } from "./command";
import { print, printList, type Shape } from "./output";
import { printable } from "./printable";

const SESSIONS = "/v1/admin/users/sessions";

const listSessions = operation<[user_id: string], BrowserSessions>({
  direct: async ({ runtime, principal }, user) => {
    const { checkUserId } = await import("../src/base");
    return { items: await runtime.sessions.list(principal.projectId, checkUserId(user)) };
  },
  remote: (server, user_id) => server.get(SESSIONS, { user_id }),
});

const endSessions = operation<[user_id: string, id: string | undefined], EndedSessions>({
  direct: async ({ runtime: { sessions }, principal }, user, id) => {
    const { projectId } = principal;
    if (id === undefined) return { ended: await sessions.endOthers(projectId, user, principal) };
    return { ended: Number(await sessions.end(projectId, user, id, principal)) };
  },
  remote: (server, user_id, id) => server.send("POST", `${SESSIONS}/end`, { user_id, ...defined({ id }) }),
});

const SHAPE: Shape<BrowserSession> = {
  name: ({ id }) => id,
  optional: ["user_agent", "address"],
  columns: [
    { title: "id", keep: "always", value: ({ id }) => id },
    { title: "method", keep: "whole", value: ({ method }) => method },
    { title: "since", keep: "whole", value: ({ created_at }) => created_at },
    { title: "last used", keep: "whole", value: ({ used_at }) => used_at },
    { title: "address", value: ({ address }) => address },
    { title: "browser", value: ({ user_agent }) => user_agent },
  ],
};

export const sessionVerbs = [
  clientVerb({
    usage: "sessions <user>",
    summary: "List the browsers in which a person is signed in.",
    examples: ["runtime users sessions alice"],
    read: (line) => ({ user: line.word(0) }),
    run: async ({ io, common, client }, { user }) => {
      const { items } = await listSessions(client, user);
      printList(io, common, items, SHAPE, `The user ${printable(user)} is not signed in.`);
    },
  }),
  clientVerb({
    usage: "sign-out <user>",
    summary: "Sign a person out of all browsers, or of one, from the next request on.",
    examples: ["runtime users sign-out alice"],
    flags: [{ flag: "--session <id>", meaning: "only this session, of runtime users sessions" }],
    read: (line) => ({ user: line.word(0), session: line.text("session") }),
    run: async ({ io, common, client }, { user, session }) => {
      const result = await endSessions(client, user, session);
      if (session !== undefined && result.ended === 0)
        throw notFound(`The user ${printable(user)} has no session ${printable(session)}.`);
      print(io, common.output, result, () => "");
      const sessions = `${result.ended} ${result.ended === 1 ? "session" : "sessions"}`;
      io.note(`${sessions} of ${printable(user)} ended.`);
    },
  }),
];
