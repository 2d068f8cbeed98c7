// Folders and stores that are gone when the test that asked for them is over.
import { onTestFinished } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Store } from "../../src/store";

/** A new, empty folder. To be called inside a test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "runtime-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The store, closed when the test is over. To be called inside a test. */
export function closedAfterTest(store: Store): Store {
  onTestFinished(() => store.close());
  return store;
}
