/** An instant for people and scripts alike: UTC to the second, `2026-08-01 12:00:00Z`. */
export function instantText(at: Date): string {
  return at
    .toISOString()
    .replace('T', ' ')
    .replace(/\.\d+Z$/u, 'Z');
}
