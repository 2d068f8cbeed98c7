// The records sandbox: the stand-in with recorded requests and injected faults.
export { startRecordsSandbox, type RecordsSandbox, type RecordsSandboxOptions } from "./sandbox";
export type { Fault, RecordedRequest } from "./types";
export type {
  DataCenter,
  IssuedTokens,
  Location,
  PrivateLinks,
  SeedValues,
  StoredRecord,
} from "../../../catalogs/sandbox/records";
