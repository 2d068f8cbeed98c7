/** Where a sealed value is stored. */
export interface Place {
  table: string;
  row: string;
  field: string;
}

/** What a sealed value is bound to. */
export function contextOf({ table, row, field }: Place): string {
  return JSON.stringify([table, row, field]);
}
