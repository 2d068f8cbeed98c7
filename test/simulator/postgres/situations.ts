// Situations of a database server, in addition to those of every database.
import { any, type Draw, place, server, type Situation } from "../situations";
import { type Action, SERVERS } from "../steps";
import { COMMIT_FATES, DATABASE_FATES, DATABASES, TRANSACTION_FATES } from "./fates";

const DOWN = [0, 0, 700, 2500, 9000];

function fate(draw: Draw): Action {
  return { kind: "database", name: draw.of(DATABASES), fate: draw.of(DATABASE_FATES) };
}

function ofWrite(draw: Draw): Action {
  const of = draw.below(2) === 0 ? TRANSACTION_FATES : COMMIT_FATES;
  return { kind: "database", name: "records", fate: draw.of<(typeof DATABASE_FATES)[number]>(of) };
}

/** Several writes, and what is remembered of them, while transactions fail. */
function writesUnderFate(draw: Draw): Action[] {
  return [
    ofWrite(draw),
    { kind: "secret", process: server(draw) },
    ofWrite(draw),
    draw.of<Action>([
      { kind: "hooks", process: server(draw), on: draw.below(2) === 0 },
      { kind: "secret", process: any(draw) },
      { kind: "api key", process: server(draw), does: draw.of(["create", "delete"]) },
    ]),
    { kind: "pass", ms: draw.of([1000, 4000]) },
    { kind: "call", ...place(draw), tool: "Write" },
  ];
}

/** New tokens arrive when their transaction fails, and another process needs them. */
function tokensUnderFate(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "pass", ms: draw.of([35_000, 70_000]) },
    { kind: "script", to: "token", fate: "hang_after" },
    { kind: "call", process, user, tool: "Read" },
    ofWrite(draw),
    { kind: "release" },
    { kind: "call", process: server(draw), user, tool: "Read" },
    { kind: "pass", ms: draw.of([1000, 12_000, 35_000]) },
  ];
}

/** A process that holds something loses the database until others have taken it over. */
function cutOff(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const other = (process + 1) % SERVERS;
  const call: Action = { kind: "call", process, user, tool: "Write", key: draw.below(3) };
  const isCall = draw.below(2) === 0;
  return [
    { kind: "script", to: "platform", fate: draw.of(["hang", "hang", "refuse_after"]) },
    isCall ? call : { kind: "schedule", process, user },
    { kind: "pass", ms: 1000 },
    { kind: "fault", process, fault: draw.of(["silent", "refused"]) },
    { kind: "pass", ms: draw.of([4000, 12_000, 35_000]) },
    ...(isCall ? [{ ...call, process: other }] : []),
    ...(draw.below(2) === 0 ? [{ kind: "release" } as const] : []),
    { kind: "pass", ms: 4000 },
    { kind: "repair", process },
    { kind: "release" },
    { kind: "pass", ms: 12_000 },
  ];
}

/** The server restarts between the begin and the end of writes. */
function restartDuring(draw: Draw): Action[] {
  const { process, user } = place(draw);
  return [
    { kind: "freeze", process, at: "any", gates: draw.below(30) },
    draw.of<Action>([
      { kind: "secret", process },
      { kind: "call", process, user, tool: "Write", key: draw.below(3) },
      { kind: "consent", process, user, again: false },
    ]),
    { kind: "restart", downMs: draw.of(DOWN) },
    { kind: "thaw", process },
    { kind: "secret", process: server(draw) },
    { kind: "pass", ms: draw.of([1000, 12_000]) },
  ];
}

/** A process stops inside of a transaction, which others wait for. */
function frozenWriter(draw: Draw): Action[] {
  const process = server(draw);
  return [
    { kind: "freeze", process, at: "any", gates: 2 + draw.below(14) },
    { kind: "secret", process },
    { kind: "secret", process: (process + 1) % SERVERS },
    { kind: "pass", ms: draw.of([1000, 4000, 12_000]) },
    { kind: "thaw", process },
    { kind: "pass", ms: 1000 },
  ];
}

/** A change is acknowledged while others read what they remember. */
function readsDuringChange(draw: Draw): Action[] {
  const { process, user } = place(draw);
  const other = (process + 1) % SERVERS;
  return [
    { kind: "api key", process: other, does: "create" },
    { kind: "client", process, user, does: "call" },
    {
      kind: "database",
      name: "records",
      fate: draw.of(["late read", "late read", "silent read", "late notifications"]),
    },
    { kind: "client", process, user, does: "call" },
    draw.of<Action>([
      { kind: "api key", process: other, does: "delete" },
      { kind: "hooks", process: other, on: draw.below(2) === 0 },
      { kind: "delete", process: other, user },
    ]),
    { kind: "pass", ms: draw.of([500, 4000]) },
    { kind: "client", process, user, does: "call" },
    { kind: "call", process, user, tool: "Write" },
  ];
}

export const DATABASE_SITUATIONS: readonly [weight: number, draw: Situation][] = [
  [14, (draw) => [fate(draw)]],
  [1.5, (draw) => [{ kind: "restart", downMs: draw.of(DOWN) }]],
  [2, (draw) => [{ kind: "fault", process: any(draw), fault: "silent" }]],
  [4, writesUnderFate],
  [2, tokensUnderFate],
  [3, cutOff],
  [2, restartDuring],
  [2, frozenWriter],
  [2, readsDuringChange],
];
