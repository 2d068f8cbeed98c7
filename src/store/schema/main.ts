// The main database: one file per migration, in order. A released migration is never edited. Every row of a project has the
// project's id. Columns named `sealed_…` contain values that are encrypted with the project's data key (docs/storage.md lists
// them). Times are integer milliseconds.
import type { Migration } from "../migrate";
import { first } from "./001-first";
import { hooks } from "./002-hooks";
import { gateways } from "./003-gateways";
import { models } from "./004-models";
import { scheduledRuns } from "./005-scheduled-runs";
import { oldLeases } from "./006-old-leases";
import { dataKeys } from "./007-data-keys";
import { leanAudit } from "./008-lean-audit";
import { endedRuns } from "./009-ended-runs";
import { grants } from "./010-grants";
import { incarnations } from "./011-incarnations";
import { chainedAudit } from "./012-chained-audit";
import { lateWrites } from "./013-late-writes";
import { fairQueues } from "./014-fair-queues";
import { origins } from "./015-origins";
import { retries } from "./016-retries";
import { toolMemory } from "./017-tool-memory";
import { postponedRefreshes } from "./018-postponed-refreshes";
import { workers } from "./019-workers";
import { workerClients } from "./020-worker-clients";
import { usableGrants } from "./021-usable-grants";
import { identityKeys } from "./022-identity-keys";
import { userKeys } from "./023-user-keys";
import { answersOfUsers } from "./024-answers-of-users";
import { suspendedUsers } from "./025-suspended-users";
import { signIn } from "./026-sign-in";
import { standing } from "./027-standing";

export const mainMigrations: readonly Migration[] = [
  first,
  hooks,
  gateways,
  models,
  scheduledRuns,
  oldLeases,
  dataKeys,
  leanAudit,
  endedRuns,
  grants,
  incarnations,
  chainedAudit,
  lateWrites,
  fairQueues,
  origins,
  retries,
  toolMemory,
  postponedRefreshes,
  workers,
  workerClients,
  usableGrants,
  identityKeys,
  userKeys,
  answersOfUsers,
  suspendedUsers,
  signIn,
  standing,
];
