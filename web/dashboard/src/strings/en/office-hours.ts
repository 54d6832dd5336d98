/** Strings of the office hours of an agent. */
export const officeHours = {
  title: 'Office hours',
  text: 'Visitors who ask for a person outside of them see the away message, and when you are back in their own time. A change takes effect at once, and belongs to no version.',
  limited: 'People answer only at certain times',
  timeZone: 'Time zone',
  opensAt: (day: string, place: number) => `${day}, from${place === 0 ? '' : ' (second time)'}`,
  closesAt: (day: string, place: number) => `${day}, to${place === 0 ? '' : ' (second time)'}`,
  add: 'Add a second time',
  remove: 'Remove the second time',
  closedDates: 'Closed dates',
  closedDatesHelp: 'Such as holidays, on which nobody answers.',
  awayMessage: 'Away message',
  awayMessageHelp: 'The next opening follows it. If it is empty, a general message is shown.',
  preview: 'Outside of the office hours, visitors who wait for a person see:',
  general: 'The team is not there at the moment.',
  opens: 'Back on … (the next opening).',
};
