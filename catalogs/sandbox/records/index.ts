// A strict stand-in for the Zoho Creator REST API (version 2) and its accounts servers.
export {
  type RecordsOptions,
  type RecordsPlatform,
  type SavedRecords,
  startRecordsPlatform,
} from "./sandbox";
export type { Answer, Reply } from "./server";
export type {
  DataCenter,
  Interception,
  Interceptor,
  IssuedTokens,
  Location,
  PrivateLinks,
  ReceivedCall,
  SeedValues,
  StoredRecord,
} from "./types";
