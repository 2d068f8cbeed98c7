// The operation table: every operation that the server offers. A new area adds its rows here.
import { authProviderOperations } from "./auth-providers";
import { authorizationOperations } from "./authorization";
import { clientOperations } from "./clients";
import { connectionOperations } from "./connections";
import { discoveryOperations } from "./discovery";
import { formattedToolOperations } from "./formatted-tools";
import { hookOperations } from "./hooks";
import { keyOperations } from "./keys";
import { gatewayOperations } from "./gateways";
import { llmOperations } from "./llm";
import { manifestOperations } from "./manifest";
import { modelEntryOperations } from "./model-entries";
import type { Operation } from "./operation";
import { peopleOperations } from "./people";
import { pluginOperations } from "./plugins";
import { projectOperations } from "./projects";
import { scheduledToolOperations } from "./scheduled-tools";
import { secretOperations } from "./secrets";
import { serviceOperations } from "./service";
import { sessionOperations } from "./sessions";
import { settingsOperations } from "./settings";
import { toolOperations } from "./tools";
import { trailOperations } from "./trail";
import { userOperations } from "./users";
import { workerOperations } from "./workers";
import { workloadOperations } from "./workloads";

export const operations: readonly Operation[] = [
  ...authProviderOperations,
  ...secretOperations,
  ...settingsOperations,
  ...connectionOperations,
  ...authorizationOperations,
  ...toolOperations,
  ...formattedToolOperations,
  ...hookOperations,
  ...pluginOperations,
  ...gatewayOperations,
  ...workerOperations,
  ...llmOperations,
  ...scheduledToolOperations,
  ...serviceOperations,
  ...discoveryOperations,
  ...keyOperations,
  ...workloadOperations,
  ...projectOperations,
  ...manifestOperations,
  ...modelEntryOperations,
  ...trailOperations,
  ...userOperations,
  ...peopleOperations,
  ...sessionOperations,
  ...clientOperations,
];

/** Those of the published contract: what the API description shows. */
export const contractOperations: readonly Operation[] = operations.filter(
  ({ extension }) => extension !== true,
);

export { type Method, type Operation, type ServedOperation, StatusAnswer } from "./operation";
