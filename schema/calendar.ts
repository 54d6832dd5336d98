/** Whether the calendar has the day `YYYY-MM-DD`. `Date.parse` takes February 30 for March 2. */
export function isCalendarDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const date = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(date.getTime()) && date.toISOString().startsWith(text);
}

/** Whether the calendar has the day, or the day of the time. The caller checks the form of the text. */
export const isCalendarTime = (text: string): boolean => isCalendarDay(text.slice(0, 10)) && !Number.isNaN(Date.parse(text));
