// The spreadsheet sandbox: the stand-in with recorded calls and injected faults.
export { sheetsEnvironment } from "./environment";
export { type Choices, consentAs } from "./consent-as";
export { type SheetsSandbox, type SheetsSandboxOptions, startSheetsSandbox } from "./sandbox";
export type { Fault, RecordedRequest } from "./types";
export {
  googleProvider,
  type IssuedToken,
  type People,
  type Person,
  type SeededCells,
  type SeededFile,
  type SeededSheet,
  type SeenCell,
  type SeenSheet,
} from "../../../catalogs/sandbox/sheets";
