// All columns with sealed values, for the rotation of data keys.
import { sealedFlows } from "./authorization";
import { sealedConnections } from "./connections";
import { sealedPlugins } from "./hooks";
import { sealedModels } from "./llm";
import { sealedClientSecrets } from "./providers";
import { sealedSecrets } from "./secrets";
import { sealedAnswers, sealedMemory, sealedRuns } from "./tools";
import { sealedIdentityKeys, sealedRegistrations, sealedWorkers } from "./workers";

export const sealedColumns = [
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
  ...sealedIdentityKeys,
];
