// Addresses that a person can open.
import { LINK_BASE } from "../platform";

export function spreadsheetLink(spreadsheetId: string): string {
  return `${LINK_BASE}/d/${encodeURIComponent(spreadsheetId)}/edit`;
}

export function sheetLink(spreadsheetId: string, sheetId: number): string {
  return `${spreadsheetLink(spreadsheetId)}#gid=${sheetId}`;
}
