// The records sandbox: a strict stand-in for the Zoho Creator REST API (version 2) and its accounts servers.
export { startRecordsSandbox, type RecordsSandbox, type RecordsSandboxOptions } from "./sandbox";
export type {
  DataCenter,
  Fault,
  IssuedTokens,
  Location,
  PrivateLinks,
  RecordedRequest,
  SeedValues,
  StoredRecord,
} from "./types";
