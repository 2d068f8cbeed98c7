// `runtime users`: everything that is stored about a user, and the people who are invited.
import { notFound } from "../../src/errors";
import type { ErasedUser, UserExport, UsersFilter, UsersPage, UserState } from "../../src/users";
import { type Client, clientVerb, operation } from "../client/client";
import { defined } from "../command";
import { json, print, printList, type Shape } from "../output";
import { printable } from "../printable";
import { deleteVerb, showVerb } from "../record-verbs";
import { invitedVerbs } from "../invited-verbs";
import { sessionVerbs } from "../user-sessions";

const USERS = "/v1/admin/users";
const PAGE = 1000;

type User = UsersPage["items"][number];

const listUsers = operation<[filter: UsersFilter], UsersPage>({
  direct: ({ runtime, principal }, filter) => runtime.users.list(principal, filter),
  remote: (server, filter) => server.get(USERS, { ...filter }),
});

const exportUser = operation<[user_id: string], UserExport>({
  direct: ({ runtime, principal }, user) => runtime.users.export(principal, user),
  remote: (server, user_id) => server.send("POST", `${USERS}/export`, { user_id }),
});

const eraseUser = operation<[user_id: string], ErasedUser>({
  direct: async ({ served, principal }, user) => (await served()).users.erase(principal, user),
  remote: (server, user_id) => server.send("POST", `${USERS}/erase`, { user_id }),
});

const suspendUser = operation<[user_id: string], UserState>({
  direct: ({ runtime, principal }, user) => runtime.users.suspend(principal, user),
  remote: (server, user_id) => server.send("POST", `${USERS}/suspend`, { user_id }),
});

const resumeUser = operation<[user_id: string], UserState>({
  direct: ({ runtime, principal }, user) => runtime.users.resume(principal, user),
  remote: (server, user_id) => server.send("POST", `${USERS}/resume`, { user_id }),
});

const SHAPE: Shape<User> = {
  name: ({ user_id }) => user_id,
  optional: ["role", "name"],
  columns: [
    { title: "user", keep: "always", value: ({ user_id }) => user_id },
    { title: "suspended", keep: "whole", value: ({ suspended }) => (suspended ? "yes" : "") },
    { title: "connections", keep: "whole", value: ({ connections }) => String(connections) },
    { title: "scheduled runs", keep: "whole", value: ({ scheduled_runs }) => String(scheduled_runs) },
    { title: "role", keep: "whole", value: ({ role = "" }) => role },
    { title: "passkeys", keep: "whole", value: ({ passkeys }) => String(passkeys) },
    { title: "sessions", keep: "whole", value: ({ sessions }) => String(sessions) },
    { title: "clients", keep: "whole", value: ({ clients }) => String(clients) },
  ],
};

const BACKUPS = "Backups that were made before still have the user's data.";

export const verbs = [
  clientVerb({
    usage: "list",
    summary: "List the users of the project: invited people, and all of whom something is stored.",
    examples: ["runtime users list", "runtime users list -o name"],
    read: () => ({}),
    run: async ({ io, common, client }) =>
      printList(io, common, await everyUser(client), SHAPE, "Nothing is stored about any user yet."),
  }),
  showVerb({
    summary: "Show the role, passkeys, sessions and clients of a user, and how much is stored.",
    examples: ["runtime users show alice"],
    find: async (client, user_id) => {
      const [user] = (await listUsers(client, { user_id })).items;
      if (user !== undefined) return user;
      throw notFound(`Nothing is stored about the user "${user_id}" in this project.`);
    },
    shape: SHAPE,
  }),
  ...invitedVerbs,
  clientVerb({
    usage: "export <user>",
    summary: "Print everything that is stored about a user, as JSON. Tokens and keys are left out.",
    examples: ["runtime users export alice > alice.json"],
    read: (line) => ({ user: line.word(0) }),
    run: async ({ io, common, client }, { user }) => {
      const record = await exportUser(client, user);
      print(io, common.output, record, () => json(record));
    },
  }),
  clientVerb({
    usage: "suspend <user>",
    summary:
      "Stop everything that is done for a user, from the next request on: runs, scheduled ones too, and consents, with " +
      "every credential.",
    examples: ["runtime users suspend alice"],
    read: (line) => ({ user: line.word(0) }),
    run: async ({ io, common, client }, { user }) => {
      print(io, common.output, await suspendUser(client, user), () => "");
      io.note(
        `The user ${printable(user)} is suspended. To end that: runtime users resume ${printable(user)}`,
      );
    },
  }),
  clientVerb({
    usage: "resume <user>",
    summary: "End the suspension of a user.",
    examples: ["runtime users resume alice"],
    read: (line) => ({ user: line.word(0) }),
    run: async ({ io, common, client }, { user }) => {
      print(io, common.output, await resumeUser(client, user), () => "");
      io.note(`The user ${printable(user)} is not suspended.`);
    },
  }),
  ...sessionVerbs,
  deleteVerb({
    usage: "erase <user>",
    summary:
      "Revoke the grants of a user and delete everything that is stored about the user. The audit trail keeps its entries " +
      "under a pseudonym.",
    examples: ["runtime users erase alice"],
    find: (_client, user) => ({
      id: user,
      name: user,
      question: `Erase ${user}, with all grants, runs and log entries? This cannot be undone.`,
      done: `The user ${user} is erased. ${BACKUPS}`,
    }),
    remove: eraseUser,
  }),
];

async function everyUser(client: Client): Promise<User[]> {
  const users: User[] = [];
  let after: string | undefined;
  do {
    const { items, next } = await listUsers(client, { limit: PAGE, ...defined({ after }) });
    users.push(...items);
    after = next;
  } while (after !== undefined);
  return users;
}
