// What a record belongs to.
import type { Binding } from "./schema";

export function projectBinding(projectId: string): Binding {
  return { id: projectId, type: "project" };
}
