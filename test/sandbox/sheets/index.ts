// The spreadsheet sandbox: a strict stand-in for the Google Sheets, Drive and OAuth interfaces over a real engine.
export { type Choices, consentAs } from "./consent-as";
export type { People, Person } from "./people";
export { googleProvider, sheetsEnvironment } from "./provider";
export { type SheetsSandbox, type SheetsSandboxOptions, startSheetsSandbox } from "./sandbox";
export type {
  Fault,
  IssuedToken,
  RecordedRequest,
  SeededCells,
  SeededFile,
  SeededSheet,
  SeenCell,
  SeenSheet,
} from "./types";
