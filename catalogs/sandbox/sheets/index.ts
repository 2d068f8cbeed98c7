// A strict stand-in for the Google Sheets, Drive and OAuth interfaces over a real engine.
export type { People, Person } from "./people";
export { googleProvider } from "./provider";
export { type SavedSheets, type SheetsOptions, type SheetsPlatform, startSheetsPlatform } from "./sandbox";
export type {
  Interception,
  Interceptor,
  IssuedToken,
  PageFault,
  ReceivedCall,
  SeededCells,
  SeededFile,
  SeededSheet,
  SeenCell,
  SeenSheet,
} from "./types";
