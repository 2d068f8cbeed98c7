// A project that is deleted and created again under its id has another incarnation. What an earlier project's caller still
// does must not reach the new project.
import { invalidAuthorization } from "../errors";
import { getKept, query, type Store, type Transaction } from "../store";

/** The part of a principal that names its project. Without an incarnation, it is the project that exists now. */
export interface ProjectReference {
  projectId: string;
  incarnation?: string | undefined;
}

const FIND = query<{ incarnation: string; created_at: number }>(
  "SELECT incarnation, created_at FROM projects WHERE id = ?",
);

/**
 * The incarnation of the project, in the transaction of a write. Throws `invalid_authorization` if the project was deleted,
 * even if another project has its id now.
 */
export function* requireIncarnation(project: ProjectReference): Transaction<string> {
  const row = yield* getKept(FIND, project.projectId, "projects");
  if (row === undefined || !isIncarnation(project, row.incarnation))
    throw invalidAuthorization("The project of this credential was deleted.");
  return row.incarnation;
}

/** The project's incarnation and creation time; undefined if it was deleted. */
export async function currentProject(
  store: Store,
  project: ProjectReference,
): Promise<{ incarnation: string; created_at: number } | undefined> {
  const row = await store.get(FIND, project.projectId);
  return row !== undefined && isIncarnation(project, row.incarnation) ? row : undefined;
}

function isIncarnation(project: ProjectReference, incarnation: string): boolean {
  return project.incarnation === undefined || project.incarnation === incarnation;
}
