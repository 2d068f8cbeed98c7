// Faults of the engine for PostgreSQL and of what relies on it. `--faults --engine postgres` looks for them.
import type { Fault } from "../faults";

export const POSTGRES_FAULTS: readonly Fault[] = [
  {
    fault: "A commit whose answer is lost is taken for stored, or a write is acknowledged before its commit.",
    patches: ["postgres-unknown-commit-acknowledged", "postgres-commit-acknowledged-early"],
  },
  {
    fault: "A commit whose answer is lost is stored twice.",
    patches: ["postgres-unknown-commit-repeated"],
  },
  {
    fault: "A write whose outcome is unknown is refused as if nothing had been stored.",
    patches: ["postgres-unknown-outcome-called-refusal"],
  },
  {
    fault: "A transaction that is repeated stores nothing, because its body can run only once.",
    patches: ["transaction-body-used-twice"],
  },
  {
    fault: "Transactions of several servers write at the same time.",
    patches: ["postgres-writers-without-lock"],
  },
  {
    fault: "A server that is frozen inside of a transaction keeps all others from writing.",
    patches: ["postgres-silent-writer-keeps-the-lock"],
  },
  {
    fault: "A request relies on generations that were read before it.",
    patches: ["postgres-generations-of-an-earlier-turn", "earlier-requests-generations"],
  },
  {
    fault: "What was read before a change is remembered as if it had been read after it.",
    patches: ["cached-under-a-later-generation"],
  },
  {
    fault: "A full disk, which refuses statements and not commits, is not reported.",
    patches: ["postgres-full-disk-is-well"],
  },
  {
    fault: "A server that was cut off sends a refresh token that another one has replaced.",
    patches: ["refresh-fence-before-request"],
  },
  {
    fault: "A server that was cut off goes on with a scheduled run that was given up.",
    patches: ["scheduled-fence-before-request", "scheduled-fence-before-tool"],
  },
  {
    fault: "A result, or tokens, that cannot be stored at once are lost.",
    patches: ["scheduled-end-stored-once", "refreshed-tokens-stored-once"],
  },
];
