// The columns with sealed values of all areas: a rotation of the data key seals them again.
import { sealedFlows } from "./authorization";
import { sealedConnections } from "./connections";
import type { SealedColumn } from "./crypto";
import { sealedPlugins } from "./hooks";
import { sealedModels } from "./llm";
import { sealedClients, sealedIdentities, sealedItems } from "./people";
import { sealedClientSecrets } from "./providers";
import { sealedSecrets } from "./secrets";
import { sealedAnswers, sealedMemory, sealedRuns } from "./tools";
import { identityKeyTable, tokenKeyTable } from "./jwt-keys";
import { sealedRegistrations, sealedWorkers } from "./workers";

export const sealedColumns: readonly SealedColumn[] = [
  ...sealedClientSecrets,
  ...sealedSecrets,
  ...sealedConnections,
  ...sealedFlows,
  ...sealedAnswers,
  ...sealedPlugins,
  ...sealedModels,
  ...sealedWorkers,
  ...sealedRuns,
  ...sealedMemory,
  ...sealedRegistrations,
  ...identityKeyTable.sealed,
  ...tokenKeyTable.sealed,
  ...sealedItems,
  ...sealedClients,
  ...sealedIdentities,
];
