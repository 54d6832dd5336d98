export const productEdits = {
  undo: 'Rückgängig',
  deleted: 'Gelöscht',
  deletedBy: 'Gelöscht von',
  deletedAt: 'Gelöscht',
  expires: 'Aufbewahrt bis',
  noneDeleted: 'Keine gelöschten Produkte',
  noneDeletedText: 'Gelöschte Produkte bleiben 30 Tage hier, solange der Speicher reicht.',
  restore: (count: string) => `${count} wiederherstellen`,
  restored: (count: number, text: string) => (count === 1 ? '1 Produkt wiederhergestellt.' : `${text} Produkte wiederhergestellt.`),
};
