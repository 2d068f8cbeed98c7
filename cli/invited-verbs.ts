// The commands about invited people: `users invite`, `users update` and `users remove`.
import type {
  Invitation,
  InvitationLink,
  PersonChange,
  PersonState,
  RemovedPerson,
} from "../src/people/schema";
import { clientVerb, operation } from "./client/client";
import { defined, type FlagSpec, type Line } from "./command";
import { UsageError } from "./errors";
import { columnLines, printRecord, type Shape } from "./output";
import { printable } from "./printable";
import { deleteVerb } from "./record-verbs";
import type { Column } from "./table";

const USERS = "/v1/admin/users";
const ROLES = ["member", "approver", "auditor", "admin"] as const;

const invite = operation<[request: Invitation], InvitationLink>({
  direct: async ({ served, principal, checked }, request) => {
    const { InvitationRequest } = await import("../src/people/schema");
    return (await served()).invitations.invite(principal, checked(InvitationRequest, request));
  },
  remote: (server, request) => server.send("POST", `${USERS}/invite`, request),
});

const update = operation<[request: PersonChange], PersonState>({
  direct: async ({ runtime, principal, checked }, request) => {
    const { PersonChangeRequest } = await import("../src/people/schema");
    return runtime.invitations.update(principal, checked(PersonChangeRequest, request));
  },
  remote: (server, request) => server.send("POST", `${USERS}/update`, request),
});

const remove = operation<[user_id: string], RemovedPerson>({
  direct: ({ runtime, principal }, user) => runtime.invitations.remove(principal, user),
  remote: (server, user_id) => server.send("POST", `${USERS}/remove`, { user_id }),
});

const FLAGS: readonly FlagSpec[] = [
  { flag: "--role <role>", meaning: "member, approver, auditor or admin" },
  { flag: "--name <name>", meaning: "how pages call the person" },
];

const INVITED: readonly Column<InvitationLink>[] = [
  { title: "user", keep: "always", value: ({ user_id }) => user_id },
  { title: "role", value: ({ role }) => role },
];
const INVITED_SHAPE: Shape<InvitationLink> = {
  name: ({ user_id }) => user_id,
  optional: ["kind", "link", "expires_at", "note"],
  columns: INVITED,
  lines: (record) => [
    ...columnLines(INVITED, record),
    ["link", record.link],
    ["works until", record.expires_at],
  ],
};

const STATE_SHAPE: Shape<PersonState> = {
  name: ({ user_id }) => user_id,
  optional: ["name"],
  columns: [
    { title: "user", keep: "always", value: ({ user_id }) => user_id },
    { title: "role", value: ({ role }) => role },
    { title: "name", value: ({ name = "" }) => name },
  ],
};

export const invitedVerbs = [
  clientVerb({
    usage: "invite <user>",
    summary:
      "Invite a person and print a one-time link to set a passkey. Again for a known person: a new link, for a new device.",
    examples: ["runtime users invite alice", "runtime users invite bob --role auditor --name 'Bob Miller'"],
    flags: FLAGS,
    read: (line) => ({ user_id: line.word(0), ...changes(line) }),
    run: async ({ io, common, client }, request) => {
      const invited = await invite(client, request);
      printRecord(io, common, invited, INVITED_SHAPE);
      if (invited.note !== undefined) io.note(invited.note);
      if (invited.link === undefined) return;
      io.note(
        `Send the link to ${printable(request.user_id)} only: the first who uses it is taken for the person. It works once ` +
          "and is shown only now.",
      );
    },
  }),
  clientVerb({
    usage: "update <user>",
    summary: "Change the role or the name of an invited person, from the next request on.",
    examples: ["runtime users update alice --role approver"],
    flags: FLAGS,
    read: (line) => {
      const changed = changes(line);
      if (Object.keys(changed).length === 0)
        throw new UsageError("There is nothing to change. Give --role or --name.");
      return { user_id: line.word(0), ...changed };
    },
    run: async ({ io, common, client }, request) =>
      printRecord(io, common, await update(client, request), STATE_SHAPE),
  }),
  deleteVerb({
    usage: "remove <user>",
    summary:
      "End the access of a person at once: sessions, clients, links and passkeys. What is stored about the user stays.",
    examples: ["runtime users remove alice"],
    find: (_client, user) => ({
      id: user,
      name: user,
      question: `Remove ${user}? All sessions, clients, links and passkeys of the person stop working at once.`,
      done:
        `The person ${printable(user)} is removed. The connections of the user stay; to delete them and everything else: ` +
        `runtime users erase ${printable(user)}`,
    }),
    remove,
  }),
];

function changes(line: Line): Omit<PersonChange, "user_id"> {
  return defined({ role: line.choice("role", ROLES), name: line.text("name") });
}
