// Addresses that a person can open.

const SPREADSHEETS = "https://docs.google.com/spreadsheets/d";

export function spreadsheetLink(spreadsheetId: string): string {
  return `${SPREADSHEETS}/${encodeURIComponent(spreadsheetId)}/edit`;
}

export function sheetLink(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetLink(spreadsheetId)}#gid=${sheetId}`;
}
