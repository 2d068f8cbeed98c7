// Faults that the code once had, and the patches in test/mutants that bring them back. `--faults` shows which of them the
// simulator finds.

export interface Fault {
  /** What goes wrong. */
  readonly fault: string;
  /** Names of patches; each brings back the fault, or one form of it. They are tried until one is found. */
  readonly patches: readonly string[];
  /** Why the simulator cannot find it. */
  readonly because?: string;
}

export const FAULTS: readonly Fault[] = [
  {
    fault: "A rotation of the root key replaces a symbolic link, and its target keeps the old key.",
    patches: ["root-key-symbolic-link"],
  },
  {
    fault: "Two rotations of the root key at the same time put the wrong key into the file.",
    patches: ["root-key-shared-prepared-file"],
  },
  {
    fault: "Refreshed tokens that cannot be stored at once are lost.",
    patches: ["refreshed-tokens-stored-once", "refreshed-tokens-not-in-memory"],
  },
  {
    fault: "A call runs a second time under its Idempotency-Key.",
    patches: [
      "idempotency-expires-by-jump",
      "idempotency-forgets-after-begin",
      "idempotency-end-stored-once",
    ],
  },
  {
    fault: "A damaged data key keeps scheduled runs from ending.",
    patches: ["scheduled-unsealed-output", "scheduled-turns"],
  },
  {
    fault: "Tokens that arrive after another process has marked the grant as dead are dropped.",
    patches: ["late-tokens-dropped"],
  },
  {
    fault: "A consent copies an old refresh token, or is ended by the refusal of an earlier one.",
    patches: ["refresh-token-copied", "refresh-shared-by-connection"],
    because:
      "the new refresh token continues the consent when it arrives; `test/connections/new-tokens.test.ts` finds it",
  },
  {
    fault: "A grant that is not stored is not revoked, or a revocation ends the grant of a connection.",
    patches: [
      "deleted-during-refresh",
      "refused-grant-not-revoked",
      "check-of-failed-flow",
      "exchange-during-revocation",
      "revocation-not-checked-again",
    ],
  },
  {
    fault: "A call waits for a refresh although its token is valid.",
    patches: ["live-token-waits"],
  },
  {
    fault: "A live holder is declared dead because a clock was set.",
    patches: ["scheduled-dead-by-clock", "idempotency-dead-by-clock", "lease-ends-by-clock"],
  },
  {
    fault: "A frozen process goes on with a scheduled run that was given up.",
    patches: ["scheduled-fence-before-request", "scheduled-fence-before-tool"],
  },
  {
    fault: "A result or a log entry that cannot be stored at once is lost.",
    patches: ["scheduled-end-stored-once", "execution-log-drops-entries"],
  },
  {
    fault: "Something of a deleted project reaches the project that was created again under its id.",
    patches: ["recreated-project-written", "log-of-recreated-project", "audit-of-recreated-project"],
  },
  {
    fault: "An unread pipe holds a read transaction, and the write-ahead log grows.",
    patches: ["output-holds-a-read"],
    because: "no process of the simulator writes to a pipe; `test/processes/unread-pipe.test.ts` does",
  },
  {
    fault: "A copy of the data folder of a running server is damaged.",
    patches: [],
    because: "it is not a fault of the code; [storage.md](storage.md) says how to make a backup",
  },
  {
    fault: "A server says that it is healthy while every write fails.",
    patches: ["health-while-writes-wait"],
  },
  {
    fault: "A dead holder is waited for without end because the clock was set back.",
    patches: ["scheduled-future-lease"],
  },
  {
    fault: "Audit entries of processes whose clocks differ are out of order.",
    patches: ["audit-ordered-by-time"],
  },
  {
    fault: "A rotation of a data key ends early and reports success.",
    patches: ["data-key-rotation-ends-early"],
  },
  {
    fault: "A refresh brings back scopes that were lost in the meantime.",
    patches: ["narrowed-scopes-return"],
  },
  {
    fault: "A clock that jumps ahead deletes the execution log.",
    patches: ["deletion-after-jump", "deletion-after-restart"],
  },
  {
    fault: "A server is not announced any more after another one has stopped.",
    patches: ["shared-server-announcement"],
  },
];
